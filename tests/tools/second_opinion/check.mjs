// SPDX-License-Identifier: MIT
// A second opinion on games: a rules library that is not this project's reads PGN files and agrees,
// or not, with every move, check, ending and result, and with the position each game begins with.
//
//   node check.mjs FILE...        exit status 0: it agrees with all of them; 1: it does not
//
// Besides the rules it holds the text to what it should look like, token by token, since the
// library's own reader passes over what it does not understand.
import { readFileSync } from 'node:fs';
import { castlingSide } from 'chessops/chess';
import { makeFen } from 'chessops/fen';
import { emptyHeaders, parsePgn, startingPosition } from 'chessops/pgn';
import { makeSan, parseSan } from 'chessops/san';
import { parseUci } from 'chessops/util';

const TOLD_MAX = 10;
const LINE_MAX = 80;
const FIFTY_MOVES = 100; // plies
const ROSTER = ['Event', 'Site', 'Date', 'Round', 'White', 'Black', 'Result'];

const SCORE = String.raw`(?:0\.00|[+-]\d+\.\d\d|\+M\d*[13579]|-M\d*[02468])`;
const DETAILS = String.raw`(?: \d+\.\d{3}s,?)?(?: n=\d+)?(?:,? sd=\d+)?(?:, hashfull=\d+)?(?:, pv=(?<pv>[^,]+))?`;
const COMMENT = new RegExp(String.raw`^(?:book|unknown|${SCORE}/\d+${DETAILS})(?:, line=.*)?$`);

const other = color => (color === 'white' ? 'black' : 'white');
const wins = color => (color === 'white' ? '1-0' : '0-1');

