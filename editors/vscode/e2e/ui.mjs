// What a person sees: trust, the squiggle, the Problems panel, the repair, and the message when Thena isn't installed.
// Run by scripts/vscode-test, which sets PORT, WORKSPACE and SHOTS. Exit code 1 when something isn't as it should be.
import assert from "node:assert/strict";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";

import { address, required, say, withPage } from "./editor.mjs";

const port = required("PORT");
const workspace = required("WORKSPACE");
const shots = required("SHOTS");
const WAIT = 60_000;

const problems = (page) => page.locator(".markers-panel .monaco-list-row", { hasText: "THN201" });

async function run(page, command) {
  await page.keyboard.press("F1");
  const input = page.locator(".quick-input-widget input[type=text]");
  await input.waitFor();
  await input.fill(`>${command}`);
  await page.locator(".quick-input-list .monaco-list-row", { hasText: command }).first().click();
}

async function openFile(page, name) {
  await page.locator(".explorer-folders-view .monaco-list-row", { hasText: name }).first().dblclick();
  await page.locator(".tab.active", { hasText: name }).waitFor({ timeout: WAIT });
  await page.locator(".monaco-editor .view-line").first().waitFor({ timeout: WAIT });
}

/** Wait until the language status of the open Python file says `text`; the picture shows it. */
async function languageStatus(page, text, picture) {
  await page.locator("#status\\.languageStatus").first().hover();
  await page.locator(".hover-language-status", { hasText: text }).first().waitFor({ timeout: WAIT });
  await shot(page, picture);
  await page.keyboard.press("Escape");
}

/** Wait for the one message that contains `text`, with its buttons, and answer it with the first of them. */
async function message(page, text, buttons, picture) {
  const toast = page.locator(".notification-toast", { hasText: "Source: Thena" });
  await toast.filter({ hasText: text }).waitFor({ timeout: WAIT });
  for (const button of buttons) {
    await toast.getByText(button, { exact: true }).waitFor({ timeout: WAIT });
  }
  await shot(page, picture);
  assert.equal(await toast.count(), 1);
  say(`a message: ${(await toast.locator(".notification-list-item-message").innerText()).replaceAll(workspace, "…")}`);
  await toast.getByText(buttons[0], { exact: true }).click();
  await toast.waitFor({ state: "detached", timeout: WAIT });
}

/** Where `text` first stands in the file, as the editor's "Go to Line/Column" wants it. */
function position(file, text) {
  const before = readFileSync(file, "utf8").split(text)[0].split("\n");
  return `:${before.length}:${before.at(-1).length + 1}`;
}

async function shot(page, name) {
  // For the reader of the picture only: what is faded in is complete by then.
  await page.waitForTimeout(500);
  await page.screenshot({ path: path.join(shots, `${name}.png`) });
}

async function test(page) {
  await page.goto(address(port, workspace));
  await page.locator(".explorer-folders-view .monaco-list-row").first().waitFor({ timeout: WAIT });
  say("the editor is up");

  await openFile(page, "agents.py");
  await languageStatus(page, "not trusted", "1-untrusted");
  say("untrusted workspace: nothing is started, and the language status says why");

  await run(page, "Workspaces: Manage Workspace Trust");
  await page.locator(".workspace-trust-editor .monaco-button", { hasText: "Trust" }).first().click();
  await openFile(page, "agents.py");
  await page.locator(".squiggly-error").first().waitFor({ timeout: WAIT });
  say("trusted: the server was started, and the parameter is underlined");

  await page.keyboard.press("Control+Shift+M");
  await problems(page).first().waitFor({ timeout: WAIT });
  say(`Problems: ${(await problems(page).allInnerTexts()).join(" | ").replace(/\s+/g, " ")}`);
  await languageStatus(page, "Ready", "2-problem");

  const underlined = await page.locator(".squiggly-error").first().boundingBox();
  await page.mouse.move(underlined.x + underlined.width / 2, underlined.y + underlined.height / 2);
  const hover = page.locator(".monaco-hover", { hasText: "THN201" }).filter({ hasText: "The workflow's state" });
  await hover.waitFor({ timeout: WAIT });
  await shot(page, "3-hover");
  say("the mouse over the parameter: what the marker gives, and the fault");

  await openFile(page, "workflow.py");
  await run(page, "Go to Line/Column...");
  const line = page.locator(".quick-input-widget input[type=text]");
  await line.fill(position(path.join(workspace, "workflow.py"), "steps="));
  await line.press("Enter");
  await page.keyboard.type("state=ReviewState, ");
  await page.locator(".view-line", { hasText: "@Workflow(state=ReviewState, steps=[Reviewer])" }).waitFor({ timeout: WAIT });
  await problems(page).first().waitFor({ state: "detached", timeout: WAIT });
  await shot(page, "4-repaired");
  say("typing state=... in workflow.py, unsaved, takes the problem of agents.py away");

  const settings = path.join(workspace, ".vscode");
  mkdirSync(settings);
  writeFileSync(path.join(settings, "settings.json"), '{ "thena.interpreter": "${workspaceFolder}/no/python" }');
  await message(page, "Thena is not installed in", ["Show Log", "Open Settings"], "5-not-installed");

  // Answers --version, as a working environment does, and then ends with a fault of its own.
  writeFileSync(path.join(workspace, "broken"), '#!/bin/sh\ncase "$*" in *--version*) echo 9.9.9;; *) echo "out of order" >&2; exit 3;; esac\n', { mode: 0o755 });
  writeFileSync(path.join(settings, "settings.json"), '{ "thena.interpreter": "${workspaceFolder}/broken" }');
  await message(page, "did not start: out of order", ["Show Log", "Open Settings"], "6-broken");

  rmSync(settings, { recursive: true });
  await openFile(page, "agents.py");
  await languageStatus(page, "Ready", "7-back");
  assert.equal(await page.locator(".squiggly-error").count(), 0);
  say("the setting is taken back: the server runs again, and still sees the unsaved repair");
}

await withPage(async (page) => {
  try {
    await test(page);
  } catch (error) {
    await shot(page, "failed").catch(() => undefined);
    say(`FAILED: ${error.message.replace(/\x1b\[\d+m/g, "")} (failed.png)`);
    process.exitCode = 1;
  }
});
