/** The extension's settings, read in one place. What they mean is decided in `interpreter.ts`. */

import { ConfigurationChangeEvent, workspace } from "vscode";

import type { ServerSettings } from "./interpreter";

export function readSettings(): ServerSettings {
  const section = workspace.getConfiguration("thena");
  return { path: section.get("path", ""), interpreter: section.get("interpreter", "") };
}

/** Say whether another server could be the right one after this change. */
export function concernsServer(change: ConfigurationChangeEvent): boolean {
  return change.affectsConfiguration("thena.path") || change.affectsConfiguration("thena.interpreter");
}
