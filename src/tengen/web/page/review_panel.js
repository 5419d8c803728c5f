// The Review tab: a search of the whole game, and a sortable list of all mistakes.

import { button, el, percent } from "./dom.js";
import { lossClass } from "./evaluations.js";
import { t } from "./translation.js";

const EFFORTS = { quick: 100, normal: 500, thorough: 3000 };
const DEFAULT_EFFORT = "normal";
const COLORS = ["black", "white"];

// Columns of the list: cell and sort key of a move; the largest key comes first.
const COLUMNS = {
  move: [({ number, move }) => `${number} ${move}`, ({ number }) => -number],
  player: [({ color }) => t(`common.${color}`), ({ color, number }) => (color === "black" ? 1e6 : 0) - number],
  points: [(move) => [el("span", { class: `badge loss-${lossClass(move.points_loss)}` }, move.points_loss.toFixed(1)), ` ± ${move.points_error.toFixed(1)}`], (move) => move.points_loss],
  winrate: [(move) => percent(move.winrate_loss), (move) => move.winrate_loss],
  better: [(move) => move.best ?? "", (move) => -(move.best ?? "").charCodeAt(0)],
  visits: [(move) => move.visits.toLocaleString("en"), (move) => move.visits],
};

export class ReviewPanel {
  constructor(app) {
    this.app = app;
    this.name = "review";
    this.title = t("tab.review");
    this.icon = "chart-line";
    this.review = null;
    this.order = "points";
    this.rows = new Map(); // table rows by move number
    this.progress = el("progress", { max: 1, value: 0, hidden: true, "aria-label": t("review.searched") });
    this.info = el("p", { class: "quiet-text", id: "review-info" }, t("review.introduction"));
    this.visits = el("select", { id: "visits" }, Object.entries(EFFORTS).map(([name, count]) =>
      el("option", { value: count, selected: name === DEFAULT_EFFORT }, t(`review.${name}`, { count }))));
    this.points = el("input", { id: "mistake-points", type: "number", min: 0, step: 0.5, value: 2 });
    this.stop = button(t("review.stop"), () => app.send("review", { on: false }), null, "review-stop", { icon: "x" });
    this.stop.hidden = true;
    this.totals = el("div", { id: "totals" });
    this.headings = Object.keys(COLUMNS).map((name) => el("th", { scope: "col", "data-column": name },
      el("button", { type: "button", class: "sort", onclick: () => this.sortBy(name) }, t(`review.${name}`))));
    this.body = el("tbody", {});
    this.mistakes = el("div", { id: "mistakes", hidden: true }, this.totals,
      el("table", { class: "mistakes" }, el("thead", {}, el("tr", {}, this.headings)), this.body));
    this.element = el("div", { class: "panel" },
      el("div", { class: "review-form" },
        el("label", { class: "wide" }, el("span", {}, t("review.search")), this.visits),
        el("label", {}, el("span", {}, t("review.mistake_points")), this.points),
        el("div", { class: "bar" }, button(t("review.start"), () => this.start(), null, "review", { icon: "chart-line", kind: "main" }), this.stop)),
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
    else this.info.textContent = t("review.no_moves");
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
    this.info.textContent = t("review.introduction");
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
    const [, key] = COLUMNS[this.order];
    const mistakes = mistakesOf(review).sort((one, other) => key(other) - key(one) || one.number - other.number);
    for (const number of [...this.rows.keys()]) {
      if (!mistakes.some((move) => move.number === number)) this.rows.delete(number);
    }
    const rows = mistakes.map((move) => this.row(move));
    if (rows.length !== this.body.children.length || rows.some((row, index) => row !== this.body.children[index])) {
      const focused = /** @type {HTMLElement} */ (document.activeElement);
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
    const key = JSON.stringify(move);
    if (known.dataset.key !== key) {
      known.dataset.key = key;
      known.replaceChildren(...Object.values(COLUMNS).map(([cell]) => cell(move)).map((text, column) => el(column ? "td" : "th", column ? {} : { scope: "row" }, text)));
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

function isComplete({ done, total }) {
  return total > 1 && done === total;
}

function mistakesOf({ moves }) {
  return moves.filter((move) => move.mistake);
}

function totalText(color, { moves, mistakes, agreement, mean_points_loss: loss }) {
  if (!moves) return "";
  const values = { color: t(`common.${color}`), loss: loss.toFixed(2), share: percent(agreement) };
  return t("review.total", { ...values, mistakes: t("review.mistakes", { count: mistakes }), moves: t("review.moves", { count: moves }) });
}

function progressText({ running, done, total, visits }) {
  if (total === 1) return t("review.no_moves");
  return t(running ? "review.running" : "review.stopped", { done, total, count: visits });
}

function summaryText({ total, visits }) {
  return t("review.summary", { total, count: visits });
}
