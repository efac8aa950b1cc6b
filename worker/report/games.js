// SPDX-License-Identifier: MIT
// The games of a match on a board. A cell of table.games with data-moves becomes a button that opens
// its game; the moves are in the form of results/gamemoves.h, and the row's data-fen is where both
// games began. Rows can be put in another order. Without script the table stays as it is.
(function () {
  "use strict";
  const table = document.querySelector("table.games");
  if (!table || !window.HTMLDialogElement) return;
  const START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
  const DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz-_";
  const GLYPHS = { K: "♔", Q: "♕", R: "♖", B: "♗", N: "♘", P: "♙", k: "♚", q: "♛", r: "♜", b: "♝", n: "♞", p: "♟" };
  const NAMES = { k: "king", q: "queen", r: "rook", b: "bishop", n: "knight", p: "pawn" };
  const MATE = 100000, MATE_MAX = 1000;
  const ROWS_AT_FIRST = 20;
  const body = table.tBodies[0];
  const rows = [...body.rows];

  // ---- Moves ----

  function readMoves(text) {
    const scores = [0, 0];
    const moves = [];
    let at = 0;
    const digit = () => DIGITS.indexOf(text.charAt(at++) || "0");
    const number = () => {
      let sum = 0;
      for (let scale = 1, more = true; more; scale *= 32) {
        const group = digit();
        sum += (group % 32) * scale;
        more = group >= 32;
      }
      return sum;
    };
    while (at < text.length) {
      const move = { from: digit(), to: digit() };
      const marks = digit();
      move.check = marks % 3;
      move.named = Math.floor(marks / 3) % 4;
      move.promotion = Math.floor(marks / 12);
      const folded = number();
      const mover = moves.length % 2;
      if (folded > 0) {
        const z = folded - 1;
        scores[mover] += z % 2 === 0 ? z / 2 : -(z + 1) / 2;
        move.score = scores[mover];
      }
      move.ms = number();
      moves.push(move);
    }
    return moves;
  }

  // 64 letters of pieces, "" where there is none, from a1 on; who moves first, and the first number.
  function readFen(fen) {
    const [places, color, , , , number] = fen.split(" ");
    const board = new Array(64).fill("");
    places.split("/").forEach((rank, i) => {
      let file = 0;
      for (const c of rank) {
        if (c >= "1" && c <= "8") file += Number(c);
        else board[(7 - i) * 8 + file++] = c;
      }
    });
    return { board, black: color === "b", number: Number(number) || 1 };
  }

  const squareName = (square) => "abcdefgh"[square % 8] + (Math.floor(square / 8) + 1);
  const isWhite = (piece) => piece !== "" && piece === piece.toUpperCase();
  const castles = (board, move) => board[move.from].toLowerCase() === "k" && board[move.to] !== ""
    && isWhite(board[move.to]) === isWhite(board[move.from]);
  const isEnPassant = (board, move) => board[move.from].toLowerCase() === "p" && board[move.to] === ""
    && move.from % 8 !== move.to % 8;

  function after(board, move) {
    const next = board.slice();
    const rank = move.from - (move.from % 8);
    next[move.from] = "";
    if (castles(board, move)) {
      const short = move.to > move.from;
      next[move.to] = "";
      next[rank + (short ? 6 : 2)] = board[move.from];
      next[rank + (short ? 5 : 3)] = board[move.to];
      return next;
    }
    if (isEnPassant(board, move)) next[rank + (move.to % 8)] = "";
    const promoted = " NBRQ"[move.promotion];
    next[move.to] = move.promotion === 0 ? board[move.from]
      : isWhite(board[move.from]) ? promoted : promoted.toLowerCase();
    return next;
  }

  function san(board, move) {
    const check = ["", "+", "#"][move.check];
    if (castles(board, move)) return (move.to > move.from ? "O-O" : "O-O-O") + check;
    const piece = board[move.from].toUpperCase();
    const takes = board[move.to] !== "" || isEnPassant(board, move);
    const from = squareName(move.from);
    const start = piece === "P" ? (takes ? from[0] : "")
      : piece + (move.named & 1 ? from[0] : "") + (move.named & 2 ? from[1] : "");
    return start + (takes ? "x" : "") + squareName(move.to) + (move.promotion ? "=" + " NBRQ"[move.promotion] : "") + check;
  }

  function scoreText(score) {
    if (score === undefined) return "";
    const mate = MATE - Math.abs(score);
    if (mate <= MATE_MAX) return (score > 0 ? "+M" : "-M") + mate;
    return (score > 0 ? "+" : "") + (score / 100).toFixed(2);
  }
  const timeText = (move) => move.score !== undefined || move.ms > 0 ? (move.ms / 1000).toFixed(move.ms < 10000 ? 3 : 1) + " s" : "";

  // ---- The dialog ----

  function make(tag, properties, ...children) {
    const element = Object.assign(document.createElement(tag), properties);
    element.append(...children);
    return element;
  }
  const button = (text, label, act) => {
    const made = make("button", { type: "button", textContent: text, title: label });
    made.setAttribute("aria-label", label);
    made.addEventListener("click", act);
    return made;
  };

  let game = null; // { cell, positions, moves, texts, at, white, black }
  let turned = false;
  const heading = make("h2", { id: "game-title" });
  const about = make("p", { className: "source" });
  const upper = make("p", { className: "player" });
  const lower = make("p", { className: "player" });
  const board = make("div", { className: "board" });
  board.setAttribute("role", "img");
  const squares = Array.from({ length: 64 }, () => make("span"));
  board.append(...squares);
  const said = make("p", { className: "said" });
  said.setAttribute("role", "status");
  const list = make("div", { className: "moves", tabIndex: 0 });
  list.setAttribute("role", "group");
  list.setAttribute("aria-label", "moves");
  const controls = make("div", { className: "controls" },
    button("«", "start (Home)", () => show(0)), button("‹", "back (←)", () => show(game.at - 1)),
    button("›", "on (→)", () => show(game.at + 1)), button("»", "end (End)", () => show(game.moves.length)),
    button("⇅", "turn the board (f)", turn), button("↑", "game before (↑)", () => step(-1)),
    button("↓", "next game (↓)", () => step(1)), button("✕", "close (Esc)", () => dialog.close()));
  const dialog = make("dialog", { className: "game" }, heading, about,
    make("div", { className: "play" }, make("div", {}, upper, board, lower, controls, said), list),
    make("p", { className: "keys" }, make("small", { textContent:
      "Keys: ← → one move, Home and End, ↑ ↓ another game, f turns the board, Esc closes. A score is the engine's own, from its side." })));
  dialog.setAttribute("aria-labelledby", "game-title");
  table.closest("section").append(dialog);

  function drawBoard() {
    const position = game.positions[game.at];
    const last = game.at > 0 ? game.moves[game.at - 1] : null;
    const pieces = [];
    for (let i = 0; i < 64; i++) {
      const square = turned ? i ^ 7 : i ^ 56;
      const piece = position[square];
      squares[i].textContent = piece === "" ? "" : GLYPHS[piece] + "\uFE0E";
      squares[i].className = ((square % 8 + Math.floor(square / 8)) % 2 === 0 ? "dark" : "light")
        + (last && (square === last.from || square === last.to) ? " last" : "");
      if (piece !== "") pieces.push(`${isWhite(piece) ? "white" : "black"} ${NAMES[piece.toLowerCase()]} ${squareName(square)}`);
    }
    board.setAttribute("aria-label", pieces.join(", "));
    upper.textContent = turned ? "White: " + game.white : "Black: " + game.black;
    lower.textContent = turned ? "Black: " + game.black : "White: " + game.white;
  }

  function show(at) {
    game.at = Math.min(Math.max(at, 0), game.moves.length);
    drawBoard();
    for (const marked of list.querySelectorAll("[aria-current]")) marked.removeAttribute("aria-current");
    if (game.at > 0) {
      const move = game.moves[game.at - 1];
      const entry = list.querySelector(`[data-at="${game.at}"]`);
      entry.setAttribute("aria-current", "true");
      list.scrollTop = entry.offsetTop - list.clientHeight / 2;
      said.textContent = [game.texts[game.at - 1], scoreText(move.score), timeText(move)].filter((t) => t).join("  ");
    } else said.textContent = "the opening";
  }

  function turn() {
    turned = !turned;
    drawBoard();
  }

  // Two to a line: where Black moves first, the first place stays empty.
  function listMoves(blackFirst) {
    list.replaceChildren(...(blackFirst ? [make("span")] : []));
    game.moves.forEach((move, i) => {
      const entry = make("button", { type: "button", tabIndex: -1 }, make("b", { textContent: game.texts[i] }),
        make("small", { textContent: [scoreText(move.score), timeText(move)].filter((t) => t).join(" ") }));
      entry.dataset.at = i + 1;
      entry.addEventListener("click", () => show(i + 1));
      list.append(entry);
    });
  }

  // Plays the cell's game through, and shows its beginning.
  function load(cell) {
    const row = cell.parentElement;
    const { board: start, black, number } = readFen(row.dataset.fen || START);
    const moves = readMoves(cell.dataset.moves);
    const positions = [start];
    const texts = moves.map((move, i) => {
      const before = positions[i];
      positions.push(after(before, move));
      const ply = i + (black ? 1 : 0);
      const count = number + Math.floor(ply / 2);
      return `${count}${ply % 2 === 0 ? "." : "…"} ${san(before, move)}`;
    });
    const names = [table.dataset.dev, table.dataset.base];
    const second = cell.cellIndex === 3 ? 1 : 0;
    game = { cell, positions, moves, texts, at: 0, white: names[second], black: names[1 - second] };
    heading.textContent = `Opening ${row.cells[0].textContent.trim()}, game ${second + 1}`;
    about.textContent = `dev ${cell.textContent.trim()}`;
    listMoves(black);
    show(0);
  }

  const cells = () => [...body.querySelectorAll("td[data-moves]")];

  function step(by) {
    const all = cells();
    const next = all[all.indexOf(game.cell) + by];
    if (next) load(next);
  }

  dialog.addEventListener("close", () => {
    showRows();
    game.cell.querySelector("button").focus();
  });
  const KEYS = {
    ArrowLeft: () => show(game.at - 1), ArrowRight: () => show(game.at + 1),
    Home: () => show(0), End: () => show(game.moves.length),
    ArrowUp: () => step(-1), ArrowDown: () => step(1), f: turn,
  };
  dialog.addEventListener("keydown", (event) => {
    if (!KEYS[event.key] || event.ctrlKey || event.altKey || event.metaKey) return;
    event.preventDefault();
    KEYS[event.key]();
  });

  // ---- The table ----

  for (const cell of cells()) {
    const opener = make("button", { type: "button", className: "open" }, ...cell.childNodes);
    opener.addEventListener("click", () => {
      load(cell);
      dialog.showModal();
    });
    cell.append(opener);
  }

  const value = (row, key) => Number(row.dataset[key]);
  const ORDERS = {
    "most interesting first": () => 0,
    "lost pairs first": (row) => value(row, "points"),
    "won pairs first": (row) => -value(row, "points"),
    "faults first": (row) => -value(row, "faults"),
    "longest games first": (row) => -value(row, "plies"),
    "in the order of the book": (row) => value(row, "pair"),
  };
  const order = make("select", { id: "games-order" }, ...Object.keys(ORDERS).map((name) => make("option", { textContent: name })));
  const all = button(`Show all ${table.dataset.listed} openings`, `Show all ${table.dataset.listed} openings`, () => {
    shown = rows.length;
    showRows();
  });
  let shown = ROWS_AT_FIRST;
  function showRows() {
    [...body.rows].forEach((row, i) => { row.hidden = i >= shown && !(game && row === game.cell.parentElement); });
    all.hidden = shown >= rows.length;
  }
  order.addEventListener("change", () => {
    const key = ORDERS[order.value];
    body.append(...rows.slice().sort((a, b) => key(a) - key(b)));
    showRows();
  });
  table.before(make("p", { className: "order" }, make("label", { htmlFor: "games-order", textContent: "Order: " }), order));
  table.after(all);
  showRows();
})();
