// Tests that run inside the extension host, with the whole API of the editor. `run` resolves when all passed.
const assert = require("node:assert/strict");
const { readFileSync, writeFileSync } = require("node:fs");
const path = require("node:path");
const vscode = require("vscode");

const file = (name) => vscode.Uri.file(path.join(process.env.WORKSPACE, name));
const AGENTS = file("agents.py");
const WORKFLOW = file("workflow.py");

const tests = {
  "the fault has its code and its source": async () => {
    await vscode.window.showTextDocument(AGENTS);
    const [found] = await faults(1);
    assert.equal(found.source, "thena");
    assert.equal(found.severity, vscode.DiagnosticSeverity.Error);
    assert.match(found.message, /`Reviewer\.__init__` parameter 0 `s` asks for the state/);
  },

  "hovering over the marker says what it gives": async () => {
    const document = await vscode.workspace.openTextDocument(AGENTS);
    const marker = document.positionAt(document.getText().indexOf("State[ReviewState]") + 1);
    const hovers = await vscode.commands.executeCommand("vscode.executeHoverProvider", AGENTS, marker);
    const text = hovers.flatMap((hover) => hover.contents).map((part) => part.value ?? part).join("\n");
    assert.match(text, /workflow's state/i);
  },

  "a change of the workflow on disk, made by another program, is seen": async () => {
    const faulty = readFileSync(WORKFLOW.fsPath, "utf8");
    writeFileSync(WORKFLOW.fsPath, faulty.replace("steps=", "state=ReviewState, steps="));
    await faults(0);
    writeFileSync(WORKFLOW.fsPath, faulty);
    await faults(1);
  },

  "an edit of the workflow takes the fault of the agent away, and undoing it brings it back": async () => {
    const document = await vscode.workspace.openTextDocument(WORKFLOW);
    const at = document.positionAt(document.getText().indexOf("steps="));
    const repair = new vscode.WorkspaceEdit();
    repair.insert(WORKFLOW, at, "state=ReviewState, ");
    assert.ok(await vscode.workspace.applyEdit(repair));
    await faults(0);
    const undo = new vscode.WorkspaceEdit();
    undo.delete(WORKFLOW, new vscode.Range(at, at.translate(0, "state=ReviewState, ".length)));
    assert.ok(await vscode.workspace.applyEdit(undo));
    await faults(1);
  },

  "the restart command starts another server, which finds the fault again": async () => {
    const [before] = await servers(1);
    await vscode.commands.executeCommand("thena.restartServer");
    await faults(1);
    await until("the old server is gone", () => !serversNow().includes(before));
    await servers(1);
  },

  "ten restarts at once leave one server": async () => {
    await Promise.all(Array.from({ length: 10 }, () => vscode.commands.executeCommand("thena.restartServer")));
    await faults(1);
    await servers(1);
  },

  "a server that is killed comes back twice, then stays off until it is asked for": async () => {
    for (const _ of [1, 2]) {
      const [victim] = await servers(1);
      process.kill(victim, "SIGKILL");
      await until("another server runs", () => serversNow().some((pid) => pid !== victim));
      await faults(1);
    }
    process.kill((await servers(1))[0], "SIGKILL");
    await servers(0);
    // Long enough for a restart that must not happen to have happened: choosing a server takes about a second.
    await new Promise((resolve) => setTimeout(resolve, 4000));
    assert.deepEqual(serversNow(), []);
    await vscode.commands.executeCommand("thena.restartServer");
    await faults(1);
  },
};

/** Wait until agents.py has this many faults with the code THN201. */
async function faults(count) {
  const code = ({ code }) => (typeof code === "object" ? code.value : code);
  const now = () => vscode.languages.getDiagnostics(AGENTS).filter((each) => code(each) === "THN201");
  await until(`agents.py has ${count} THN201`, () => now().length === count);
  return now();
}

async function servers(count) {
  await until(`${count} servers run`, () => serversNow().length === count);
  return serversNow();
}

/** The server processes that this extension host has started. */
function serversNow() {
  return readFileSync(`/proc/self/task/${process.pid}/children`, "utf8")
    .split(" ")
    .filter((pid) => pid !== "" && commandLine(pid).includes("thena_lsp") && !commandLine(pid).includes("--version"))
    .map(Number);
}

function commandLine(pid) {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0");
  } catch {
    return [];
  }
}

async function until(what, holds) {
  for (let tries = 0; tries < 300; tries++) {
    if (holds()) {
      return;
    }
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error(`not within 30 s: ${what}`);
}

exports.run = async () => {
  const rows = [];
  for (const [name, test] of Object.entries(tests)) {
    const fault = await test().then(
      () => null,
      (error) => error.message,
    );
    rows.push({ name, fault });
    writeFileSync(process.env.RESULT, JSON.stringify(rows));
    if (fault !== null) {
      // The later tests build on the earlier ones: they would only wait, one after the other.
      throw new Error(`${name}: ${fault}`);
    }
  }
};
