// The stage: one or two boards and the buttons that step through the game.

import { Board } from "./board.js";
import { $, button, el } from "./dom.js";
import { isMarking } from "./editing.js";
import { preference } from "./preferences.js";
import { t } from "./translation.js";

const CONTENTS = { X: "board.black_stone", O: "board.white_stone", ".": "board.empty" };

export class Stage {
  constructor(app) {
    this.app = app;
    this.hovered = null; // vertex under the pointer, on a board or in the candidate table
    this.preview = null; // vertex tapped once
    const handlers = {
      onPlay: (vertex, pointer) => this.press(vertex, pointer), onWheel: (direction) => app.panel.keys || app.step(direction), onHover: (vertex) => this.hover(vertex),
      onCursor: (vertex, sign) => app.announce(`${vertex}, ${t(CONTENTS[sign])}`),
    };
    this.boards = [new Board(t("board.first"), handlers), new Board(t("board.second"), handlers)];
    $("boards").append(this.boards[0].element, this.boards[1].element);
    this.boards[1].element.hidden = true;
    this.setUpNavigation();
  }

  setUpNavigation() {
    const { app } = this;
    const step = (name, label, action) => button("", action, null, null, { icon: name, label, kind: "quiet" });
    this.confirm = button("", () => this.press(this.preview, "mouse"), null, "confirm", { icon: "check", kind: "main", label: " " });
    this.confirm.hidden = true;
    $("navigation").append(el("span", { class: "group steps" },
      step("chevron-first", t("board.start"), () => app.goTo(app.tree.root)),
      step("chevron-left", t("board.back"), () => app.step("back")),
      step("chevron-right", t("board.forward"), () => app.step("forward")),
      step("chevron-last", t("board.end"), () => app.goTo(app.tree.end(app.state.node))), this.confirm));
  }

  // A click plays; a tap first shows where, and plays when the same point is tapped again.
  press(vertex, pointer) {
    const { app } = this;
    const isTapped = pointer === "touch" && preference("confirmTap") && app.state.phase === "play" && this.boards[0].stoneAt(vertex) === "." && !isMarking(app);
    const isFirst = isTapped && vertex !== this.preview;
    this.preview = isFirst ? vertex : null;
    if (isFirst) this.show();
    else app.clickPoint(vertex);
  }

  // Show a variation as numbered stones, or remove it.
  showLine(line, color) {
    this.boards[0].showLine(line, color);
  }

  show() {
    const { app } = this;
    if (!app.state) return;
    if (this.shownNode !== app.state.node) this.preview = null;
    this.shownNode = app.state.node;
    this.confirm.hidden = !this.preview;
    if (this.preview) this.confirm.setAttribute("aria-label", t("board.play", { vertex: this.preview }));
    const isInside = app.panel === app.layers;
    const isDouble = isInside && Boolean(app.layers.selected[1]);
    this.boards[1].element.hidden = !isDouble;
    $("boards").classList.toggle("double", isDouble);
    const view = this.view(isInside ? app.layers.layers[0] : null);
    for (const change of app.views) change(view);
    this.boards[0].show(view);
    if (isDouble) this.boards[1].show(this.view(app.layers.layers[1]));
  }

  view(layer) {
    const { app } = this;
    const { state, game } = app;
    return {
      rows: game.rows, columns: game.columns, board: state.board, last: state.last, marks: state.marks,
      score: state.score, estimate: app.panel.name === "play" ? app.estimate : null, toPlay: state.phase === "play" ? state.to_play : null, layer,
      rings: this.rings(), preview: this.preview,
    };
  }

  rings() {
    const { app } = this;
    const hint = app.hint ? [[app.hint.vertex, "hint"]] : [];
    return app.panel === app.review ? [...hint, ...app.review.rings(app.state.node)] : hint;
  }

  // Show layer values and the variation of the candidate at the hovered vertex.
  hover(vertex) {
    const { app } = this;
    this.hovered = vertex;
    app.layers.showValues(vertex);
    app.overlay.hover(vertex);
  }

  focusBoard() {
    this.boards[0].svg.focus();
  }
}
