// Teaching mode, in the Play tab: shows why a move is a mistake, offers to take it back, and sums up the game.

import { button, el, replaceChildren, toast } from "./dom.js";
import { lossClass, lossText } from "./evaluations.js";
import { LinePlayer } from "./line_player.js";
import { preference, setPreference } from "./preferences.js";
import { t } from "./translation.js";

const POINTS = [1, 2, 3, 5, 8, 12];
const LISTED_MOVES = 8; // of a line

/** @typedef {{node: number, number: number, color: string, vertex: string, best: string | null, points_loss: number, points_error: number, winrate_loss: number, visits: number, is_mistake: boolean, line: string[], refutation: string[], is_taken_back: boolean}} JudgedMove */
/** @typedef {{on: boolean, points: number, judging: boolean, mistake: number | null, moves: JudgedMove[]}} Update */

/** Add teaching mode to the page. */
export function setUpTeaching(app) {
  const teaching = new Teaching(app);
  app.playPanel.status.after(teaching.lesson); // visible on phones too
  app.playPanel.element.append(teaching.element);
}

class Teaching {
  constructor(app) {
    this.app = app;
    /** @type {Update} */
    this.update = { on: false, points: 3, judging: false, mistake: null, moves: [] };
    this.lineColor = "black";
    this.player = new LinePlayer(() => app.stage.show());
    this.check = el("input", { type: "checkbox", id: "teach", onchange: () => this.choose({ on: this.check.checked }) });
    this.points = el("select", { id: "teach-points", "aria-label": t("teaching.points_label"), onchange: () => this.choose({ points: Number(this.points.value) }) },
      POINTS.map((count) => el("option", { value: count }, t("teaching.points", { count }))));
    this.lesson = el("div", { id: "lesson" });
    this.summary = el("div", { id: "lesson-summary" });
    this.element = el("section", { id: "teaching", class: "divided", "aria-label": t("teaching.title") },
      el("div", { class: "bar" }, el("label", { class: "check", title: t("teaching.meaning") }, this.check, t("teaching.title")), this.points), this.summary);
    app.addShortcut("c", t("teaching.play_on"), () => this.mistake && this.playOn());
    app.addShortcut("r", t("teaching.replay"), () => this.mistake && this.showRefutation());
    app.addClick(() => this.refuseClick());
    app.addView((view) => this.changeView(view));
    app.on("game", () => this.request());
    app.on("teaching", (update) => this.receive(update));
    app.on("state", () => this.show());
    app.on("tab", () => this.player.play(null));
    this.showChoice();
  }

  // Choose

  choose(change) {
    setPreference("teaching", { ...preference("teaching"), ...change });
    this.request();
  }

  request() {
    const { on, points } = preference("teaching");
    this.showChoice();
    if (on || this.update.on) this.app.send("teach", { on, points });
  }

  showChoice() {
    const { on, points } = preference("teaching");
    this.check.checked = on;
    this.points.value = String(points);
    this.points.hidden = !on;
  }

  // Messages

  /** @param {Update} update */
  receive(update) {
    const isNew = update.mistake !== null && update.mistake !== this.update.mistake;
    this.update = update;
    if (!this.app.state) return;
    this.show();
    if (isNew && this.mistake) this.announce(this.mistake);
    if (isNew && this.mistake) this.showRefutation();
  }

  announce(move) {
    const better = move.best ? t("teaching.better", { vertex: move.best }) : "";
    this.app.announce([this.verdict(move), `${t("teaching.refutation")}: ${move.refutation.slice(0, LISTED_MOVES).join(" ")}`, better, t("teaching.choose")].join(" "));
  }

  verdict({ number, color, vertex, points_loss: points, points_error: error }) {
    return t("teaching.verdict", { number, color: t(`common.${color}`), vertex, points: points.toFixed(1), error: error.toFixed(1) });
  }

  /** The mistake at the current position after which the game waits, or null. @returns {JudgedMove | null} */
  get mistake() {
    const { mistake, moves } = this.update;
    return mistake !== null && this.app.state?.node === mistake ? moves.find(({ node }) => node === mistake) ?? null : null;
  }

  playOn() {
    this.app.send("play_on");
  }

  // While the engine waits for a decision, the board takes no moves.
  refuseClick() {
    const isWaiting = Boolean(this.mistake) && this.app.game.color !== "both" && this.app.state.phase === "play";
    if (isWaiting) toast(t("teaching.choose"));
    return isWaiting;
  }

  // Lines

