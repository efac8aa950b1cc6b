// SPDX-License-Identifier: MIT
// Looks at pages as readers do (eyes.mjs), in a headless Chromium. The games of a page are looked at
// on their board too, and a page without its script.
//
// A page may be an address of a server, http://127.0.0.1:8000/index/, whose own files it may ask for.
//
//   node look.mjs CHROMIUM FOLDER PAGE.html ...
import { basename } from "node:path";
import { start } from "./browser.mjs";
import { eyes, THEMES, WIDTHS } from "./eyes.mjs";

const [chromium, folder, ...pages] = process.argv.slice(2);
if (pages.length === 0) {
  console.error("look: usage: node look.mjs CHROMIUM FOLDER PAGE.html ...");
  process.exit(2);
}
const browser = await start(chromium, "look");
const { ask, run } = browser;
const { report, faults, look, lookAtEach, lookAtTroubles } = eyes(browser, folder);

async function lookAtPage(page) {
  const name = basename(page, ".html");
  await browser.open(page);
  await lookAtEach(name);
  await run('for (const details of document.querySelectorAll("details")) details.open = true');
  await look(`${name}-unfolded`, "light", WIDTHS[0]);
  await run('for (const details of document.querySelectorAll("details")) details.open = false');
  const opener = 'document.querySelector(".games .open")';
  if (await run(`${opener} !== null`)) {
    await run(`${opener}.click(); document.querySelector(".game .controls button:nth-child(4)").click()`);
    await lookAtEach(`${name}-game`, false);
  }
  lookAtTroubles(name, page.startsWith("http") ? new URL(page).origin : "-");
}

// Without its script a page still has its tables.
async function lookWithoutScript(page) {
  await ask("Emulation.setScriptExecutionDisabled", { value: true });
  await browser.open(page);
  await look(`${basename(page, ".html")}-plain`, "light", 900);
  const hidden = await run('document.querySelectorAll("table [hidden], .games button").length');
  if (hidden > 0) report(`${basename(page)} without script`, `${hidden} rows or buttons need the script`);
  await ask("Emulation.setScriptExecutionDisabled", { value: false });
}

try {
  for (const page of pages) {
    await lookAtPage(page);
    await lookWithoutScript(page);
  }
} catch (error) {
  report("look", error.message);
}
console.log(`looked at ${pages.length} pages, ${WIDTHS.length} widths, ${THEMES.length} themes: ${faults()} faults; pictures in ${folder}`);
browser.end(faults() ? 1 : 0);
