// SPDX-License-Identifier: MIT
// A user's way through the pages of `obworker serve`: signs in, creates tests and a tuning by the
// forms, watches them move, stops them, reads a fault, and does the same without script. Looks at each
// page on the way (eyes.mjs). The server has the engine Tiny in the repository "tiny", with the branches
// main, dev, tuned and faulty, no test, and a worker that plays. Nothing here depends on how fast.
//
//   node serve.mjs CHROMIUM FOLDER URL NAME PASSWORD_FILE
import { readFileSync } from "node:fs";
import { start } from "./browser.mjs";
import { eyes, THEMES, WIDTHS } from "./eyes.mjs";

const [chromium, folder, url, name, passwordFile] = process.argv.slice(2);
if (!passwordFile) {
  console.error("serve: usage: node serve.mjs CHROMIUM FOLDER URL NAME PASSWORD_FILE");
  process.exit(2);
}
const password = readFileSync(passwordFile, "utf8").split("\n")[0];
const PATIENCE_MS = 240000; // for what a worker or the server does in its own time
const LOOK_AGAIN_MS = 100;

const browser = await start(chromium, "serve");
const { ask, run, loaded } = browser;
const { report, faults, look, lookAtEach, lookOver, lookAtTroubles } = eyes(browser, folder);

// ---- What a user sees and does ----

const quoted = JSON.stringify;
const text = (selector) => run(`document.querySelector(${quoted(selector)})?.innerText.replace(/\\s+/g, " ").trim() ?? ""`);
const path = () => run("location.pathname");
const click = (selector) => loaded(() => run(`document.querySelector(${quoted(selector)}).click()`));

function expect(what, got, wanted) {
  if (got !== wanted) report("serve", `${what}: got '${got}', wanted '${wanted}'`);
}

function expectIn(what, got, wanted) {
  if (!got.includes(wanted)) report("serve", `${what}: '${wanted}' is not in '${got}'`);
}

async function open(address) {
  await browser.open(`${url}${address}`);
}

// Fills the fields of the page's form.
async function fill(fields) {
  for (const [field, value] of Object.entries(fields))
    await run(`(() => {
      const field = document.querySelector('main [name="${field}"]');
      field.value = ${quoted(value)};
      if (field.value !== ${quoted(value)}) throw new Error("${field} cannot be " + ${quoted(value)});
      field.dispatchEvent(new Event("change", { bubbles: true }));
    })()`);
}

const press = (words) => loaded(() => run(`(() => {
  const button = [...document.querySelectorAll("main button, main input[type=submit]")]
    .find((button) => (button.value + button.textContent).includes(${quoted(words)}));
  if (!button) throw new Error(${quoted(`no button '${words}'`)} + " at " + location.pathname + ": " + document.body.innerText);
  button.click();
})()`));

// Waits until the expression, evaluated in the page, is true. between: what is done before the page
// is asked again.
async function until(what, expression, between = async () => {}) {
  const end = performance.now() + PATIENCE_MS;
  while (!(await run(expression))) {
    if (performance.now() > end) throw new Error(`${what}: not within ${PATIENCE_MS / 1000} s: ${await text("main")}`);
    await new Promise((done) => setTimeout(done, LOOK_AGAIN_MS));
    await between();
  }
}

async function lookAt(picture) {
  await lookAtEach(picture);
  lookAtTroubles(picture, url);
}

// ---- The steps ----

async function signIn() {
  await open("/login/");
  await lookAt("login");
  await fill({ username: name, password: "a wrong one" });
  await press("Sign in");
  expectIn("after a wrong password", await text("[role=alert]"), "Unable to Authenticate User");
  await fill({ username: name, password });
  await press("Sign in");
  expect("after signing in", await path(), "/index/");
  await lookAt("index-empty");
}

// The plan of a test counts the machines that are there.
async function awaitMachine() {
  const openMachines = () => open("/machines/");
  await openMachines();
  await until("the worker registers", 'document.querySelector(".machines .chip.good") !== null', openMachines);
}

const SIDES = { dev_engine: "Tiny", base_engine: "Tiny", dev_repo: "/repo/tiny", base_repo: "/repo/tiny",
  base_branch: "main", dev_bench: "777", base_bench: "777" };

