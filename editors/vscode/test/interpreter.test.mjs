// The choice of the server, with real files and real processes. Run by `npm test`, which bundles src/interpreter.ts first.
import assert from "node:assert/strict";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, test } from "node:test";

import { chooseServer, expand, listCandidates } from "../dist/test/interpreter.mjs";

let root, lines;
const log = { info: (line) => lines.push(`info ${line}`), warn: (line) => lines.push(`warn ${line}`) };

beforeEach(() => {
  root = mkdtempSync(path.join(tmpdir(), "thena-choice-"));
  lines = [];
});
afterEach(() => rmSync(root, { recursive: true }));

/** Write a program that answers every call with `reply` and exit code `code`. */
function program(name, reply, code = 0) {
  const file = path.join(root, name);
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, `#!/bin/sh\necho '${reply}'\nexit ${code}\n`);
  chmodSync(file, 0o755);
  return file;
}

const surroundings = (changes) => ({
  settings: { path: "", interpreter: "" },
  folders: [path.join(root, "project")],
  home: path.join(root, "home"),
  searchPath: path.join(root, "bin"),
  platform: "linux",
  ...changes,
});

const choose = (changes) => chooseServer(listCandidates(surroundings(changes), log), log);

test("thena.path comes before everything else", async () => {
  const wanted = program("chosen/thena-lsp", "thena-lsp 1.0.0");
  program("project/.venv/bin/python", "thena-lsp 2.0.0");
  program("bin/thena-lsp", "thena-lsp 3.0.0");
  const chosen = await choose({ settings: { path: wanted, interpreter: "/nowhere/python" } });
  assert.deepEqual(chosen, { origin: "thena.path", command: wanted, args: [], version: "1.0.0" });
});

test("an interpreter is asked for the module, without the current folder in its way", async () => {
  const wanted = program("chosen/python", "thena-lsp 1.2.3");
  program("project/.venv/bin/python", "thena-lsp 2.0.0");
  const chosen = await choose({ settings: { path: "", interpreter: wanted } });
  assert.deepEqual(chosen, { origin: "thena.interpreter", command: wanted, args: ["-P", "-m", "thena_lsp"], version: "1.2.3" });
});

test("without settings the .venv of the folder comes before the PATH", async () => {
  const wanted = program("project/.venv/bin/python", "thena-lsp 2.0.0");
  program("bin/thena-lsp", "thena-lsp 3.0.0");
  const chosen = await choose({});
  assert.equal(chosen.command, wanted);
  assert.deepEqual(lines, [
    "info thena.path is empty",
    "info thena.interpreter is empty",
    `info .venv of ${root}/project: ${wanted} is Thena 2.0.0`,
  ]);
});

test("a candidate that doesn't answer is logged with its own words, and the next one is tried", async () => {
  const broken = program("project/.venv/bin/python", "No module named thena_lsp", 1);
  const wanted = program("bin/thena-lsp", "thena-lsp 3.0.0");
  const chosen = await choose({});
  assert.equal(chosen.command, wanted);
  assert.ok(lines.includes(`warn .venv of ${root}/project: ${broken} is no Thena server: No module named thena_lsp`), lines.join("\n"));
});

test("a program that fails has no version, whatever it prints", async () => {
  program("bin/thena-lsp", "Python 3.11.2 has no module", 1);
  assert.equal(await choose({}), undefined);
});

test("a setting that names no file is a candidate that doesn't answer", async () => {
  assert.equal(await choose({ settings: { path: "/nowhere/thena-lsp", interpreter: "" } }), undefined);
  assert.match(lines.at(-1), /^warn thena.path: \/nowhere\/thena-lsp is no Thena server: .*ENOENT/);
});

test("with nothing to try, each place that was looked at is in the log", async () => {
  assert.equal(await choose({}), undefined);
  assert.deepEqual(lines, [
    "info thena.path is empty",
    "info thena.interpreter is empty",
    `info ${root}/project/.venv/bin/python does not exist`,
    "info thena-lsp is not on the PATH",
  ]);
});

test("relative entries of the PATH are passed over, so that the opened folder can't smuggle a program in", async () => {
  program("bin/thena-lsp", "thena-lsp 3.0.0");
  assert.deepEqual(listCandidates(surroundings({ searchPath: `.:${path.relative(process.cwd(), path.join(root, "bin"))}` }), log), []);
});

for (const [written, expected] of [
  ["${workspaceFolder}/tools/python", "project/tools/python"],
  ["~/python", "home/python"],
  [".venv/bin/python", "project/.venv/bin/python"],
  ["thena-lsp", "bin/thena-lsp"],
]) {
  test(`${written} is expanded`, () => {
    program("bin/thena-lsp", "thena-lsp 3.0.0");
    assert.equal(expand(written, surroundings({})), path.join(root, expected));
  });
}

test("absolute paths and unknown names stay as they are", () => {
  assert.equal(expand("/usr/bin/python3", surroundings({})), "/usr/bin/python3");
  assert.equal(expand("no-such-program", surroundings({})), "no-such-program");
});
