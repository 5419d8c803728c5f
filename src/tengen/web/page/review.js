// The panel for looking a game over: win rate and score over the moves, and where it was lost.

import { drawChart } from "./chart.js";
import { el, svg } from "./dom.js";
import { percent } from "./look.js";
import { button } from "./play.js";

const BEFORE = "Every position of the main line is searched; the moves that lost most are listed.";
const EMPTY = "There are no moves yet to analyse: play some, or open a game.";

export class ReviewPanel {
  constructor(app) {
    this.app = app;
    this.title = "Analyse";
    this.found = null;
    this.chart = null;
    this.picture = svg("svg", { class: "chart", id: "chart" });
    this.progress = el("progress", { max: 1, value: 0, hidden: true, "aria-label": "Positions looked at" });
    this.info = el("p", { class: "quiet-text", id: "review-info" }, BEFORE);
    this.visits = el("select", { id: "visits" }, [["100", "quick"], ["500", "careful"], ["3000", "thorough"]].map(([value, text]) =>
      el("option", { value, selected: value === "500" }, `${text} (${value} simulations)`)));
    this.mistakes = el("div", { id: "mistakes" });
    this.element = el("div", { class: "panel" },
      el("label", {}, el("span", {}, "Search"), this.visits),
      el("div", { class: "bar" },
        button("Analyse the game", () => this.begin(), null, "review"),
        button("Stop", () => app.send("review", { on: false }), null, "review-stop")),
      this.progress, this.info, this.picture, this.mistakes);
  }

  // Go over the game unless that was done, or goes on, for this very line.
  beginUnlessDone() {
    const { tree } = this.app;
    const isThisLine = this.found?.nodes.at(-1) === tree.end(tree.start());
    if (!isThisLine || !(this.found.running || this.found.moves.length)) this.begin();
  }

  begin() {
    if (this.app.tree.length) this.app.send("review", { on: true, visits: Number(this.visits.value) });
    else this.info.textContent = EMPTY;
  }

  take(found) {
    this.found = found;
    if (this.app.tab === this) this.show();
  }

  clear() {
    this.found = this.listed = null;
    this.chart?.stop();
    this.chart = null;
    this.picture.replaceChildren();
    this.mistakes.replaceChildren();
    this.progress.hidden = true;
    this.info.textContent = BEFORE;
  }

  show() {
    const found = this.found;
    if (!found) return;
    const isDone = found.moves.length > 0;
    this.progress.hidden = !found.running;
    this.progress.value = found.done / found.total;
    this.info.textContent = isDone ? summary(found) : progressText(found);
    const gap = Array(found.total - found.done).fill(null);
    const series = [
      { name: "Black wins", values: [...found.positions.map((one) => one.winrate), ...gap], low: 0, high: 1, middle: 0.5, format: percent },
      { name: "Black leads", values: [...found.positions.map((one) => one.lead), ...gap], axis: "right", middle: 0, format: (value) => value.toFixed(1) },
    ];
    const options = { current: this.placeOf(this.app.state.node), marks: marks(found), label: "Win rate and lead of Black over the moves", onSelect: (index) => this.jump(index) };
    if (this.chart) this.chart.update(series, options);
    else this.chart = drawChart(this.picture, series, options);
    this.list(isDone ? ["black", "white"] : []);
  }

  // Only what is new: a row that is replaced loses the focus.
  list(colours) {
    if (this.listed === this.found) return;
    this.listed = this.found;
    this.mistakes.replaceChildren(...colours.map((colour) => this.table(colour)));
  }

  // Return how many moves of the line lead to a node; in a variation, to where it leaves the line.
  placeOf(node) {
    const way = this.app.tree.path(node);
    return Math.max(0, ...way.map((step) => this.found.nodes.indexOf(step)));
  }

  // Return what to ring where a mistake was made: the move that was played, and the better one.
  rings(node) {
    const { nodes, players, moves } = this.found ?? { nodes: [], players: {}, moves: [] };
    const numbers = Object.values(players).flatMap((player) => player.largest_mistakes);
    const number = numbers.find((one) => nodes[one - 1] === node);
    if (number === undefined) return [];
    const { move, best } = moves[number - 1];
    return [[move, "played"], ...(best ? [[best, "better"]] : [])];
  }

  table(colour) {
    const { players, moves } = this.found;
    const player = players[colour];
    const rows = player.largest_mistakes.map((number) => moves[number - 1]).map((move) => el("tr", { tabindex: 0, "data-move": move.number,
      onclick: () => this.jump(move.number - 1), onkeydown: (event) => this.key(event, move.number - 1) },
      el("th", { scope: "row" }, `${move.number} ${move.move}`), el("td", {}, `−${percent(move.winrate_loss)}`),
      el("td", {}, move.points_loss < 0.05 ? "–" : `−${move.points_loss.toFixed(1)}`), el("td", {}, move.best ?? "")));
    const name = colour === "black" ? "Black" : "White";
    const agrees = player.agreement === null ? "" : `, ${percent(player.agreement)} as Tengen would play`;
    return el("section", {}, el("h3", {}, `${name}: ${counted(player.mistakes, "mistake")} in ${counted(player.moves, "move")}${agrees}`),
      rows.length ? el("table", { class: "mistakes" },
        el("thead", {}, el("tr", {}, ["move", "win rate", "points", "better"].map((text) => el("th", {}, text)))), el("tbody", {}, rows)) : null);
  }

  // Enter goes to the move, and does nothing else: while dead stones are talked over it would agree.
  key(event, index) {
    if (event.key !== "Enter") return;
    event.stopPropagation();
    this.jump(index);
  }

  jump(index) {
    const node = this.found.nodes[index];
    if (node !== undefined) this.app.goTo(node);
  }
}

function counted(count, noun) {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}

function marks({ players, moves }) {
  return ["black", "white"].flatMap((colour) => (players[colour]?.largest_mistakes ?? []).map((number) =>
    ({ index: number, label: `${number} ${moves[number - 1].move}`, kind: colour })));
}

function progressText({ running, done, total }) {
  if (total === 1) return EMPTY;
  return running ? `Looked at ${done} of ${total} positions…` : `Stopped after ${done} of ${total} positions.`;
}

function summary({ total, positions }) {
  const visits = Math.max(...positions.map((one) => one.visits));
  return `${total} positions, up to ${visits.toLocaleString("en")} visits each. Click a curve or a row to go there.`;
}