async function createTest() {
  await open("/test/new/?engine=Tiny");
  await fill({ ...SIDES, dev_branch: "dev", test_mode: "SPRT", test_bounds: "[0.00, 5.00]", upload_pgns: "COMPACT" });
  await press("How likely");
  expectIn("the plan", await text(".lines"), "games an hour");
  expect("the branch that was typed", await run('document.querySelector("[name=dev_branch]").value'), "dev");
  await lookAt("test-new-plan");
  await fill({ dev_branch: "no-such-branch" });
  await press("Create");
  expectIn("the answer to a branch that is none", await text("[role=alert]"), "no-such-branch");
  await fill({ dev_branch: "dev", test_mode: "GAMES", test_max_games: "1000000", info: "watched" });
  await press("Create");
  expect("after creating a test", await path(), "/index/");
  expectIn("the running tests", await text("#live"), "dev against main");
}

// The parameters come from the rows of the engine's tables that are ticked, and from what is typed.
async function createTuning() {
  await open("/tune/new/?engine=Tiny");
  await fill({ dev_engine: "Tiny", dev_repo: "/repo/tiny", dev_branch: "tuned", dev_bench: "777", spsa_inputs: "",
    spsa_iterations: "100000", spsa_pairs_per: "4" });
  const inputs = () => run('document.querySelector("[name=spsa_inputs]").value');
  await run('document.querySelector(".tick input").click()');
  expectIn("the line of a row that was ticked", await inputs(), await run('document.querySelector(".tick").dataset.row'));
  await lookAt("tune-new");
  await run('document.querySelector(".tick input").click()');
  expect("the lines after ticking it off", await inputs(), "");
  await fill({ spsa_inputs: "Value, int, 20, 0, 100, 10, 0.002\nIdle, int, 50, 0, 100, 10, 0.002" });
  await press("Create");
  expect("after creating a tuning", await path(), "/index/");
}

// Copies test 1 for the branch whose engine crashes. Its games come first.
async function createFaultyTest() {
  await open("/test/1/");
  await click('main a[href*="copy=1"]');
  expect("the copy's branch", await run('document.querySelector("[name=dev_branch]").value'), "dev");
  await fill({ dev_branch: "faulty", dev_bench: "777", base_bench: "777", test_max_games: "100", priority: "9", info: "" });
  await press("Create");
  expect("after creating a copy", await path(), "/index/");
}

// A page that moves is the same page: it is not loaded again.
async function watch(address, what, number) {
  await open(address);
  await run("window.isTheSame = true");
  const before = await run(number);
  await until(`a move of ${what} from ${before}`, `(${number}) > ${before}`);
  expect(`${what}: still the same page`, await run("window.isTheSame === true"), true);
}

const numberOf = (selector, pattern) =>
  `Number((document.querySelector(${quoted(selector)}).innerText.match(${pattern})?.[1] ?? "").replace(/\\D/g, ""))`;

async function stop(address, picture) {
  await open(address);
  await press("Stop");
  expect(`${address}: where stopping leads`, await path(), address);
  expectIn(`${address} after stopping`, await text("#live .chip"), "stopped");
  await lookAt(picture);
}

// The only machine draws its next test among those of the highest priority, so every test's turn
// comes, and comes sooner when others are stopped.
async function watchAndStop() {
  await watch("/test/1/", "the test", numberOf("#live", "/Games\\s+([\\d,]+)/"));
  await stop("/test/1/", "test");
  await watch("/tune/2/", "the tuning", numberOf("#live", "/Games\\s+([\\d,]+)/"));
  await watch("/index/", "the list of tests", `[...document.querySelectorAll(".tests td:nth-child(4) small")]
    .reduce((sum, cell) => sum + Number(cell.textContent.replace(/\\D/g, "")), 0)`);
  await lookAt("index");
  await stop("/tune/2/", "tune");
}

