/**
 * The language server's life: chosen, started, restarted, stopped.
 *
 * File watching is left out on purpose: the server registers the files it wants to hear of.
 */

import { once } from "node:events";
import { homedir } from "node:os";
import { createInterface } from "node:readline";
import { setTimeout as setTimer } from "node:timers/promises";
import { commands, LogOutputChannel, window, workspace } from "vscode";
import { CloseAction, ErrorAction, LanguageClient, RevealOutputChannelOn, TransportKind } from "vscode-languageclient/node";

import { Candidate, chooseServer, listCandidates, ServerProgram, ServerSettings } from "./interpreter";
import { readSettings } from "./settings";
import { Status } from "./status";

const MAX_CRASHES = 3;
const CRASH_WINDOW_MS = 3 * 60_000;

// A server that doesn't answer would keep every later restart waiting.
const START_TIMEOUT_MS = 60_000;
const LAST_WORDS_MS = 1_000;

export class Server {
  readonly #log: LogOutputChannel;
  readonly #status: Status;
  #client: LanguageClient | undefined;
  #running: Promise<void> | undefined;
  #queued: Promise<void> | undefined;
  #settings: ServerSettings | undefined;
  #crashes: number[] = [];
  #ended = false;

  constructor(log: LogOutputChannel, status: Status) {
    this.#log = log;
    this.#status = status;
  }

