// The panel for playing: what can be done now, the tree of variations, the comment.

import { el } from "./dom.js";

const TYPING_MS = 500; // a comment is sent when nothing was typed for so long
const WORDS = { black: "Black", white: "White" };

export class PlayPanel {
  constructor(app) {
    this.app = app;
    this.title = "Play";
    this.status = el("p", { class: "status", id: "status" });
    this.actions = el("div", { class: "bar", id: "actions" });
    this.comment = el("textarea", { id: "comment", rows: 4, placeholder: "A comment on this move", "aria-label": "Comment" });
    this.comment.addEventListener("input", () => this.sendCommentSoon());
    this.comment.addEventListener("change", () => this.sendComment());
    this.comment.addEventListener("blur", () => this.isElsewhere() && this.show());
    addEventListener("pagehide", () => this.sendComment());
    this.element = el("div", { class: "panel" },
      this.status, this.actions,
      el("div", { class: "bar" },
        button("New game", () => app.openNewGame(), "n", "new"),
        button("Open", () => app.chooseFile(), "o", "open"),
        button("Save", () => app.save(), "w", "save")),
      el("h2", {}, "Variations"), app.tree.element,
      el("div", { class: "bar" }, button("Cut this branch", () => app.cut(), null, "cut")),
      el("h2", {}, "Comment"), this.comment);
  }

  show() {
    const { state } = this.app;
    this.status.replaceChildren(...statusText(this.app));
    this.showActions();
    if (document.activeElement !== this.comment) this.showComment(state);
  }

  // Not while one types: what is typed belongs to the node at which it was begun.
  showComment({ comment, node }) {
    this.comment.value = comment;
    this.sent = this.comment.value; // with the line ends that a browser knows
    this.commented = this.app.unsent.address(node);
  }

  // While one types: a page that is closed or reloaded tells nothing of what was not done.
  sendCommentSoon() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.sendComment(), TYPING_MS);
  }

  sendComment() {
    clearTimeout(this.timer);
    if (!this.commented || this.comment.value === this.sent) return;
    this.sent = this.comment.value;
    this.app.unsent.add(this.commented, this.sent);
  }

  // Tell whether another position is shown than the one of the comment.
  isElsewhere() {
    const { state, game } = this.app;
    return state.node !== this.commented.node || game.id !== this.commented.game;
  }

  // Only when they change: a button that is replaced while it is pressed loses the click.
  showActions() {
    const actions = this.actionsNow();
    const names = actions.map(([text]) => text).join();
    if (this.names === names) return;
    this.names = names;
    this.actions.replaceChildren(...actions.map((one) => button(...one)));
  }

  actionsNow() {
    const { app } = this;
    const { phase, passes } = app.state;
    const send = (type) => () => app.send(type);
    const undo = ["Undo", send("undo"), "u", "undo"];
    if (phase === "over") return [undo, ["Analyse this game", () => app.reviewGame(), null, "review-this"]];
    if (phase === "score" && passes) return [["Agree", send("accept"), "Enter", "accept"], ["Play on", send("resume"), "Esc", "resume"]];
    if (phase === "score") return [["Back", send("resume"), "Esc", "resume"], ["End the game so", send("accept"), null, "accept"]];
    return [
      ["Pass", () => app.play("pass"), "p", "pass"], undo,
      ["Hint", send("hint"), "h", "hint"], ["Score", send("score"), "s", "score"], ["Engine move", send("go"), "g", "go"],
      ...(app.game.watching ? [] : [["Resign", () => app.resign(), null, "resign"]])];
  }
}

export function button(text, action, key, id) {
  const title = key ? `${text} (${key})` : text;
  return el("button", { type: "button", onclick: action, title, id: id ? `do-${id}` : null },
    text, key && key.length === 1 ? el("kbd", {}, key) : null);
}

// What is to be said of the game as it stands.
export function statusText({ state, game, hint }) {
  if (state.phase === "score" && state.score) {
    const { black, white, result, compensation } = state.score;
    const stones = compensation ? ` and ${compensation} for handicap stones` : "";
    return [state.passes ? "" : "An estimate: ", el("b", {}, `${resultText(result)}. `),
      `Black ${black}, White ${white} points, komi ${game.komi}${stones}. Click a chain to call it dead or alive.`];
  }
  if (state.phase === "over") return [el("b", {}, resultText(state.result)), "."];
  const turn = `${WORDS[state.to_play]} to play`;
  const last = state.last ? ` after ${state.last}` : "";
  const said = [el("b", {}, `Move ${state.move}. `), `${turn}${last}.`];
  if (state.result) said.push(` The record says ${state.result}.`);
  if (hint) said.push(` Tengen would play ${hint.vertex} (${Math.round(100 * hint.value)}%).`);
  return said;
}

export function resultText(result) {
  if (result === "0") return "A draw";
  const [winner, margin] = result.split("+");
  const name = { B: "Black", W: "White" }[winner];
  if (!name || margin === undefined) return result;
  const how = { R: "by resignation", T: "on time", F: "by forfeit" }[margin[0]] ?? `by ${margin}`;
  return `${name} wins ${margin ? how : ""}`.trim();
}
