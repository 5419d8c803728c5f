// Remembers the position at which each opened record was left.

import { load, store } from "./storage.js";

const NAME = "reading places";
const MAX_PLACES = 60;
const KEY_MOVES = 60; // of the main line, which identify a record together with the players

export class ReadingPlace {
  constructor(app) {
    this.app = app;
    this.key = null;
    app.on("game", () => { this.key = null; });
    app.on("state", () => this.update());
  }

  // Go to the remembered position of a record that was just opened; afterwards remember the current one.
  update() {
    const { app } = this;
    if (!app.game.is_loaded) return;
    if (this.key) {
      this.remember();
      return;
    }
    this.key = this.recordKey();
    const node = app.tree.find(places()[this.key] ?? null);
    if (this.key in places() && node !== null) app.goTo(node);
  }

  recordKey() {
    const { game, tree } = this.app;
    const moves = tree.line(tree.root).slice(1, 1 + KEY_MOVES).map(({ vertex }) => vertex);
    return [game.black, game.white, game.columns, game.rows, ...moves].join(" ");
  }

  remember() {
    const { [this.key]: _, ...others } = places();
    const kept = Object.entries({ ...others, [this.key]: this.app.tree.moves(this.app.state.node) }).slice(-MAX_PLACES);
    store(NAME, JSON.stringify(Object.fromEntries(kept)));
  }
}

function places() {
  try {
    return JSON.parse(load(NAME)) ?? {};
  } catch {
    return {};
  }
}
