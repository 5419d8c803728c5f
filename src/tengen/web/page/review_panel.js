// The Review tab: a search of the whole game, and a sortable list of all mistakes.

import { button, el, percent } from "./dom.js";

const INTRODUCTION = "Searches every position of the main line and lists the mistakes. The result is saved with the game.";
const NO_MOVES = "There are no moves to review. Play some, or open a game.";
const EFFORTS = [["100", "quick"], ["500", "normal"], ["3000", "thorough"]];
const DEFAULT_EFFORT = "500";
const COLORS = ["black", "white"];
const NAMES = { black: "Black", white: "White" };

// Columns of the list: title, cell text and sort key of a move; the largest key comes first.
const COLUMNS = {
  move: ["move", ({ number, move }) => `${number} ${move}`, ({ number }) => -number],
  player: ["player", ({ color }) => NAMES[color], ({ color, number }) => (color === "black" ? 1e6 : 0) - number],
  points: ["points lost", (move) => `${move.points_loss.toFixed(1)} ± ${move.points_error.toFixed(1)}`, (move) => move.points_loss],
  winrate: ["win rate lost", (move) => percent(move.winrate_loss), (move) => move.winrate_loss],
  better: ["better", (move) => move.best ?? "", (move) => -(move.best ?? "").charCodeAt(0)],
  visits: ["visits", (move) => move.visits.toLocaleString("en"), (move) => move.visits],
};

export class ReviewPanel {
  constructor(app) {
    this.app = app;
    this.name = "review";
    this.title = "Review";
    this.icon = "chart-line";
    this.review = null;
    this.order = "points";
    this.rows = new Map(); // table rows by move number
    this.progress = el("progress", { max: 1, value: 0, hidden: true, "aria-label": "Positions searched" });
    this.info = el("p", { class: "quiet-text", id: "review-info" }, INTRODUCTION);
    this.visits = el("select", { id: "visits" }, EFFORTS.map(([value, text]) =>
      el("option", { value, selected: value === DEFAULT_EFFORT }, `${text} (${Number(value).toLocaleString("en")} visits per position)`)));
    this.points = el("input", { id: "mistake-points", type: "number", min: 0, step: 0.5, value: 2 });
    this.stop = button("Stop", () => app.send("review", { on: false }), null, "review-stop");
    this.stop.hidden = true;
    this.totals = el("div", { id: "totals" });
    this.headings = Object.entries(COLUMNS).map(([name, [title]]) => el("th", { scope: "col", "data-column": name },
      el("button", { type: "button", class: "sort", onclick: () => this.sortBy(name) }, title)));
    this.body = el("tbody", {});
    this.mistakes = el("div", { id: "mistakes", hidden: true }, this.totals,
      el("table", { class: "mistakes" }, el("thead", {}, el("tr", {}, this.headings)), this.body));
    this.element = el("div", { class: "panel" },
      el("label", {}, el("span", {}, "Search"), this.visits),
      el("label", {}, el("span", {}, "Mistakes from (points)"), this.points),
      el("div", { class: "bar" }, button("Review game", () => this.start(), null, "review"), this.stop),
      this.progress, this.info, this.mistakes);
  }

  // Start a review unless one of the current main line is running or complete.
  startUnlessDone() {
    const { tree } = this.app;
    const isCurrentLine = this.review?.nodes.at(-1) === tree.end(tree.root);
    if (!isCurrentLine || !(this.review.running || isComplete(this.review))) this.start();
  }

  start() {
    if (this.app.tree.length) this.app.send("review", { on: true, visits: Number(this.visits.value), mistake_points: Number(this.points.value) });
    else this.info.textContent = NO_MOVES;
  }

  receive(review) {
    this.review = review;
    if (this.app.panel === this) this.show();
  }

  clear() {
    this.review = null;
    this.rows.clear();
    this.body.replaceChildren();
    this.mistakes.hidden = this.progress.hidden = this.stop.hidden = true;
    this.info.textContent = INTRODUCTION;
  }

  show() {
    const { review } = this;
    if (!review) return;
    this.progress.hidden = this.stop.hidden = !review.running;
    this.progress.value = review.done / review.total;
    this.info.textContent = isComplete(review) ? summaryText(review) : progressText(review);
    this.showMistakes();
  }

  // Mistakes

  sortBy(name) {
    this.order = name;
    this.showMistakes();
  }

  // Add new rows and sort them. Rows are kept: a replaced one would lose focus.
  showMistakes() {
    const { review } = this;
    const [, , key] = COLUMNS[this.order];
    const mistakes = mistakesOf(review).sort((one, other) => key(other) - key(one) || one.number - other.number);
    for (const number of [...this.rows.keys()]) {
      if (!mistakes.some((move) => move.number === number)) this.rows.delete(number);
    }
    const rows = mistakes.map((move) => this.row(move));
    if (rows.length !== this.body.children.length || rows.some((row, index) => row !== this.body.children[index])) {
      const focused = document.activeElement;
      this.body.replaceChildren(...rows);
      if (this.body.contains(focused)) focused.focus();
    }
    for (const heading of this.headings) {
      heading.ariaSort = heading.dataset.column !== this.order ? "none" : ["move", "player"].includes(this.order) ? "ascending" : "descending";
    }
    this.totals.replaceChildren(...COLORS.map((color) => el("p", {}, totalText(color, review.players[color]))));
    this.mistakes.hidden = !review.moves.length;
  }

  row(move) {
    const index = move.number - 1;
    const known = this.rows.get(move.number) ?? el("tr", { tabindex: 0, "data-move": move.number, onclick: () => this.goTo(index), onkeydown: (event) => this.handleKey(event, index) });
    this.rows.set(move.number, known);
    const texts = Object.values(COLUMNS).map(([, text]) => text(move));
    if (known.dataset.text !== texts.join()) {
      known.dataset.text = texts.join();
      known.replaceChildren(...texts.map((text, column) => el(column ? "td" : "th", column ? {} : { scope: "row" }, text)));
    }
    return known;
  }

  // Return rings around the played and the better move where a mistake was made.
  rings(node) {
    if (!this.review) return [];
    const { nodes } = this.review;
    const mistake = mistakesOf(this.review).find(({ number }) => nodes[number - 1] === node);
    if (!mistake) return [];
    const { move, best } = mistake;
    return [[move, "played"], ...(best ? [[best, "better"]] : [])];
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

function isComplete({ done, total }) {
  return total > 1 && done === total;
}

function mistakesOf({ moves }) {
  return moves.filter((move) => move.mistake);
}

function totalText(color, { moves, mistakes, agreement, mean_points_loss: loss }) {
  if (!moves) return "";
  const name = NAMES[color];
  return `${name}: ${countText(mistakes, "mistake")} in ${countText(moves, "move")}, ${loss.toFixed(2)} points lost per move, ${percent(agreement)} agreement with the engine.`;
}

function progressText({ running, done, total, visits }) {
  if (total === 1) return NO_MOVES;
  const searched = `${done} of ${total} positions with ${visits.toLocaleString("en")} visits each`;
  return running ? `Searched ${searched}…` : `Searched ${searched}, then stopped.`;
}

function summaryText({ total, visits }) {
  return `${total} positions, ${visits.toLocaleString("en")} visits each. Click the chart or a row to go to a move.`;
}
