// The Review tab: win rate and score lead over the game, and the largest mistakes.

import { drawChart } from "./chart.js";
import { button, el, percent, svg } from "./dom.js";

const INTRODUCTION = "Searches every position of the main line and lists the largest mistakes.";
const NO_MOVES = "There are no moves to review. Play some, or open a game.";
const EFFORTS = [["100", "quick"], ["500", "normal"], ["3000", "thorough"]];
const DEFAULT_EFFORT = "500";
const COLORS = ["black", "white"];

export class ReviewPanel {
  constructor(app) {
    this.app = app;
    this.title = "Review";
    this.review = null;
    this.chart = null;
    this.chartElement = svg("svg", { class: "chart", id: "chart" });
    this.progress = el("progress", { max: 1, value: 0, hidden: true, "aria-label": "Positions searched" });
    this.info = el("p", { class: "quiet-text", id: "review-info" }, INTRODUCTION);
    this.visits = el("select", { id: "visits" }, EFFORTS.map(([value, text]) =>
      el("option", { value, selected: value === DEFAULT_EFFORT }, `${text} (${value} simulations)`)));
    this.mistakes = el("div", { id: "mistakes" });
    this.element = el("div", { class: "panel" },
      el("label", {}, el("span", {}, "Search"), this.visits),
      el("div", { class: "bar" },
        button("Review game", () => this.start(), null, "review"),
        button("Stop", () => app.send("review", { on: false }), null, "review-stop")),
      this.progress, this.info, this.chartElement, this.mistakes);
  }

  // Start a review unless one of the current main line is running or complete.
  startUnlessDone() {
    const { tree } = this.app;
    const isCurrentLine = this.review?.nodes.at(-1) === tree.end(tree.root);
    if (!isCurrentLine || !(this.review.running || this.review.moves.length)) this.start();
  }

  start() {
    if (this.app.tree.length) this.app.send("review", { on: true, visits: Number(this.visits.value) });
    else this.info.textContent = NO_MOVES;
  }

  receive(review) {
    this.review = review;
    if (this.app.tab === this) this.show();
  }

  clear() {
    this.review = this.listed = null;
    this.chart?.stop();
    this.chart = null;
    this.chartElement.replaceChildren();
    this.mistakes.replaceChildren();
    this.progress.hidden = true;
    this.info.textContent = INTRODUCTION;
  }

  show() {
    const { review } = this;
    if (!review) return;
    const isDone = review.moves.length > 0;
    this.progress.hidden = !review.running;
    this.progress.value = review.done / review.total;
    this.info.textContent = isDone ? summaryText(review) : progressText(review);
    const gap = Array(review.total - review.done).fill(null);
    const series = [
      { name: "Black win rate", values: [...review.positions.map((one) => one.winrate), ...gap], low: 0, high: 1, middle: 0.5, format: percent },
      { name: "Black lead", values: [...review.positions.map((one) => one.lead), ...gap], axis: "right", middle: 0, format: (value) => value.toFixed(1) },
    ];
    const options = { current: this.indexOf(this.app.state.node), marks: mistakeMarks(review), label: "Win rate and score lead of Black by move", onSelect: (index) => this.goTo(index) };
    if (this.chart) this.chart.update(series, options);
    else this.chart = drawChart(this.chartElement, series, options);
    this.listMistakes(isDone ? COLORS : []);
  }

  // Rebuild the tables only for a new review: a replaced row would lose focus.
  listMistakes(colors) {
    if (this.listed === this.review) return;
    this.listed = this.review;
    this.mistakes.replaceChildren(...colors.map((color) => this.mistakeTable(color)));
  }

  // Return the index of a node in the reviewed line; for a variation, of its branching point.
  indexOf(node) {
    const path = this.app.tree.path(node);
    return Math.max(0, ...path.map((step) => this.review.nodes.indexOf(step)));
  }

  // Return rings around the played and the better move where a mistake was made.
  rings(node) {
    const { nodes, players, moves } = this.review ?? { nodes: [], players: {}, moves: [] };
    const numbers = Object.values(players).flatMap((player) => player.largest_mistakes);
    const number = numbers.find((one) => nodes[one - 1] === node);
    if (number === undefined) return [];
    const { move, best } = moves[number - 1];
    return [[move, "played"], ...(best ? [[best, "better"]] : [])];
  }

  mistakeTable(color) {
    const { players, moves } = this.review;
    const player = players[color];
    const rows = player.largest_mistakes.map((number) => this.mistakeRow(moves[number - 1]));
    const name = color === "black" ? "Black" : "White";
    const agreement = player.agreement === null ? "" : `, ${percent(player.agreement)} agreement with the engine`;
    return el("section", {}, el("h3", {}, `${name}: ${countText(player.mistakes, "mistake")} in ${countText(player.moves, "move")}${agreement}`),
      rows.length ? el("table", { class: "mistakes" },
        el("thead", {}, el("tr", {}, ["move", "win rate", "points", "better"].map((text) => el("th", {}, text)))), el("tbody", {}, rows)) : null);
  }

  mistakeRow(move) {
    const index = move.number - 1;
    return el("tr", { tabindex: 0, "data-move": move.number, onclick: () => this.goTo(index), onkeydown: (event) => this.handleKey(event, index) },
      el("th", { scope: "row" }, `${move.number} ${move.move}`), el("td", {}, `−${percent(move.winrate_loss)}`),
      el("td", {}, move.points_loss < 0.05 ? "–" : `−${move.points_loss.toFixed(1)}`), el("td", {}, move.best ?? ""));
  }

  // Enter goes to the move; it must not reach the page, where it accepts a score.
  handleKey(event, index) {
    if (event.key !== "Enter") return;
    event.stopPropagation();
    this.goTo(index);
  }

  goTo(index) {
    const node = this.review.nodes[index];
    if (node !== undefined) this.app.goTo(node);
  }
}

function countText(count, noun) {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}

function mistakeMarks({ players, moves }) {
  return COLORS.flatMap((color) => (players[color]?.largest_mistakes ?? []).map((number) =>
    ({ index: number, label: `${number} ${moves[number - 1].move}`, kind: color })));
}

function progressText({ running, done, total }) {
  if (total === 1) return NO_MOVES;
  return running ? `Searched ${done} of ${total} positions…` : `Stopped after ${done} of ${total} positions.`;
}

function summaryText({ total, positions }) {
  const visits = Math.max(...positions.map((one) => one.visits));
  return `${total} positions, up to ${visits.toLocaleString("en")} visits each. Click the chart or a row to go to a move.`;
}
