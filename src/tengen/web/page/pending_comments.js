// Queue of comments that have not reached the server. A comment waits until its game is available.
//
// Comments are addressed by node and by the moves that lead to it: a restored game has other node numbers.

import { toast } from "./dom.js";
import { t } from "./translation.js";

export class PendingComments {
  constructor(app) {
    this.app = app;
    this.queue = [];
  }

  // Return the address of a comment on a node of the current game.
  address(node) {
    return { game: this.app.game.id, node, moves: this.app.tree.moves(node) };
  }

  add(address, text) {
    const comment = { ...address, text };
    this.app.savedChanges = null;
    const others = this.queue.filter(({ game, node }) => game !== address.game || node !== address.node);
    const isFirst = others.length === this.queue.length;
    this.queue = [...others, comment];
    this.flush();
    if (isFirst && this.queue.includes(comment)) toast(t("tree.comment_waits"));
  }

  // Send all comments that can be sent.
  flush() {
    this.queue = this.queue.filter((comment) => !this.send(comment));
  }

  // Address all comments to the game that was restored.
  readdress(game) {
    for (const comment of this.queue) comment.game = game;
    this.flush();
  }

  send({ game, node, moves, text }) {
    const { connection, tree } = this.app;
    const target = tree.moves(node) === moves ? node : tree.find(moves);
    if (!connection.isOpen || game !== this.app.game.id || target === null) return false;
    connection.send("comment", { node: target, text });
    return true;
  }
}