  showRefutation() {
    this.showLine(this.mistake.refutation, this.mistake.color === "black" ? "white" : "black");
  }

  // Play back a line from the position on the board.
  showLine(line, color) {
    this.lineColor = color;
    this.player.play(line);
  }

  changeView(view) {
    const { mistake } = this;
    if (!mistake || this.app.panel.name !== "play") return;
    view.rings.push([mistake.vertex, "played"]);
    if (mistake.best && mistake.best !== "pass") view.rings.push([mistake.best, "better"]);
    if (this.player.shown) Object.assign(view, { line: this.player.shown, lineColor: this.lineColor });
  }

  // Display

  show() {
    const { mistake, update, app } = this;
    if (!mistake) this.player.play(null);
    const key = JSON.stringify([mistake, update.judging]);
    if (key !== this.shownLesson) {
      this.shownLesson = key;
      replaceChildren(this.lesson, update.judging ? busy() : mistake ? this.card(mistake) : null);
      app.playPanel.actions.hidden = Boolean(mistake) && app.state.phase === "play";
      app.stage.show();
    }
    this.showSummary();
  }

  card(move) {
    return el("div", { class: `card lesson loss-${lossClass(move.points_loss)}` },
      el("p", {}, el("b", {}, this.verdict(move)), " ", move.best ? t("teaching.better", { vertex: move.best }) : null),
      move.refutation.length ? el("p", {}, `${t("teaching.refutation")}: `, move.refutation.slice(0, LISTED_MOVES).join(" ")) : null,
      el("div", { class: "bar" },
        button(t("teaching.take_back"), () => this.app.send("undo"), "u", "take-back", { icon: "undo-2", kind: "main" }),
        button(t("teaching.play_on"), () => this.playOn(), "c", "play-on", { icon: "play" }),
        button(t("teaching.replay"), () => this.showRefutation(), "r", "replay", { icon: "repeat", kind: "quiet" })),
      el("p", { class: "quiet-text" }, t("teaching.visits", { count: move.visits })));
  }

  // The moves that count: those of the current line, and mistakes that were taken back.
  counted() {
    const { tree, state } = this.app;
    const line = new Set(tree.path(tree.end(state.node)));
    return this.update.moves.filter(({ node, is_taken_back: isTakenBack }) => isTakenBack || line.has(node));
  }

  // Show the counts during the game, and the list of mistakes after it.
  showSummary() {
    const { app } = this;
    const moves = this.update.on ? this.counted() : [];
    const mistakes = moves.filter((move) => move.is_mistake).sort((one, other) => other.points_loss - one.points_loss);
    const isOver = app.state.phase === "over";
    const key = JSON.stringify([moves, isOver]);
    if (key === this.shownSummary) return;
    this.shownSummary = key;
    const colors = ["black", "white"].filter((color) => moves.some((move) => move.color === color));
    replaceChildren(this.summary,
      isOver && moves.length ? el("h2", {}, t("teaching.summary")) : null,
      colors.map((color) => el("p", { class: "quiet-text" }, countText(color, moves.filter((move) => move.color === color)))),
      isOver && mistakes.length ? el("ul", { class: "mistake-list" }, mistakes.map((move) => this.row(move))) : null);
  }

  row(move) {
    const { app } = this;
    const isKnown = app.tree.nodes.has(move.node);
    const text = move.is_taken_back ? t("teaching.row_taken_back", rowValues(move)) : t("teaching.row", rowValues(move));
    return el("li", {}, el("span", { class: `badge loss-${lossClass(move.points_loss)}` }, lossText(move.points_loss)), " ",
      isKnown ? el("button", { type: "button", class: "quiet small", onclick: () => app.goTo(move.node) }, text) : text);
  }
}

function rowValues({ number, color, vertex, best }) {
  return { number, color: t(`common.${color}`), vertex, best: best ?? "" };
}

function busy() {
  return el("p", { class: "busy", role: "status" }, el("span", { class: "spinner", "aria-hidden": "true" }), t("teaching.judging"));
}

function countText(color, moves) {
  const kept = moves.filter((move) => !move.is_taken_back);
  const loss = kept.length ? kept.reduce((sum, move) => sum + move.points_loss, 0) / kept.length : 0;
  return t("teaching.counts", {
    color: t(`common.${color}`), moves: t("review.moves", { count: kept.length }), loss: loss.toFixed(1),
    mistakes: t("review.mistakes", { count: moves.filter((move) => move.is_mistake).length }),
    back: moves.filter((move) => move.is_taken_back).length,
  });
}
