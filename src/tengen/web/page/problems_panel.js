// The Problems tab: collections of problems, and the problem to solve on the board.

import { ask } from "./dialogs.js";
import { button, el, icon, replaceChildren, toast } from "./dom.js";
import { fileChooser } from "./imports.js";
import { LinePlayer } from "./line_player.js";
import { packFiles } from "./tar.js";
import { language, t } from "./translation.js";

const IS_FILE = /\.(sgf|mgt|zip|tar|gz|tgz|bz2|tbz2?|xz|txz)$/i;
const LISTED_MOVES = 10; // of a line

/** @typedef {{collection: string, name: string, number: number, title: string, boxes: number[], rows: number, columns: number, board: string[], to_play: string, color: string, last: string | null, comment: string, marks: [string, string, string][], status: string, is_start: boolean, line: string[], is_from_engine: boolean, points_loss: number | null, has_solution: boolean, tries: number, solved: number, due: string | null}} Problem */
/** @typedef {{id: string, name: string, count: number, new: number, due: number, learned: number}} Collection */

/** Add the Problems tab to the page. */
export function setUpProblems(app) {
  app.problems = app.addPanel(new ProblemsPanel(app));
}

class ProblemsPanel {
  constructor(app) {
    this.app = app;
    this.name = "problems";
    this.title = t("tab.problems");
    this.icon = "puzzle";
    /** @type {Problem | null} */
    this.problem = null;
    this.player = new LinePlayer(() => app.stage.show());
    // Shortcuts of this tab, in place of those of the game.
    this.keys = { u: () => this.act("retry"), s: () => this.act("solution"), g: () => this.act("play_out"), n: () => this.next() };
    this.card = el("div", { id: "problem" });
    this.status = el("p", { id: "problem-status", class: "status" });
    this.streak = el("p", { class: "quiet-text", id: "streak" });
    this.list = el("div", { id: "collections" });
    this.grid = el("div", { class: "problem-grid" });
    this.all = el("details", { hidden: true, ontoggle: () => this.showGrid() }, el("summary", {}, t("problems.all")), this.grid);
    this.element = el("div", { class: "panel" }, this.card, this.all,
      el("h2", {}, t("problems.collections")), this.streak, this.list,
      el("div", { class: "bar" },
        button(t("problems.open_files"), fileChooser("problem-file", false, (files) => this.send(files)), null, "problem-files", { icon: "folder-open" }),
        button(t("problems.open_folder"), fileChooser("problem-dir", true, (files) => this.send(files)), null, "problem-folder", { icon: "folder-open" })),
      el("p", { class: "quiet-text" }, t("problems.introduction")));
    app.addClick((vertex) => this.click(vertex));
    app.addView((view) => this.changeView(view));
    app.on("problem", (problem) => this.receive(problem));
    app.on("problems", (list) => this.showList(list));
    app.on("tab", (name) => this.leaveOrEnter(name));
  }

  leaveOrEnter(name) {
    this.player.play(null);
    if (name === this.name) this.app.send("list_problems");
  }

  get isOpen() {
    return this.app.panel === this && this.problem !== null;
  }

  // Requests

  act(action) {
    if (this.problem) this.app.send("problem_action", { action });
  }

  next() {
    if (this.problem) this.open(this.problem.collection);
  }

  open(collection, number = null) {
    this.app.send("open_problem", { collection, number });
  }

  click(vertex) {
    if (this.app.panel !== this) return false;
    if (this.problem?.status === "right") toast(t("problems.solved_already"));
    else if (this.problem) this.app.send("try_move", { vertex });
    return true;
  }

  // Store files, or several as one archive, as a collection.
  /** @param {File[]} chosen */
  async send(chosen) {
    const files = chosen.filter((file) => IS_FILE.test(file.name));
    if (!files.length) {
      toast(t("problems.no_files"));
      return;
    }
    const folder = files[0].webkitRelativePath.split("/")[0] || files[0].name.replace(/\.[^.]*$/, "");
    const [name, body] = files.length > 1 ? [`${folder}.tar`, packFiles(files)] : [files[0].name, files[0]];
    const response = await fetch(`/problems?name=${encodeURIComponent(name)}`, { method: "POST", body }).catch(() => null);
    const answer = await response?.json().catch(() => ({ reason: response.statusText }));
    if (!response?.ok) {
      toast(t("problems.not_opened", { reason: answer?.reason ?? t("connection.status") }));
      return;
    }
    if (answer.skipped) toast(t("problems.skipped", { count: answer.skipped }));
    this.app.send("list_problems");
    this.open(answer.id);
  }

  async delete({ id, name }) {
    if (!await ask(t("problems.delete", { name }), { yes: t("common.delete"), no: t("common.cancel"), isDangerous: true })) return;
    if (this.problem?.collection === id) this.problem = null;
    this.app.send("delete_problems", { collection: id });
    this.showProblem();
    this.app.stage.show();
  }

  // Messages

  /** @param {Problem} problem */
  receive(problem) {
    const previous = this.problem;
    this.problem = problem;
    const lineKey = JSON.stringify([problem.line, problem.board]);
    if (lineKey !== this.lineKey) this.player.play(problem.line.length ? problem.line : null);
    this.lineKey = lineKey;
    this.showProblem();
    if (this.isOpen && previous?.status !== problem.status) this.app.announce(`${problem.last ?? ""} ${this.status.textContent}`);
    this.app.stage.show();
  }