  /**
   * Stop what runs, choose again and start; settles when the new server is ready or the failure has been shown.
   *
   * At most one restart runs and one waits: ten changed settings make two starts, and the last one wins.
   */
  restart(reason: string): Promise<void> {
    if (this.#running === undefined) {
      this.#running = this.#cycle(reason).finally(() => (this.#running = undefined));
      return this.#running;
    }
    this.#queued ??= this.#running.then(() => {
      this.#queued = undefined;
      return this.restart(reason);
    });
    return this.#queued;
  }

  /** Forget earlier crashes: a person asked for this start. */
  restartByHand(): Promise<void> {
    this.#crashes = [];
    return this.restart("asked for by command");
  }

  /** Restart if the settings are others than those of the last start: the editor also announces changes that change nothing. */
  async settingsChanged(): Promise<void> {
    const { path, interpreter } = readSettings();
    if (path !== this.#settings?.path || interpreter !== this.#settings.interpreter) {
      await this.restart("a setting changed");
    }
  }

  async end(): Promise<void> {
    this.#ended = true;
    await this.#running;
    await this.#stop();
  }

  async #cycle(reason: string): Promise<void> {
    // Read before anything is awaited: a change announced meanwhile is compared with these.
    const settings = (this.#settings = readSettings());
    await this.#stop();
    if (this.#ended) {
      return;
    }
    this.#log.info(`Starting the server: ${reason}`);
    this.#status.starting();
    try {
      const candidates = listCandidates(
        {
          settings,
          folders: (workspace.workspaceFolders ?? []).map((folder) => folder.uri).filter((uri) => uri.scheme === "file").map((uri) => uri.fsPath),
          home: homedir(),
          searchPath: process.env["PATH"] ?? "",
          platform: process.platform,
        },
        this.#log,
      );
      const program = await chooseServer(candidates, this.#log);
      if (program === undefined) {
        this.#report(notInstalled(candidates), "Open Settings");
      } else {
        await this.#start(program);
      }
    } catch (error) {
      this.#report(`The Thena server did not start: ${String(error)}`, "Open Settings");
    }
  }

  async #start(program: ServerProgram): Promise<void> {
    let lastWords = "";
    let silence: Promise<unknown> = Promise.resolve();
    // One client a start: a client that has failed once can't be started again.
    const client: LanguageClient = new QuietClient(
      "thena",
      "Thena",
      { command: program.command, args: [...program.args], transport: TransportKind.stdio },
      {
        documentSelector: [
          { language: "python", scheme: "file" },
          { language: "python", notebook: "jupyter-notebook" },
        ],
        outputChannel: this.#log,
        revealOutputChannelOn: RevealOutputChannelOn.Never,
        stdioOptions: {
          stdout: () => undefined, // the protocol's own
          stderr: (stream) => {
            const lines = createInterface({ input: stream }).on("line", (line) => {
              lastWords = line;
              this.#log.warn(line);
            });
            silence = once(lines, "close");
          },
        },
        initializationFailedHandler: () => false,
        errorHandler: {
          error: (_error, _message, count) => ({
            action: count !== undefined && count <= 3 ? ErrorAction.Continue : ErrorAction.Shutdown,
            handled: true,
          }),
          closed: () => {
            this.#closed(client);
            return { action: CloseAction.DoNotRestart, handled: true, message: "The connection to the server is closed" };
          },
        },
      },
    );
    const overdue = setTimeout(() => client.serverProcess?.kill(), START_TIMEOUT_MS);
    const failure = await client.start().then(
      // A server that ends while it is being asked to start leaves a client that calls itself started.
      () => (client.isRunning() ? undefined : "it ended at once"),
      (error: unknown) => (error instanceof Error ? error.message : String(error)),
    );
    clearTimeout(overdue);
    if (failure !== undefined) {
      client.serverProcess?.kill();
      // The broken pipe may be noticed before the words that explain it have arrived.
      await Promise.race([silence, setTimer(LAST_WORDS_MS)]);
      this.#report(`The Thena server ${program.command} did not start: ${lastWords || failure}`, "Open Settings");
      return;
    }
    this.#client = client;
    const version = client.initializeResult?.serverInfo?.version ?? program.version;
    this.#status.ready(version, `${program.origin}: ${program.command}`);
    this.#log.info(`Ready: Thena ${version}`);
  }

  /** Start a server that ended by itself anew, but not for ever. */
  #closed(client: LanguageClient): void {
    if (client !== this.#client || this.#ended) {
      // While it is being started, the failed start is what gets reported; while it is being stopped, all is well.
      return;
    }
    this.#client = undefined;
    const now = Date.now();
    this.#crashes = [...this.#crashes.filter((time) => now - time < CRASH_WINDOW_MS), now];
    if (this.#crashes.length < MAX_CRASHES) {
      void this.restart("the server ended unexpectedly");
    } else {
      this.#report(`The Thena server ended ${this.#crashes.length} times within three minutes; it stays off.`, "Restart Server");
    }
  }

  async #stop(): Promise<void> {
    const client = this.#client;
    this.#client = undefined;
    try {
      await client?.dispose();
    } catch (error) {
      this.#log.warn(`Stopping the server: ${String(error)}`);
    }
  }

  #report(message: string, remedy: "Open Settings" | "Restart Server"): void {
    this.#log.error(message);
    this.#status.error(message);
    // Not awaited: the message stays until someone answers it, and nothing may wait for that.
    void window.showErrorMessage(message, "Show Log", remedy).then((answer) => {
      switch (answer) {
        case "Show Log":
          return commands.executeCommand("thena.showLog");
        case "Restart Server":
          return commands.executeCommand("thena.restartServer");
        case "Open Settings":
          return commands.executeCommand("workbench.action.openSettings", "@ext:thena.thena");
        default:
          return undefined;
      }
    });
  }
}

/** The library's client, which would tell the person about faults that `Server` reports in its own words. */
class QuietClient extends LanguageClient {
  override error(message: string, data?: unknown): void {
    super.error(message, data, false);
  }
}

function notInstalled(tried: readonly Candidate[]): string {
  if (tried.length === 0) {
    return "Thena is not installed in this workspace: it has no .venv, and thena-lsp is not on the PATH. Install thena, or set thena.interpreter.";
  }
  const places = tried.map((candidate) => candidate.command).join(", ");
  return `Thena is not installed in ${places}. Install thena there, or set thena.interpreter.`;
}
