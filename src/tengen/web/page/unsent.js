// Comments on their way to the server. One that cannot be sent waits for its game to be back.
//
// Each knows the moves that lead to its node: a game that is taken back has other numbers.

import { toast } from "./dom.js";

export class Unsent {
  constructor(app) {
    this.app = app;
    this.waiting = [];
  }

  // Return where a comment that is begun now belongs.
  address(node) {
    return { game: this.app.game.id, node, moves: this.app.tree.moves(node) };
  }

  add(address, text) {
    const comment = { ...address, text };
    this.app.saved = null; // before the server counts it
    const others = this.waiting.filter(({ game, node }) => game !== address.game || node !== address.node);
    const isFirst = others.length === this.waiting.length;
    this.waiting = [...others, comment];
    this.flush();
    if (isFirst && this.waiting.includes(comment)) toast("The comment is kept on this page, and sent when its game is back.");
  }

  // Send what can be sent.
  flush() {
    this.waiting = this.waiting.filter((comment) => !this.send(comment));
  }

  // The games of a server that ended go on as this one.
  readdress(game) {
    for (const comment of this.waiting) comment.game = game;
    this.flush();
  }

  send({ game, node, moves, text }) {
    const { link, tree } = this.app;
    const place = tree.moves(node) === moves ? node : tree.find(moves);
    if (!link.isOpen || game !== this.app.game.id || place === null) return false;
    link.send("comment", { node: place, text });
    return true;
  }
}
