// The Play tab: game actions, variation tree and comment.

import { button, el, percent } from "./dom.js";

const TYPING_PAUSE_MS = 500; // a comment is sent after a pause of this length
const NAMES = { black: "Black", white: "White" };

export class PlayPanel {
  constructor(app) {
    this.app = app;
    this.title = "Play";
    this.status = el("p", { class: "status", id: "status" });
    this.actions = el("div", { class: "bar", id: "actions" });
    this.comment = el("textarea", { id: "comment", rows: 4, placeholder: "Comment on this move", "aria-label": "Comment" });
    this.comment.addEventListener("input", () => this.scheduleComment());
    this.comment.addEventListener("change", () => this.sendComment());
    this.comment.addEventListener("blur", () => this.hasMoved() && this.show());
    addEventListener("pagehide", () => this.sendComment());
    this.element = el("div", { class: "panel" },
      this.status, this.actions,
      el("div", { class: "bar" },
        button("New game", () => app.openNewGame(), "n", "new"),
        button("Open", () => app.chooseFile(), "o", "open"),
        button("Save", () => app.save(), "w", "save")),
      el("h2", {}, "Variations"), app.tree.element,
      el("div", { class: "bar" }, button("Delete branch", () => app.deleteBranch(), null, "delete-branch")),
      el("h2", {}, "Comment"), this.comment);
  }

  show() {
    const { state } = this.app;
    this.status.replaceChildren(...statusText(this.app));
    this.showActions();
    // While typing, the text belongs to the node where typing began.
    if (document.activeElement !== this.comment) this.showComment(state);
  }

  showComment({ comment, node }) {
    this.comment.value = comment;
    this.sent = this.comment.value; // with line ends as the browser normalizes them
    this.commentAddress = this.app.pendingComments.address(node);
  }

  // Send while typing, since a page that is closed may not get another chance.
  scheduleComment() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.sendComment(), TYPING_PAUSE_MS);
  }

  sendComment() {
    clearTimeout(this.timer);
    if (!this.commentAddress || this.comment.value === this.sent) return;
    this.sent = this.comment.value;
    this.app.pendingComments.add(this.commentAddress, this.sent);
  }

  // Whether the displayed position is not the one of the comment.
  hasMoved() {
    const { state, game } = this.app;
    return state.node !== this.commentAddress.node || game.id !== this.commentAddress.game;
  }

  // Replace the buttons only when they change: a button replaced while pressed loses the click.
  showActions() {
    const actions = this.availableActions();
    const names = actions.map(([text]) => text).join();
    if (this.names === names) return;
    this.names = names;
    this.actions.replaceChildren(...actions.map((one) => button(...one)));
  }

  availableActions() {
    const { app } = this;
    const { phase, both_passed: bothPassed } = app.state;
    const send = (type) => () => app.send(type);
    const undo = ["Undo", send("undo"), "u", "undo"];
    if (phase === "over") return [undo, ["Review this game", () => app.reviewGame(), null, "review-this"]];
    if (phase === "scoring" && bothPassed) return [["Accept", send("accept_score"), "Enter", "accept"], ["Resume play", send("resume_play"), "Esc", "resume"]];
    if (phase === "scoring") return [["Back", send("resume_play"), "Esc", "resume"], ["End game with this score", send("accept_score"), null, "accept"]];
    if (app.estimate) return [["Back", () => app.closeEstimate(), "Esc", "close-estimate"], ["Count as finished", () => app.send("score", { is_final: true }), null, "count"]];
    return [
      ["Pass", () => app.play("pass"), "p", "pass"], undo,
      ["Hint", send("hint"), "h", "hint"], ["Score", send("score"), "s", "score"], ["Engine move", send("engine_move"), "g", "engine-move"],
      ...(app.game.is_loaded ? [] : [["Resign", () => app.resign(), null, "resign"]])];
  }
}

function statusText({ state, game, hint, estimate }) {
  if (state.phase === "scoring" && state.score) {
    const { black, white, result, handicap_compensation: compensation } = state.score;
    const bonus = compensation ? ` and ${compensation} for handicap stones` : "";
    return [el("b", {}, `${resultText(result)}. `),
      `Black ${black} points, White ${white} points, komi ${game.komi}${bonus}. Click a chain to toggle dead or alive.`];
  }
  if (state.phase === "over") return [el("b", {}, resultText(state.result)), "."];
  if (estimate) return ["Estimate: ", el("b", {}, `${estimate.text}. `), "The game is not settled: shading shows the probable owner of each point."];
  const last = state.last && state.last !== "pass" ? ` after ${state.last}` : "";
  const text = [el("b", {}, `Move ${state.move}. `), `${NAMES[state.to_play]} to play${last}.`];
  if (state.result) text.push(` Recorded result: ${state.result}.`);
  if (hint) text.push(` Hint: ${hint.vertex} (${percent(hint.value)} win rate for ${NAMES[hint.color]}, ${hint.visits.toLocaleString("en")} visits).`);
  return text;
}

export function resultText(result) {
  if (result === "0") return "Draw";
  const [winner, margin] = result.split("+");
  const name = { B: "Black", W: "White" }[winner];
  if (!name || margin === undefined) return result;
  const how = { R: "by resignation", T: "on time", F: "by forfeit" }[margin[0]] ?? `by ${margin}`;
  return `${name} wins ${margin ? how : ""}`.trim();
}
