// SPDX-License-Identifier: MIT
// Looks at pages as readers do: in a headless Chromium, narrow, middling and wide, light and dark.
// Makes a screenshot of each and says what is wrong with the layout: what overflows, texts that lie
// on each other or are cut off, charts without lines or labels, too little contrast, drawings
// without words for those who do not see them, requests to anywhere.
//
//   node look.mjs CHROMIUM FOLDER PAGE.html ...
//
// Talks to the browser over a pipe (--remote-debugging-pipe); needs nothing but node itself.
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

const WIDTHS = [360, 800, 1400];
const THEMES = ["light", "dark"];
const PATIENCE_MS = 300000; // without a word from the browser

const [chromium, folder, ...pages] = process.argv.slice(2);
if (pages.length === 0) {
  console.error("look: usage: node look.mjs CHROMIUM FOLDER PAGE.html ...");
  process.exit(2);
}

// ---- The browser ----

const profile = mkdtempSync(join(tmpdir(), "look-"));
const flags = ["--headless", "--remote-debugging-pipe", "--disable-gpu", "--no-first-run",
  "--disable-dev-shm-usage", "--disable-extensions", "--disable-background-networking",
  "--hide-scrollbars", `--user-data-dir=${profile}`];
if (process.getuid() === 0) flags.push("--no-sandbox");
const browser = spawn(chromium, [...flags, "about:blank"],
  { stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"] });
const [toBrowser, fromBrowser] = [browser.stdio[3], browser.stdio[4]];
const waiting = new Map();
const heard = [];
let nextId = 1;
let rest = "";
fromBrowser.setEncoding("utf8");
fromBrowser.on("data", (data) => {
  watch.refresh();
  const messages = (rest + data).split("\0");
  rest = messages.pop();
  for (const text of messages) {
    const message = JSON.parse(text);
    if (waiting.has(message.id)) waiting.get(message.id)(message);
    else heard.push(message);
    waiting.delete(message.id);
  }
});
toBrowser.on("error", () => {});

function ask(method, params = {}, sessionId = undefined) {
  const id = nextId++;
  return new Promise((done, failed) => {
    waiting.set(id, (answer) => answer.error
      ? failed(new Error(`${method}: ${answer.error.message}`)) : done(answer.result));
    toBrowser.write(JSON.stringify({ id, method, params, sessionId }) + "\0");
  });
}

// The browser's own children may still write there for a moment.
function leave(status) {
  try {
    rmSync(profile, { recursive: true, force: true });
    process.exit(status);
  } catch (error) {
    if (error.code !== "ENOTEMPTY") throw error;
    setTimeout(() => leave(status), 50);
  }
}

function end(status) {
  browser.kill("SIGKILL");
  browser.on("exit", () => {
    leave(status);
  });
  setTimeout(() => process.exit(status), 5000);
}
browser.on("error", (error) => { console.error(`look: ${chromium}: ${error.message}`); process.exit(3); });
const watch = setTimeout(() => { console.error("look: the browser does not answer"); end(3); }, PATIENCE_MS);
watch.unref();

// ---- What is looked for: runs in the page ----

function probe() {
  const faults = [];
  const width = document.documentElement.clientWidth;
  const say = (element, words) => {
    const text = element.textContent.trim().replace(/\s+/g, " ").slice(0, 40);
    faults.push(`<${element.tagName.toLowerCase()} class="${element.getAttribute("class") ?? ""}"> '${text}': ${words}`);
  };
  if (document.documentElement.scrollWidth > width)
    faults.push(`the page is ${document.documentElement.scrollWidth} px wide, the window ${width}`);
  const hidden = (element) => element.closest(".sr,[hidden],script,style") !== null
    || getComputedStyle(element).visibility === "hidden" || element.getClientRects().length === 0;

  // Texts: within the window, not on each other, not cut off, readable.
  const texts = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const element = node.parentElement;
    if (!node.textContent.trim() || hidden(element)) continue;
    const range = document.createRange();
    for (const word of node.textContent.matchAll(/(?<![A-Za-z0-9])[A-Za-z]{2,14}(?![A-Za-z0-9])/g)) {
      range.setStart(node, word.index);
      range.setEnd(node, word.index + word[0].length);
      if (new Set([...range.getClientRects()].map((rect) => Math.round(rect.top))).size > 1) say(element, `'${word[0]}' is broken in two`);
    }
    range.selectNodeContents(node);
    for (const rect of range.getClientRects()) if (rect.width > 0) texts.push({ element, rect });
  }
  for (const { element, rect } of texts)
    if (rect.left < -0.5 || rect.right > width + 0.5) say(element, `reaches from ${rect.left} to ${rect.right} of ${width}`);
  for (const { element, rect } of texts) {
    const card = (element.closest(".facts div,section,header") ?? document.body).getBoundingClientRect();
    if (rect.left < card.left - 0.5 || rect.right > card.right + 0.5) say(element, `leaves its card, which ends at ${card.right}, by reaching ${rect.right}`);
  }
  for (let i = 0; i < texts.length; i++)
    for (let k = i + 1; k < texts.length; k++) {
      const [a, b] = [texts[i], texts[k]];
      const across = Math.min(a.rect.right, b.rect.right) - Math.max(a.rect.left, b.rect.left);
      const down = Math.min(a.rect.bottom, b.rect.bottom) - Math.max(a.rect.top, b.rect.top);
      if (a.element !== b.element && across > 1 && down > 4) say(a.element, `lies on '${b.element.textContent.trim().slice(0, 40)}'`);
    }
  for (const element of document.querySelectorAll("main *")) {
    const style = getComputedStyle(element);
    if (!hidden(element) && style.overflowX !== "visible" && !(element instanceof SVGElement) && element.scrollWidth > element.clientWidth + 1)
      say(element, `has ${element.scrollWidth} px in ${element.clientWidth}`);
  }
  const parse = (color) => (color.match(/[\d.]+/g) ?? []).map(Number);
  const over = (top, below) => { const a = top[3] ?? 1; return [0, 1, 2].map((i) => top[i] * a + below[i] * (1 - a)); };
  const ground = (element) => {
    if (!element) return matchMedia("(prefers-color-scheme: dark)").matches ? [0, 0, 0] : [255, 255, 255];
    const color = parse(getComputedStyle(element).backgroundColor);
    return (color[3] ?? 1) === 1 && color.length ? color : over(color.length ? color : [0, 0, 0, 0], ground(element.parentElement));
  };
  const light = (color) => {
    const [r, g, b] = color.map((c) => (c /= 255) <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  for (const element of new Set(texts.map((text) => text.element))) {
    const [one, other] = [light(over(parse(getComputedStyle(element).color), ground(element))), light(ground(element))];
    const contrast = (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);
    if (contrast < 4.5) say(element, `contrast ${contrast.toFixed(2)}`);
  }

  // Charts have lines, labels and words.
  for (const figure of document.querySelectorAll("figure.chart")) {
    const line = figure.querySelector("path.line");
    if (line) {
      const box = line.getBBox();
      if (!(box.width > 500)) say(figure, `its line is ${box.width} wide`);
      if (/nan|inf/i.test(line.getAttribute("d"))) say(figure, "its line has no numbers");
    } else if (!figure.querySelector(".dot")) say(figure, "is empty");
    if (figure.querySelectorAll(".ys span").length < 3) say(figure, "has no labels of y");
    if (figure.querySelectorAll(".xs span").length < 2) say(figure, "has no labels of x");
    const area = figure.querySelector(".area").getBoundingClientRect();
    if (area.width < 150 || area.height < 100) say(figure, `is ${area.width} by ${area.height}`);
    if (!(figure.getAttribute("aria-label") ?? "").match(/\d/)) say(figure, "says nothing to those who do not see it");
  }
  for (const table of document.querySelectorAll("table.bars"))
    if (![...table.querySelectorAll("rect.full")].some((bar) => bar.getBoundingClientRect().width > 20)) say(table, "has no bars");
  for (const drawing of document.querySelectorAll("svg"))
    if (drawing.getAttribute("aria-hidden") !== "true" && !drawing.getAttribute("aria-label")) say(drawing, "has no words");
  for (const head of document.querySelectorAll("th"))
    if (!head.hasAttribute("scope")) say(head, "is the head of nothing");
  if (document.querySelectorAll("h1").length !== 1) faults.push("there must be one <h1>");

  // Keys alone are enough.
  const copy = document.getElementById("copy");
  if (copy) {
    copy.focus();
    if (document.activeElement !== copy) say(copy, "keys do not reach it");
    const outline = getComputedStyle(copy);
    if (copy.matches(":focus-visible") && outline.outlineStyle === "none") say(copy, "does not show that it has the focus");
    copy.blur();
  }
  return { faults, height: document.documentElement.scrollHeight };
}

// ---- One page after another ----

let faults = 0;
async function look(session, page, theme, width) {
  const name = `${basename(page, ".html")}-${width}-${theme}`;
  await ask("Emulation.setDeviceMetricsOverride", { width, height: 900, deviceScaleFactor: 1, mobile: width < 500 }, session);
  await ask("Emulation.setEmulatedMedia", { features: [{ name: "prefers-color-scheme", value: theme }] }, session);
  const { result, exceptionDetails } = await ask("Runtime.evaluate", { expression: `(${probe})()`, returnByValue: true }, session);
  if (exceptionDetails) throw new Error(exceptionDetails.exception.description);
  for (const fault of result.value.faults) {
    console.error(`${name}: ${fault}`);
    faults++;
  }
  const height = Math.ceil(result.value.height);
  await ask("Emulation.setDeviceMetricsOverride", { width, height, deviceScaleFactor: 1, mobile: width < 500 }, session);
  const shot = await ask("Page.captureScreenshot", { format: "png" }, session);
  writeFileSync(join(folder, `${name}.png`), Buffer.from(shot.data, "base64"));
}

try {
  const { targetId } = await ask("Target.createTarget", { url: "about:blank" });
  const { sessionId } = await ask("Target.attachToTarget", { targetId, flatten: true });
  await ask("Page.enable", {}, sessionId);
  await ask("Network.enable", {}, sessionId);
  for (const page of pages) {
    const url = pathToFileURL(resolve(page)).href;
    heard.length = 0;
    await ask("Page.navigate", { url }, sessionId);
    while (!heard.some((message) => message.method === "Page.loadEventFired")) await new Promise((done) => setTimeout(done, 20));
    for (const theme of THEMES) for (const width of WIDTHS) await look(sessionId, page, theme, width);
    for (const message of heard)
      if (message.method === "Network.requestWillBeSent" && message.params.request.url !== url) {
        console.error(`${basename(page)}: asks for ${message.params.request.url}`);
        faults++;
      }
  }
} catch (error) {
  console.error(`look: ${error.message}`);
  faults++;
}
console.log(`looked at ${pages.length} pages, ${WIDTHS.length} widths, ${THEMES.length} themes: ${faults} faults; pictures in ${folder}`);
end(faults ? 1 : 0);
