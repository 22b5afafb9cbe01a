/** The entry in the editor's language status: what the server is doing, and a click away the log. */

import { Disposable, languages, LanguageStatusSeverity } from "vscode";

export class Status implements Disposable {
  readonly #item = languages.createLanguageStatusItem("thena.status", { language: "python", scheme: "file" });

  constructor() {
    this.#item.name = "Thena";
    this.#item.command = { command: "thena.showLog", title: "Show Log" };
    this.waiting("Not started");
  }

  waiting(detail: string): void {
    this.#show("Thena", detail, LanguageStatusSeverity.Information);
  }

  starting(): void {
    this.#show("Thena: Starting", undefined, LanguageStatusSeverity.Information, true);
  }

  ready(version: string, program: string): void {
    this.#show(`Thena: Ready ${version}`, program, LanguageStatusSeverity.Information);
  }

  error(detail: string): void {
    this.#show("Thena: Error", detail, LanguageStatusSeverity.Error);
  }

  dispose(): void {
    this.#item.dispose();
  }

  #show(text: string, detail: string | undefined, severity: LanguageStatusSeverity, busy = false): void {
    this.#item.text = text;
    this.#item.detail = detail;
    this.#item.severity = severity;
    this.#item.busy = busy;
  }
}
