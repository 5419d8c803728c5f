// The Play tab: state of the game and game actions.

import { button, el, percent } from "./dom.js";

const NAMES = { black: "Black", white: "White" };

export class PlayPanel {
  constructor(app) {
    this.app = app;
    this.name = "play";
    this.title = "Play";
    this.icon = "circle-dot";
    this.status = el("p", { class: "status", id: "status" });
    this.actions = el("div", { class: "bar", id: "actions" });
    this.element = el("div", { class: "panel" },
      this.status, this.actions,
      el("div", { class: "bar" },
        button("New game", () => app.openNewGame(), "n", "new"),
        button("Open", () => app.openFile(), "o", "open"),
        button("Save", () => app.save(), "w", "save")));
  }

  show() {
    const { state } = this.app;
    this.status.replaceChildren(...statusText(this.app));
    this.showActions();
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
