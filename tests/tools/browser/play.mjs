// SPDX-License-Identifier: MIT
// Plays the games of a page on its board, by keys and by buttons, and prints the moves of each as
// "ROUND GAME MOVE ...": ROUND is the pair's number from 1, GAME 1 or 2.
//
//   node play.mjs CHROMIUM PAGE.html
import { start } from "./browser.mjs";

const [chromium, page] = process.argv.slice(2);
if (!page) {
  console.error("play: usage: node play.mjs CHROMIUM PAGE.html");
  process.exit(2);
}
const browser = await start(chromium, "play");
const { ask, run } = browser;
let faults = 0;

function expect(what, got, wanted) {
  if (got === wanted) return;
  console.error(`play: ${what}: got '${got}', wanted '${wanted}'`);
  faults++;
}

const ESCAPE = 27; // the dialog's own key needs its number too

async function press(key, text) {
  const event = { key, windowsVirtualKeyCode: key === "Escape" ? ESCAPE : 0 };
  await ask("Input.dispatchKeyEvent", { ...event, type: "keyDown", text });
  await ask("Input.dispatchKeyEvent", { ...event, type: "keyUp" });
}

const text = (selector) => run(`document.querySelector(${JSON.stringify(selector)}).textContent`);
const click = (selector) => run(`document.querySelector(${JSON.stringify(selector)}).click()`);
const isOpen = () => run('document.querySelector("dialog").open');
const current = () => run('document.querySelector("[aria-current] b")?.textContent ?? ""');
const position = () => run('document.querySelector(".board").getAttribute("aria-label")');
const moveCount = () => run('document.querySelectorAll(".moves b").length');
const move = (n) => run(`document.querySelectorAll(".moves b")[${n}].textContent`);
const names = () => run('[...document.querySelectorAll(".player")].map((player) => player.textContent)');
const shownRows = () => run('[...document.querySelectorAll(".games tbody tr")].filter((row) => !row.hidden).length');
const column = (key) => run(`[...document.querySelectorAll(".games tbody tr")].map((row) => Number(row.dataset.${key}))`);

// With keys alone: to the first game, through it, to the next and back.
async function playByKeys() {
  await run('document.querySelector(".games .open").focus()');
  await press("Enter", "\r");
  expect("Enter opens a game", await isOpen(), true);
  const start = await position();
  expect("men at the start", start.split(", ").length, 32);
  expect("no move yet", await current(), "");
  await press("ArrowRight");
  expect("the first move", await current(), await move(0));
  await press("ArrowRight");
  await press("ArrowLeft");
  expect("one on, one back", await current(), await move(0));
  await press("End");
  expect("the last move", await current(), await move(await moveCount() - 1));
  const said = await text(".said");
  expect(`'${said}' has the move`, said.startsWith(await move(await moveCount() - 1)), true);
  expect(`'${said}' has a score and a time`, /[+-]?(\d+\.\d\d|M\d+) +\d+\.\d+ s$/.test(said), true);
  await press("ArrowRight");
  expect("nothing behind the last move", await current(), await move(await moveCount() - 1));
  await press("Home");
  expect("the start again", await position(), start);
  const first = await text("#game-title");
  await press("ArrowDown");
  expect(`${first}: another game`, await text("#game-title") !== first, true);
  await press("ArrowUp");
  expect("and back", await text("#game-title"), first);
  const players = await names();
  await press("f");
  expect("the board is turned", (await names()).join(), players.reverse().join());
  await press("f");
  await press("Escape");
  expect("Escape closes", await isOpen(), false);
  expect("the focus is back", await run('document.activeElement === document.querySelector(".games .open")'), true);
}

// With the buttons: on, back, end, start, the move that is clicked.
async function playByButtons() {
  const button = (n) => `.game .controls button:nth-child(${n})`;
  await click(".games .open");
  await click(button(3));
  expect("on", await current(), await move(0));
  await click(button(2));
  expect("back", await current(), "");
  await click(button(4));
  expect("end", await current(), await move(await moveCount() - 1));
  await click(".moves button:nth-of-type(3)");
  expect("a move of the list", await current(), await move(2));
  await click(button(1));
  expect("start", await current(), "");
  await click(button(8));
  expect("close", await isOpen(), false);
}

// The table: few rows at first, then all, in each order.
async function order() {
  const listed = await run('document.querySelectorAll(".games tbody tr").length');
  expect("rows at first", await shownRows(), Math.min(listed, 20));
  if (listed > 20) await click(".games+button");
  expect("all rows", await shownRows(), listed);
  const orders = { "lost pairs first": ["points", 1], "won pairs first": ["points", -1], "faults first": ["faults", -1],
    "longest games first": ["plies", -1], "in the order of the book": ["pair", 1] };
  for (const [name, [key, sign]] of Object.entries(orders)) {
    await run(`(() => {
      const order = document.getElementById("games-order");
      order.value = ${JSON.stringify(name)};
      order.dispatchEvent(new Event("change"));
    })()`);
    const got = await column(key);
    expect(name, got.join(), got.slice().sort((a, b) => sign * (a - b)).join());
  }
}

// Every game's moves as the page writes them.
const ALL_MOVES = `[...document.querySelectorAll(".games td[data-moves]")].map((cell) => {
  cell.querySelector("button").click();
  const moves = [...document.querySelectorAll(".moves b")].map((move) => move.textContent.replace(/^.* /, ""));
  document.querySelector(".game .controls button:nth-child(8)").click();
  return [Number(cell.parentElement.dataset.pair) + 1, cell.cellIndex - 1, ...moves].join(" ");
}).join("\\n")`;

try {
  await browser.open(page);
  await playByKeys();
  await playByButtons();
  await order();
  console.log(await run(ALL_MOVES));
} catch (error) {
  console.error(`play: ${error.message}`);
  faults++;
}
browser.end(faults ? 1 : 0);