// A browser opens a broken stream again by itself. A tab that is hidden closes its stream, and opens another one when
// it is shown. The page looks then for what changed meanwhile, also where its first stream (early) had not begun yet.
// The script runs once more here, with streams that the test breaks. The page's own script closes and opens its stream
// too.
async function breakStream(early) {
  await open("/test/1/");
  await run(`(() => {
    const streams = [], real = window.fetch;
    window.EventSource = class extends EventTarget {
      static CLOSED = 2;
      readyState = 1;
      constructor() { super(); streams.push(this); }
      close() { this.closed = true; }
    };
    const script = document.createElement("script");
    script.src = document.querySelector("script[src]").src;
    script.onload = () => {
      const counts = [];
      let looks = 0, hidden = false;
      window.fetch = () => { looks++; return Promise.reject(new Error("counted")); };
      Object.defineProperty(document, "hidden", { configurable: true, get: () => hidden });
      const hideAndShow = () => {
        for (hidden of [true, false]) document.dispatchEvent(new Event("visibilitychange"));
      };
      const events = streams.length === 1 ? ["open", "error", "open"] : [];
      if (${early}) hideAndShow();
      for (const event of events) {
        streams.at(-1).dispatchEvent(new Event(event));
        counts.push(looks);
      }
      hideAndShow();
      streams.at(-1).dispatchEvent(new Event("open"));
      counts.push(looks);
      delete document.hidden;
      window.fetch = real;
      window.streams = streams.map((stream) => stream.closed ? "closed" : "open").join(" ");
      window.looks = counts.join(" ");
    };
    document.head.append(script);
  })()`);
  await until("the page's script runs again", "window.looks !== undefined");
  expect("looks at the opening of a page's stream, its break, its opening again, and the opening of the next one",
    await run("window.looks"), early ? "1 1 2 3" : "0 0 1 2");
  expect("the streams of a page that was hidden and shown", await run("window.streams"),
    early ? "closed closed closed open open" : "closed open open");
}

async function readFault() {
  await open("/test/3/");
  await until("the test of the faulty engine ends", '!document.querySelector(".facts, #live").innerText.includes("running")');
  await open("/test/3/");
  expectIn("the page of a test with faults", await text("#live"), "crash");
  await lookAt("test-faults");
  await open("/errors/?test=3");
  await lookAt("errors");
  await click('main a[href^="/event/"]');
  expectIn("the transcript of a fault", await text("pre.log"), "disconnects");
  await lookAt("event");
}

async function lookAround() {
  for (const page of ["datagen/new", "machines", "events", "engines", "books", "networks", "users", "profile", "search", "changes/1"]) {
    await open(page === "search" ? "/search/?q=tuned" : `/${page}/`);
    await lookOver(page.replace("/", "-"));
    lookAtTroubles(page, url);
  }
}

// All that a user needs works by links and forms alone.
async function withoutScript() {
  await ask("Emulation.setScriptExecutionDisabled", { value: true });
  await open("/test/new/?copy=3");
  await fill({ dev_branch: "dev", dev_bench: "777", base_bench: "777", info: "made without script" });
  await look("test-new-plain", "light", WIDTHS[0]);
  await press("Create");
  expectIn("the tests, without script", await text("#live"), "made without script");
  await look("index-plain", "light", WIDTHS[0]);
  await open("/test/4/");
  await press("Delete");
  expect("where deleting leads", await path(), "/test/4/");
  await look("test-deleted", "light", WIDTHS[0]);
  await press("Restore");
  await press("Delete");
  for (const [picture, address] of [["test-plain", "/test/3/"], ["tune-plain", "/tune/2/"]]) {
    await open(address);
    await look(picture, "dark", WIDTHS[0]);
  }
  await ask("Emulation.setScriptExecutionDisabled", { value: false });
}

async function signOut() {
  await loaded(() => run('document.querySelector(\'form[action="/logout/"] button\').click()'));
  expectIn("the bar after signing out", await text("nav"), "Sign in");
}

try {
  await signIn();
  await awaitMachine();
  await createTest();
  await createTuning();
  await createFaultyTest();
  await watchAndStop();
  await breakStream(false);
  await breakStream(true);
  await readFault();
  await lookAround();
  await withoutScript();
  await signOut();
} catch (error) {
  report("serve", error.message);
}
console.log(`a user's way, looked at in ${WIDTHS.length} widths and ${THEMES.length} themes: ${faults()} faults; pictures in ${folder}`);
browser.end(faults() ? 1 : 0);
