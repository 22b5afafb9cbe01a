/**
 * Which program is the language server: the candidates in their order, and the first that answers.
 *
 * Nothing here knows the editor, so that the choice can be tested with files and processes alone. The server isn't
 * shipped with the extension: its parser is compiled for one Python version, and it should be of the version that
 * the project itself uses.
 */

import { execFile } from "node:child_process";
import { accessSync, constants, statSync } from "node:fs";
import * as path from "node:path";

export interface ServerSettings {
  readonly path: string;
  readonly interpreter: string;
}

/** Where to look. */
export interface Surroundings {
  readonly settings: ServerSettings;
  readonly folders: readonly string[];
  readonly home: string;
  readonly searchPath: string;
  readonly platform: NodeJS.Platform;
}

/** A program that may be the server. */
export interface Candidate {
  /** What named it: a setting, a folder's environment, the search path. */
  readonly origin: string;
  /** The file that is started; "not installed in" is said of it. */
  readonly command: string;
  readonly args: readonly string[];
}

export interface ServerProgram extends Candidate {
  readonly version: string;
}

export interface Log {
  info(message: string): void;
  warn(message: string): void;
}

// -P keeps the folder that the server is started in out of sys.path: a user's types.py must not replace Python's.
const RUN_SERVER_MODULE = ["-P", "-m", "thena_lsp"];

// A cold Python start with a busy disk takes seconds; beyond this nothing will come.
const PROBE_TIMEOUT_MS = 30_000;

/** List what could be the server, best first; steps that name nothing are logged and left out. */
export function listCandidates(surroundings: Surroundings, log: Log): Candidate[] {
  const { settings, folders, platform } = surroundings;
  const found: Candidate[] = [];

  for (const [setting, args] of [["path", []], ["interpreter", RUN_SERVER_MODULE]] as const) {
    const written = settings[setting].trim();
    if (written === "") {
      log.info(`thena.${setting} is empty`);
    } else {
      found.push({ origin: `thena.${setting}`, command: expand(written, surroundings), args });
    }
  }

  const python = platform === "win32" ? ["Scripts", "python.exe"] : ["bin", "python"];
  for (const folder of folders) {
    const command = path.join(folder, ".venv", ...python);
    if (isProgram(command)) {
      found.push({ origin: `.venv of ${folder}`, command, args: RUN_SERVER_MODULE });
    } else {
      log.info(`${command} does not exist`);
    }
  }

  const onPath = searchFor("thena-lsp", surroundings);
  if (onPath === undefined) {
    log.info("thena-lsp is not on the PATH");
  } else {
    found.push({ origin: "PATH", command: onPath, args: [] });
  }
  return found;
}

/** Return the first candidate that tells its version, or `undefined` when none does. */
export async function chooseServer(candidates: readonly Candidate[], log: Log): Promise<ServerProgram | undefined> {
  for (const candidate of candidates) {
    const answer = await askVersion(candidate);
    if (typeof answer !== "string") {
      log.info(`${candidate.origin}: ${candidate.command} is Thena ${answer.version}`);
      return { ...candidate, version: answer.version };
    }
    log.warn(`${candidate.origin}: ${candidate.command} is no Thena server: ${answer}`);
  }
  return undefined;
}

/** Resolve `${workspaceFolder}`, a leading `~`, a bare program name and a relative path. */
export function expand(written: string, surroundings: Surroundings): string {
  const first = surroundings.folders[0];
  let text = written;
  if (first !== undefined) {
    text = text.replaceAll("${workspaceFolder}", first);
  }
  if (text === "~" || text.startsWith("~/") || text.startsWith("~\\")) {
    text = path.join(surroundings.home, text.slice(1));
  }
  if (!/[/\\]/.test(text)) {
    return searchFor(text, surroundings) ?? text;
  }
  return first === undefined ? text : path.resolve(first, text);
}

// Searched here rather than left to the operating system, which on Windows would look in the opened folder first.
function searchFor(name: string, { searchPath, platform }: Surroundings): string | undefined {
  const names = platform === "win32" && path.extname(name) === "" ? [`${name}.exe`] : [name];
  return searchPath
    .split(platform === "win32" ? ";" : ":")
    .filter((folder) => path.isAbsolute(folder))
    .flatMap((folder) => names.map((each) => path.join(folder, each)))
    .find(isProgram);
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}

/** Run the candidate with `--version`; a string in place of a version says why there is none. */
function askVersion({ command, args }: Candidate): Promise<{ version: string } | string> {
  return new Promise((resolve) => {
    execFile(command, [...args, "--version"], { timeout: PROBE_TIMEOUT_MS }, (error, stdout, stderr) => {
      const version = /\d+\.\d+\S*/.exec(stdout)?.[0];
      if (error === null && version !== undefined) {
        resolve({ version });
      } else if (error?.killed) {
        resolve(`no answer to --version within ${PROBE_TIMEOUT_MS / 1000} s`);
      } else {
        resolve(lastLine(stderr) ?? lastLine(stdout) ?? error?.message ?? "no answer to --version");
      }
    });
  });
}

function lastLine(text: string): string | undefined {
  return text.trim().split("\n").at(-1)?.trim() || undefined;
}
