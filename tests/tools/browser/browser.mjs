// SPDX-License-Identifier: MIT
// A headless Chromium, talked to over a pipe (--remote-debugging-pipe); needs nothing but node itself.
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

const PATIENCE_MS = 300000; // without a word from the browser, and for a page to load
const TEMPORARY_LONGEST = 40; // characters: the path of a socket in a folder of the profile has to fit into 107
const LAST_WORDS = 2000; // characters of the browser's own messages that are kept

// Starts it. What comes back:
//   ask(method, parameters)  sends a command about the one page, and gives the answer
//   run(expression)          evaluates it in the page, and gives its value
//   open(path)               loads a file, or an address that begins with http
//   loaded(act)              does what makes the page load another, and waits until that is there
//   requests()               the addresses that the page asked for since open or loaded, its own left out
//   troubles()               the errors of scripts and of requests since open or loaded, a line each
//   end(status)              ends the browser and this program
export async function start(chromium, who) {
  const temporary = tmpdir().length <= TEMPORARY_LONGEST ? tmpdir() : "/tmp";
  const profile = mkdtempSync(join(temporary, `${who}-`));
  const flags = ["--headless", "--remote-debugging-pipe", "--disable-gpu", "--no-first-run",
    "--disable-dev-shm-usage", "--disable-extensions", "--disable-background-networking",
    "--hide-scrollbars", `--user-data-dir=${profile}`];
  if (process.getuid() === 0) flags.push("--no-sandbox");
  // All that the browser and its libraries write goes away with the profile.
  const env = { ...process.env, HOME: profile, XDG_CONFIG_HOME: profile, XDG_CACHE_HOME: profile, TMPDIR: profile };
  const browser = spawn(chromium, [...flags, "about:blank"],
    { env, stdio: ["ignore", "ignore", "pipe", "pipe", "pipe"] });
  const [toBrowser, fromBrowser] = [browser.stdio[3], browser.stdio[4]];
  const waiting = new Map();
  const heard = [];
  let nextId = 1;
  let rest = "";
  let url = "";
  let lastWords = "";

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

  // Says why there is no browser any more, and ends the program.
  function giveUp(words) {
    console.error(`${who}: ${words}; the browser's last messages:\n${lastWords || "(none)"}`);
    end(3);
  }

  function end(status) {
    browser.removeAllListeners("exit");
    if (browser.exitCode !== null || browser.signalCode !== null) return leave(status);
    browser.on("exit", () => leave(status));
    browser.kill("SIGKILL");
    setTimeout(() => process.exit(status), 5000);
  }

  browser.on("error", (error) => { console.error(`${who}: ${chromium}: ${error.message}`); process.exit(3); });
  browser.on("exit", (status, signal) => giveUp(`${chromium} ended by itself (${signal ?? `status ${status}`})`));
  browser.stderr.setEncoding("utf8");
  browser.stderr.on("data", (data) => { lastWords = (lastWords + data).slice(-LAST_WORDS); });
  const watch = setTimeout(() => giveUp(`the browser has not answered for ${PATIENCE_MS / 1000} s`), PATIENCE_MS);
  watch.unref();
  fromBrowser.setEncoding("utf8");
  fromBrowser.on("data", (data) => {
    watch.refresh();
    const messages = (rest + data).split("\0");
    rest = messages.pop();
    for (const text of messages) {
      const message = JSON.parse(text);
      if (message.method === "Inspector.targetCrashed") giveUp("the page's process has crashed");
      if (waiting.has(message.id)) waiting.get(message.id)(message);
      else heard.push(message);
      waiting.delete(message.id);
    }
  });
  toBrowser.on("error", () => {});

  function send(method, params, sessionId) {
    const id = nextId++;
    return new Promise((done, failed) => {
      waiting.set(id, (answer) => answer.error
        ? failed(new Error(`${method}: ${answer.error.message}`)) : done(answer.result));
      toBrowser.write(JSON.stringify({ id, method, params, sessionId }) + "\0");
    });
  }

  const { targetId } = await send("Target.createTarget", { url: "about:blank" });
  const { sessionId } = await send("Target.attachToTarget", { targetId, flatten: true });
  const ask = (method, params = {}) => send(method, params, sessionId);
  await ask("Inspector.enable");
  await ask("Page.enable");
  await ask("Network.enable");
  await ask("Runtime.enable");
  await ask("Log.enable");

  async function run(expression) {
    const { result, exceptionDetails } = await ask("Runtime.evaluate", { expression, returnByValue: true });
    if (exceptionDetails) throw new Error(`${exceptionDetails.exception.description.split("\n")[0]} in ${expression.replace(/\s+/g, " ").slice(0, 200)}`);
    return result.value;
  }

  async function loaded(act) {
    const end = performance.now() + PATIENCE_MS;
    heard.length = 0;
    await act();
    while (!heard.some((message) => message.method === "Page.loadEventFired")) {
      if (performance.now() > end) throw new Error(`no page was loaded within ${PATIENCE_MS / 1000} s`);
      await new Promise((done) => setTimeout(done, 20));
    }
  }

  async function open(path) {
    url = path.startsWith("http") ? path : pathToFileURL(resolve(path)).href;
    await loaded(async () => {
      const { errorText } = await ask("Page.navigate", { url });
      if (errorText) throw new Error(`${url}: ${errorText}`);
    });
  }

  const requests = () => heard.filter((message) => message.method === "Network.requestWillBeSent")
    .map((message) => message.params.request.url).filter((asked) => asked !== url);

  function trouble({ method, params }) {
    if (method === "Runtime.exceptionThrown") return params.exceptionDetails.exception?.description ?? params.exceptionDetails.text;
    if (method === "Runtime.consoleAPICalled" && params.type === "error") return params.args.map((arg) => arg.value).join(" ");
    if (method === "Log.entryAdded" && params.entry.level === "error") return `${params.entry.text} ${params.entry.url ?? ""}`;
    return "";
  }

  const troubles = () => heard.map(trouble).filter((words) => words !== "");
  return { ask, run, open, loaded, requests, troubles, end };
}
