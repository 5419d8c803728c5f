// Backups of recent games in the browser, for games that the library of the server does not have.

import { load, remove, store, storedNames } from "./storage.js";

const DELAY_MS = 1000;
const MAX_BACKUPS = 8;
const PREFIX = "game ";
const LOST_GAME = "lost game";

let timer = null;

// Back up a game after a delay, so that successive changes cause one request.
export function scheduleBackup(id) {
  clearTimeout(timer);
  timer = setTimeout(() => backUp(id), DELAY_MS);
}

export function deleteBackup(id) {
  clearTimeout(timer);
  remove(PREFIX + id);
}

// Remember a game that the server no longer has, until the user restores or discards it.
export function rememberLostGame(id) {
  store(LOST_GAME, id);
}

export function forgetLostGame() {
  remove(LOST_GAME);
}

// Return the lost game as SGF, or null.
export function lostGame() {
  return read(PREFIX + load(LOST_GAME))?.sgf ?? null;
}

async function backUp(id) {
  try {
    const response = await fetch(`/games/${id}.sgf`);
    if (response.ok) write(id, await response.text());
  } catch {
    // No connection: the previous backup stays.
  }
}

function write(id, sgf) {
  store(PREFIX + id, JSON.stringify({ at: Date.now(), sgf }));
  const names = storedNames().filter((name) => name.startsWith(PREFIX));
  names.sort((a, b) => read(b).at - read(a).at);
  for (const name of names.slice(MAX_BACKUPS)) remove(name);
}

function read(name) {
  return JSON.parse(load(name));
}