// How games end: what the reason looks like, the Termination that goes with it, and who wins, given
// the colour that the reason begins with (undefined: nobody).
const ENDINGS = [
  { reason: /^(White|Black) mates$/, termination: 'normal', rule: 'mate', winner: c => c },
  { reason: /^Draw by stalemate$/, termination: 'normal', rule: 'stalemate' },
  { reason: /^Draw by fifty moves rule$/, termination: 'normal', rule: 'fifty' },
  { reason: /^Draw by 3-fold repetition$/, termination: 'normal', rule: 'repetition' },
  { reason: /^Draw by insufficient mating material$/, termination: 'normal', rule: 'material' },
  { reason: /^Draw by adjudication(?:: SyzygyTB|: move limit)?$/, termination: 'adjudication' },
  { reason: /^(White|Black) wins by adjudication(?:: SyzygyTB)?$/, termination: 'adjudication', winner: c => c },
  { reason: /^(White|Black) loses on time \(\d+ms overrun\)$/, termination: 'time forfeit', winner: other, mover: true },
  { reason: /^(White|Black) makes an illegal move: (.*)$/, termination: 'illegal move', winner: other, mover: true },
  { reason: /^(White|Black) disconnects$/, termination: 'abandoned', winner: other },
  { reason: /^(White|Black)'s connection stalls$/, termination: 'stalled connection', winner: other },
];

class Disagreement extends Error {}
const claim = (holds, what) => {
  if (!holds) throw new Disagreement(what);
};
const claimEqual = (got, wanted, what) => claim(got === wanted, `${what}: '${got}' is not '${wanted}'`);

// Bare kings, one minor piece, or two bishops on squares of one colour, whoever owns them.
const cannotMate = board => {
  const others = board.occupied.diff(board.king);
  if (others.size() > 2 || others.intersects(board.pawn.union(board.rook).union(board.queen))) return false;
  if (others.size() < 2) return true;
  const shade = square => (square ^ (square >> 3)) & 1;
  const [first, second] = [...others];
  return others.diff(board.bishop).isEmpty() && shade(first) === shade(second);
};

// What ends the game in this position by the rules of chess, in the order in which they are asked.
const verdictOf = (pos, timesSeen) => {
  if (pos.halfmoves >= FIFTY_MOVES && !pos.isCheckmate()) return 'fifty';
  if (cannotMate(pos.board)) return 'material';
  if (timesSeen >= 3) return 'repetition';
  if (pos.isCheckmate()) return 'mate';
  return pos.isStalemate() ? 'stalemate' : undefined;
};

// The position without its counters; the en passant square only when it can be captured on.
const identityOf = pos => makeFen(pos.toSetup(), { epd: true });

// The start position as it should be written: Shredder letters for the rooks in Chess960.
const fenOf = (pos, chess960) => {
  const fields = makeFen(pos.toSetup()).split(' ');
  const letters = color =>
    [...pos.castles.castlingRights.intersect(pos.board[color])].map(s => 'abcdefgh'[s & 7]).reverse().join('');
  if (chess960) fields[2] = letters('white').toUpperCase() + letters('black') || '-';
  return fields.join(' ');
};

// The tags as they stand there: the library's reader corrects some.
const tagsOf = text => new Map([...text.matchAll(/^\[(\w+) "(.*)"\]$/gm)].map(match => match.slice(1)));

const checkTags = (text, tags) => {
  // The reference games are without dates.
  const roster = ROSTER.filter(name => name !== 'Date' || tags.has(name));
  claimEqual([...tags.keys()].slice(0, roster.length).join(' '), roster.join(' '), 'the first tags');
  for (const line of text.split('\n').filter(line => !line.startsWith('[')))
    claim(line.length <= LINE_MAX || !line.includes(' '), `a line of ${line.length} characters: ${line}`);
  claimEqual(tags.has('FEN'), tags.has('SetUp'), 'SetUp beside FEN');
};

// The reason at the end of the last comment, and what is before it.
const splitReason = comment => {
  for (const part of [comment, ...[...comment.matchAll(/, /g)].map(at => comment.slice(at.index + 2))])
    for (const ending of ENDINGS) {
      const match = part.match(ending.reason);
      if (match) return { ending, match, rest: comment.slice(0, -part.length).replace(/, $/, '') };
    }
  throw new Disagreement(`'${comment}' names no ending`);
};

// The principal variation told with a move: it begins with the move, and each of its moves is legal.
const checkVariation = (pos, san, pv, where) => {
  const after = pos.clone();
  const words = pv.split(' ');
  claimEqual(words[0], san, `${where}: the variation begins with`);
  for (const word of words) {
    const move = parseSan(after, word);
    claim(move, `${where}: ${word} of the variation is not legal`);
    claimEqual(word, makeSan(after, move), `${where}: the variation`);
    after.play(move);
  }
};

const checkEnding = (pos, verdict, { ending, match }, tags) => {
  const color = match[1]?.toLowerCase();
  claimEqual(ending.rule ?? 'none', verdict ?? 'none', 'what ends the game by the rules');
  const result = ending.winner ? wins(ending.winner(color)) : '1/2-1/2';
  claimEqual(tags.get('Result'), result, 'the result');
  if (tags.has('Termination')) claimEqual(tags.get('Termination'), ending.termination, 'the termination');
  if (ending.rule === 'mate') claimEqual(color, other(pos.turn), 'who mates');
  if (ending.mover) claimEqual(color, pos.turn, 'whose turn it is');
  const move = ending.termination === 'illegal move' && parseUci(match[2]);
  claim(!move || !pos.isLegal(move), `${match[2]} is legal`);
};

// Plays a game through; returns what was seen in it. Throws a Disagreement.
const checkGame = text => {
  const games = parsePgn(text, emptyHeaders);
  claimEqual(games.length, 1, 'games where one is');
  const { headers, comments, moves } = games[0];
  const tags = tagsOf(text);
  const chess960 = tags.get('Variant') === 'Chess960';
  checkTags(text, tags);
  const pos = startingPosition(headers).unwrap();
  if (tags.has('FEN')) claimEqual(tags.get('FEN'), fenOf(pos, chess960), 'the start position');

  const line = [...moves.mainline()];
  const said = line.map(node => (node.comments ?? []).join(' ').replace(/\s+/g, ' '));
  const closing = splitReason(line.length ? said[line.length - 1] : (comments ?? []).join(' '));
  if (line.length) said[line.length - 1] = closing.rest;
  if (tags.has('PlyCount')) claimEqual(line.length, Number(tags.get('PlyCount')), 'the moves');

  const seen = new Map([[identityOf(pos), 1]]);
  let verdict = verdictOf(pos, 1);
  const counts = { games: 1, moves: line.length, checks: 0, castlings: 0 };
  const tokens = [];
  line.forEach((node, i) => {
    if (pos.turn === 'white' || i === 0) tokens.push(`${pos.fullmoves}.${pos.turn === 'white' ? '' : '..'}`);
    const where = `ply ${i + 1}, ${node.san}`;
    const book = said[i] === 'book';
    claim(book || !verdict, `${where}: the game was over before: ${verdict}`);
    const comment = COMMENT.exec(said[i]);
    claim(comment, `${where}: the comment '${said[i]}'`);
    if (comment.groups.pv) checkVariation(pos, node.san, comment.groups.pv, where);
    const move = parseSan(pos, node.san);
    claim(move, `${where}: is not legal`);
    const san = makeSan(pos, move);
    claimEqual(node.san, san, where);
    tokens.push(san);
    counts.castlings += castlingSide(pos, move) !== undefined;
    pos.play(move);
    counts.checks += pos.isCheck();
    const key = identityOf(pos);
    seen.set(key, (seen.get(key) ?? 0) + 1);
    verdict = verdictOf(pos, seen.get(key));
  });
  const body = text.replace(/^\[.*\n/gm, '').replace(/\{[^}]*\}/g, ' ').trim();
  claimEqual(body.split(/\s+/).join(' '), [...tokens, tags.get('Result')].join(' '), 'the moves as text');
  checkEnding(pos, verdict, closing, tags);
  return counts;
};

const total = { games: 0, moves: 0, checks: 0, castlings: 0 };
const files = process.argv.slice(2);
let faults = 0;
for (const file of files) {
  const games = readFileSync(file, 'utf8').split(/^(?=\[Event )/m).filter(text => text.trim());
  if (!games.length) console.error(`${file}: no game`);
  faults += !games.length;
  games.forEach((text, i) => {
    try {
      const counts = checkGame(text);
      for (const key in total) total[key] += counts[key];
    } catch (error) {
      if (++faults > TOLD_MAX) return;
      const round = text.match(/^\[Round "(.*)"\]/m)?.[1];
      console.error(`${file}: game ${i + 1} (round ${round}): ${error.message}`);
    }
  });
}
if (!files.length) console.error('usage: node check.mjs FILE...');
if (faults > TOLD_MAX) console.error(`and ${faults - TOLD_MAX} more`);
if (faults || !files.length) process.exit(1);
console.log(
  `second opinion: ${total.games} games agree (${total.moves} moves, ${total.checks} checks, ` +
    `${total.castlings} castlings)`
);
