/** The door: what the editor tells the extension, and what each of it does. */

import { commands, ExtensionContext, window, workspace } from "vscode";

import { Server } from "./client";
import { concernsServer } from "./settings";
import { Status } from "./status";

let server: Server | undefined;

export function activate(context: ExtensionContext): void {
  const log = window.createOutputChannel("Thena", { log: true });
  const status = new Status();
  const started = (server = new Server(log, status));

  /** No program that the workspace could have chosen is run before the workspace is trusted. */
  const restartIfTrusted = (restart: () => Promise<void>): Promise<void> => {
    if (workspace.isTrusted) {
      return restart();
    }
    status.waiting("Not started: the workspace is not trusted");
    log.info("The server is not started: the workspace is not trusted");
    return Promise.resolve();
  };

  context.subscriptions.push(
    log,
    status,
    commands.registerCommand("thena.restartServer", () => restartIfTrusted(() => started.restartByHand())),
    commands.registerCommand("thena.showLog", () => log.show()),
    workspace.onDidGrantWorkspaceTrust(() => restartIfTrusted(() => started.restart("the workspace is trusted now"))),
    workspace.onDidChangeConfiguration((change) =>
      concernsServer(change) ? restartIfTrusted(() => started.settingsChanged()) : undefined,
    ),
  );
  // Not awaited: the extension is active at once, and the status tells how the start goes.
  void restartIfTrusted(() => started.restart("the extension was activated"));
}

export async function deactivate(): Promise<void> {
  await server?.end();
}
