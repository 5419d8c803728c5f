// The newest record of this tab's game, kept in the browser: a server that ends forgets its games.

import { forget, keep, kept, keptNames } from "./storage.js";

const WAIT_MS = 1000;
const MOST_KEPT = 8;
const PREFIX = "game ";
const LOST = "lost game";

let timer = null;

// Keep a game soon; changes that come one upon another are fetched once.
export function keepGameSoon(id) {
  clearTimeout(timer);
  timer = setTimeout(() => fetchGame(id), WAIT_MS);
}

// Forget a game in which nothing was done yet.
export function forgetGame(id) {
  clearTimeout(timer);
  forget(PREFIX + id);
}

// A game that the server does not know is lost until somebody says what shall become of it.
export function loseGame(id) {
  keep(LOST, id);
}

export function findGame() {
  forget(LOST);
}

// Return the record of the lost game as SGF, or null.
export function lostGame() {
  return read(PREFIX + kept(LOST))?.sgf ?? null;
}

async function fetchGame(id) {
  try {
    const answer = await fetch(`/games/${id}.sgf`);
    if (answer.ok) store(id, await answer.text());
  } catch {
    // No connection: what was kept before stays.
  }
}

function store(id, sgf) {
  keep(PREFIX + id, JSON.stringify({ at: Date.now(), sgf }));
  const names = keptNames().filter((name) => name.startsWith(PREFIX));
  names.sort((a, b) => read(b).at - read(a).at);
  for (const name of names.slice(MOST_KEPT)) forget(name);
}

function read(name) {
  return JSON.parse(kept(name));
}
