// SPDX-License-Identifier: MIT
// Looks at the page that a browser shows: narrow, middling and wide, light and dark. Makes a
// screenshot of each look and says what is wrong with the layout: what overflows, texts that lie on
// each other or are cut off, charts without lines or labels, too little contrast, drawings without
// words for those who do not see them, errors of scripts, requests to anywhere.
import { writeFileSync } from "node:fs";
import { basename, join } from "node:path";

export const WIDTHS = [400, 900, 1400];
export const THEMES = ["light", "dark"];

// ---- What is looked for: runs in the page ----

function probe() {
  const faults = [];
  const width = document.documentElement.clientWidth;
  const root = document.querySelector("dialog[open]") ?? document.body; // what lies under a dialog is not looked at
  const say = (element, words) => {
    const text = element.textContent.trim().replace(/\s+/g, " ").slice(0, 40);
    faults.push(`<${element.tagName.toLowerCase()} class="${element.getAttribute("class") ?? ""}"> '${text}': ${words}`);
  };
  if (document.documentElement.scrollWidth > width)
    faults.push(`the page is ${document.documentElement.scrollWidth} px wide, the window ${width}`);
  const folded = (element) => element.closest("details:not([open])") !== null && element.closest("summary") === null;
  const hidden = (element) => element.closest(".sr,[hidden],script,style") !== null || folded(element)
    || getComputedStyle(element).visibility === "hidden" || element.getClientRects().length === 0;

  // Texts: within the window, not on each other, not cut off, readable.
  const texts = [];
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const element = node.parentElement;
    if (!node.textContent.trim() || hidden(element)) continue;
    const range = document.createRange();
    if (!element.closest("pre.log")) for (const word of node.textContent.matchAll(/(?<![A-Za-z0-9])[A-Za-z]{2,14}(?![A-Za-z0-9])/g)) {
      range.setStart(node, word.index);
      range.setEnd(node, word.index + word[0].length);
      if (new Set([...range.getClientRects()].map((rect) => Math.round(rect.top))).size > 1) say(element, `'${word[0]}' is broken in two`);
    }
    range.selectNodeContents(node);
    const frame = element.closest(".moves")?.getBoundingClientRect();
    const scrolledAway = (rect) => frame && (rect.bottom > frame.bottom || rect.top < frame.top);
    for (const rect of range.getClientRects()) if (rect.width > 0 && !scrolledAway(rect)) texts.push({ element, rect });
  }
  for (const { element, rect } of texts)
    if (rect.left < -0.5 || rect.right > width + 0.5) say(element, `reaches from ${rect.left} to ${rect.right} of ${width}`);
  for (const { element, rect } of texts) {
    const card = (element.closest("dialog,.facts div,section,header") ?? document.body).getBoundingClientRect();
    if (rect.left < card.left - 0.5 || rect.right > card.right + 0.5) say(element, `leaves its card, which ends at ${card.right}, by reaching ${rect.right}`);
  }
  for (let i = 0; i < texts.length; i++)
    for (let k = i + 1; k < texts.length; k++) {
      const [a, b] = [texts[i], texts[k]];
      const across = Math.min(a.rect.right, b.rect.right) - Math.max(a.rect.left, b.rect.left);
      const down = Math.min(a.rect.bottom, b.rect.bottom) - Math.max(a.rect.top, b.rect.top);
      if (a.element !== b.element && across > 1 && down > 4) say(a.element, `lies on '${b.element.textContent.trim().slice(0, 40)}'`);
    }
  for (const part of root.querySelectorAll(".interval .range, .interval .arrow path")) {
    const bar = part.getBoundingClientRect();
    for (const { element, rect } of texts)
      if (bar.left < rect.right - 0.5 && rect.left < bar.right - 0.5 && bar.top < rect.bottom && rect.top < bar.bottom) say(element, "lies under a bar");
  }
  for (const element of root.querySelectorAll("*")) {
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
      if (!(box.x + box.width > 990)) say(figure, `its line ends at ${box.x + box.width} of 1000`);
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
  if (copy && !copy.hidden && root.contains(copy)) {
    copy.focus();
    if (document.activeElement !== copy) say(copy, "keys do not reach it");
    const outline = getComputedStyle(copy);
    if (copy.matches(":focus-visible") && outline.outlineStyle === "none") say(copy, "does not show that it has the focus");
    copy.blur();
  }
  return { faults, height: document.documentElement.scrollHeight };
}

// ---- Looks ----

// Eyes for the browser, whose pictures go into the folder:
//   report(name, words)      says a fault and counts it
//   faults()                 the number of faults
//   look(name, theme, width, whole)  one picture of what the page shows now, and what is wrong with
//                            it; whole: of all of the page, not of the window
//   lookAtEach(name, whole)  the same at each width, light and dark
//   lookOver(name)           the same at each width, but dark at the first alone
//   lookAtTroubles(name, origin)  scripts' errors, and requests to others than the origin ("-": none
//                            may be asked), since the page was opened
export function eyes(browser, folder) {
  const { ask, run } = browser;
  let count = 0;

  function report(name, words) {
    console.error(`${name}: ${words}`);
    count++;
  }

  async function look(name, theme, width, whole = true) {
    const file = `${basename(name, ".html")}-${width}-${theme}`;
    const size = { width, deviceScaleFactor: 1, mobile: width < 500 };
    await ask("Emulation.setDeviceMetricsOverride", { ...size, height: 900 });
    await ask("Emulation.setEmulatedMedia", { features: [{ name: "prefers-color-scheme", value: theme }] });
    const seen = await run(`(${probe})()`);
    for (const fault of seen.faults) report(file, fault);
    if (whole) await ask("Emulation.setDeviceMetricsOverride", { ...size, height: Math.ceil(seen.height) });
    const shot = await ask("Page.captureScreenshot", { format: "png" });
    writeFileSync(join(folder, `${file}.png`), Buffer.from(shot.data, "base64"));
  }

  async function lookAtEach(name, whole = true) {
    for (const theme of THEMES) for (const width of WIDTHS) await look(name, theme, width, whole);
  }

  async function lookOver(name) {
    for (const width of WIDTHS) await look(name, "light", width);
    await look(name, "dark", WIDTHS[0]);
  }

  function lookAtTroubles(name, origin) {
    for (const asked of browser.requests()) if (!asked.startsWith(`${origin}/`)) report(name, `asks for ${asked}`);
    for (const trouble of browser.troubles()) report(name, trouble);
  }

  return { report, faults: () => count, look, lookAtEach, lookOver, lookAtTroubles };
}
