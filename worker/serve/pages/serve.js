// SPDX-License-Identifier: MIT
// The pages work without this script. With it they follow the tests, and copy blocks.
(function () {
"use strict";

function copyButtons() {
  const button = document.getElementById("copy");
  const block = document.getElementById("block");
  const said = document.getElementById("copied");
  if (!button || !block) return;
  button.hidden = false;
  button.addEventListener("click", function () {
    const range = document.createRange();
    range.selectNodeContents(block);
    const selection = getSelection();
    selection.removeAllRanges();
    selection.addRange(range);
    const done = function () { said.textContent = " Copied."; };
    const chosen = function () {
      said.textContent = document.execCommand("copy") ? " Copied." : " Selected: copy it with your keys.";
    };
    if (navigator.clipboard && isSecureContext)
      navigator.clipboard.writeText(block.textContent).then(done, chosen);
    else chosen();
  });
}

// Replaces the part of the page that changes, unless the reader has opened or selected something in it.
function busy(part) {
  const selection = getSelection();
  return part.querySelector("details[open]") || part.contains(document.activeElement) ||
    (selection && !selection.isCollapsed && part.contains(selection.anchorNode));
}

function follow() {
  const part = document.getElementById("live");
  if (!part || !window.EventSource) return;
  let late = false;
  async function renew() {
    if (document.hidden || busy(part)) { late = true; return; }
    late = false;
    try {
      const answer = await fetch(part.dataset.part);
      late = answer.status === 429 || answer.status >= 500; // a fault that passes
      if (!answer.ok || answer.redirected) return;
      part.innerHTML = await answer.text();
      copyButtons();
    } catch (fault) { late = true; }
  }
  // A stream tells what changes from its beginning on: what changed before another stream began is
  // looked for. A server that has no room for one more stream is asked again after a minute.
  // A browser has six connections to a server for all its tabs together, so a tab that nobody sees
  // keeps no stream.
  let again = document.hidden;
  let source = null;
  function open() {
    if (source || document.hidden) return;
    const stream = source = new EventSource(part.dataset.live);
    stream.addEventListener("open", function () { if (again) renew(); again = true; });
    stream.addEventListener("change", renew);
    stream.addEventListener("error", function () {
      again = true;
      if (stream.readyState !== EventSource.CLOSED) return;
      source = null;
      setTimeout(open, 60000);
    });
  }
  document.addEventListener("visibilitychange", function () {
    if (document.hidden && source) {
      source.close();
      source = null;
      again = true;
    }
    open();
    if (late) renew();
  });
  open();
  setInterval(function () { if (late) renew(); }, 3000);
}

// A tuning's lines from the rows that are ticked.
function tunable() {
  const inputs = document.querySelector("textarea[name=spsa_inputs]");
  if (!inputs) return;
  document.querySelectorAll("[data-spsa]").forEach(function (label) {
    const box = document.createElement("input");
    box.type = "checkbox";
    box.checked = inputs.value.split("\n").some(function (line) {
      return line.split(",")[0].trim() === label.dataset.row;
    });
    label.prepend(box, " ");
    box.addEventListener("change", function () {
      const lines = inputs.value.split("\n").filter(function (line) {
        return line.trim() !== "" && line.split(",")[0].trim() !== label.dataset.row;
      });
      if (box.checked) lines.push(label.dataset.spsa);
      inputs.value = lines.join("\n");
    });
  });
}

copyButtons();
follow();
tunable();
})();
