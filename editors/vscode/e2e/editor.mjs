// A browser with the editor's page in it. Used by both tests; decides nothing about them.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";

import { chromium } from "playwright-core";

const STARTED = Date.now();

export function say(text) {
  console.log(`  ${((Date.now() - STARTED) / 1000).toFixed(1).padStart(5)}s ${text}`);
}

export function required(name) {
  const value = process.env[name];
  if (!value) {
    console.error(`${name} is not set; run scripts/vscode-test`);
    process.exit(2);
  }
  return value;
}

/** Call `use(page)` with a fresh browser profile, so that no run sees what an earlier one stored. */
export async function withPage(use) {
  const profile = mkdtempSync(path.join(tmpdir(), "thena-chromium-"));
  const context = await chromium.launchPersistentContext(profile, {
    headless: true,
    executablePath: process.env.CHROMIUM || "/usr/bin/chromium",
    viewport: { width: 1280, height: 800 },
    args: [
      "--no-sandbox",
      "--disable-gpu",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
      // Loopback only: no other name or address can be reached from the page.
      "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1",
    ],
  });
  try {
    return await use(await context.newPage());
  } finally {
    await context.close();
    rmSync(profile, { recursive: true, force: true });
  }
}

export function address(port, workspace, payload) {
  const query = new URLSearchParams({ folder: workspace });
  if (payload !== undefined) {
    query.set("payload", JSON.stringify(payload));
  }
  return `http://127.0.0.1:${port}/?${query}`;
}
