// Runs host/index.js inside the editor's extension host, on the extension as it was installed from the package.
// Run by scripts/vscode-test, which sets PORT, WORKSPACE, EXTENSION, RESULT and SHOTS.
import { existsSync, readFileSync, rmSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";

import { address, required, say, withPage } from "./editor.mjs";

const port = required("PORT");
const result = required("RESULT");
const remote = (file) => `vscode-remote://127.0.0.1:${port}${file}`;
const tests = path.join(path.dirname(fileURLToPath(import.meta.url)), "host", "index.js");
rmSync(result, { force: true });

await withPage(async (page) => {
  let ended;
  const exit = new Promise((resolve) => (ended = resolve));
  // The editor's own door for test runners: it calls these two functions of the page.
  await page.exposeFunction("codeAutomationLog", (kind, parts) => process.env.VERBOSE && console.log(kind, JSON.stringify(parts)));
  await page.exposeFunction("codeAutomationExit", (code) => ended(code));
  await page.goto(
    address(port, required("WORKSPACE"), [
      ["extensionDevelopmentPath", remote(required("EXTENSION"))],
      ["extensionTestsPath", remote(tests)],
    ]),
  );
  const code = await Promise.race([exit, page.waitForTimeout(300_000).then(() => "none within 300 s")]);
  const rows = existsSync(result) ? JSON.parse(readFileSync(result, "utf8")) : [];
  for (const { name, fault } of rows) {
    say(`${fault === null ? "ok    " : "FAILED"} ${name}${fault === null ? "" : `: ${fault}`}`);
  }
  if (code !== 0 || rows.length === 0) {
    say(`the extension host ended with ${code}; ${rows.length} tests reported`);
    await page.screenshot({ path: path.join(required("SHOTS"), "failed.png") }).catch(() => undefined);
    process.exitCode = 1;
  }
});