  show() {
    this.showProblem();
  }

  // Show the problem on the first board instead of the game.
  changeView(view) {
    if (!this.isOpen) return;
    const { rows, columns, board, last, marks, to_play: toPlay, status } = this.problem;
    Object.assign(view, {
      rows, columns, board, last, marks, toPlay: status === "right" || status === "checking" ? null : toPlay,
      rings: [], score: null, estimate: null, layer: null, line: this.player.shown, lineColor: toPlay,
    });
  }

  // Display

  showProblem() {
    const { problem } = this;
    document.body.dataset.problem = problem ? "open" : "none";
    this.all.hidden = !problem;
    if (!problem) {
      replaceChildren(this.card);
      this.shown = null;
      return;
    }
    const key = JSON.stringify({ ...problem, board: "", boxes: "" });
    if (key === this.shown) return;
    this.shown = key;
    this.status.replaceChildren(...this.statusContent(problem));
    const { status, line } = problem;
    const isEnded = status === "right";
    replaceChildren(this.card,
      el("h3", {}, t("problems.heading", { name: problem.name, number: problem.number, count: problem.boxes.length })),
      problem.title && problem.title !== problem.name ? el("p", { class: "quiet-text" }, problem.title) : null,
      this.status,
      line.length ? el("p", { class: "line" }, line.slice(0, LISTED_MOVES).join(" ")) : null,
      problem.comment ? el("p", { class: "comment" }, problem.comment) : null,
      el("div", { class: "bar" },
        button(t("problems.next"), () => this.next(), "n", "next-problem", { icon: "skip-forward", kind: isEnded ? "main" : null }),
        problem.is_start && status === "open" ? null : button(t("problems.retry"), () => this.act("retry"), "u", "retry", { icon: "rotate-ccw", kind: status === "wrong" ? "main" : null }),
        status === "shown" ? null : button(t("problems.solution"), () => this.act("solution"), "s", "solution", { icon: "lightbulb" }),
        status === "free" ? null : button(t("problems.play_out"), () => this.act("play_out"), "g", "play-out", { icon: "swords" })),
      problem.tries ? el("p", { class: "quiet-text" }, t("problems.record", { count: problem.tries, solved: problem.solved, date: dateText(problem.due) })) : null);
    this.showGrid();
  }

  /** @param {Problem} problem */
  statusContent(problem) {
    const color = t(`common.${problem.to_play}`);
    const points = (problem.points_loss ?? 0).toFixed(1);
    const verdict = (name, kind, text) => [el("b", { class: `verdict ${kind}` }, icon(name), text)];
    switch (problem.status) {
      case "right": return verdict("check", "right", t("problems.right"));
      case "other": return [t("problems.other", { points })];
      case "shown": return verdict("lightbulb", "shown", t("problems.shown"));
      case "checking": return [el("span", { class: "spinner", "aria-hidden": "true" }), ` ${t("problems.checking")}`];
      case "free": return [t("problems.free", { color })];
      case "wrong": {
        const isOutside = problem.points_loss !== null;
        const why = !isOutside ? t("problems.wrong") : problem.has_solution ? t("problems.not_in_file", { points }) : t("problems.loses", { points });
        return [...verdict("x", "wrong", why), problem.line.length ? ` ${problem.is_from_engine ? t("problems.engine_refutation") : t("problems.refutation")}` : ""];
      }
      default: return [el("b", {}, problem.is_start ? t("problems.to_play", { color }) : t("problems.go_on", { color }))];
    }
  }

  // Buttons of all problems, colored by what is known.
  showGrid() {
    const { problem } = this;
    if (!problem || !this.all.open) return;
    const key = JSON.stringify([problem.collection, problem.boxes, problem.number]);
    if (key === this.shownGrid) return;
    this.shownGrid = key;
    replaceChildren(this.grid, problem.boxes.map((box, index) => el("button", {
      type: "button", class: `box-${Math.min(box, 7)}`, "aria-current": index + 1 === problem.number ? "true" : null,
      "aria-label": box ? t("problems.number_box", { number: index + 1, box }) : t("problems.number_new", { number: index + 1 }),
      onclick: () => this.open(problem.collection, index + 1),
    }, index + 1)));
  }

  /** @param {{collections: Collection[], streak: number, solved_today: number, answered_today: number}} list */
  showList({ collections, streak, solved_today: solved, answered_today: answered }) {
    this.streak.textContent = t("problems.streak", { count: streak, solved, answered });
    this.streak.hidden = !streak && !answered;
    replaceChildren(this.list, collections.map((one) => el("article", { class: "card" },
      el("h3", {}, one.name),
      el("progress", { max: one.count, value: one.learned, "aria-label": t("problems.learned", { count: one.learned }) }),
      el("p", { class: "quiet-text" }, t("problems.counts", { count: one.count, due: one.due, new: one.new, learned: one.learned })),
      el("div", { class: "bar" },
        button(t("problems.practice"), () => this.open(one.id), null, null, { icon: "play", kind: "main small" }),
        button("", () => this.delete(one), null, null, { icon: "trash-2", kind: "quiet small", label: t("problems.delete_label", { name: one.name }) })))));
  }
}

function dateText(due) {
  return due ? new Intl.DateTimeFormat(language, { dateStyle: "medium" }).format(new Date(`${due}T12:00:00`)) : "";
}
