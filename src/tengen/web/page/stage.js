// The stage: one or two boards and the buttons that step through the game.

import { Board } from "./board.js";
import { $, button } from "./dom.js";
import { t } from "./translation.js";

const SHOWN_CANDIDATES = 8;
const CONTENTS = { X: "board.black_stone", O: "board.white_stone", ".": "board.empty" };

export class Stage {
  constructor(app) {
    this.app = app;
    this.hovered = null; // vertex under the pointer, on a board or in the candidate table
    const handlers = {
      onPlay: (vertex) => app.clickPoint(vertex), onHover: (vertex) => this.hover(vertex),
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
    $("navigation").append(
      step("chevron-first", t("board.start"), () => app.goTo(app.tree.root)),
      step("chevron-left", t("board.back"), () => app.step("back")),
      step("chevron-right", t("board.forward"), () => app.step("forward")),
      step("chevron-last", t("board.end"), () => app.goTo(app.tree.end(app.state.node))));
  }

  show() {
    const { app } = this;
    if (!app.state) return;
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
    const { state, game, search } = app;
    const withSearch = !layer && app.panel === app.analysis && search;
    const maxVisits = search?.candidates[0]?.visits ?? 1;
    return {
      rows: game.rows, columns: game.columns, board: state.board, last: state.last, marks: state.marks,
      score: state.score, estimate: app.panel.name === "play" ? app.estimate : null, toPlay: state.phase === "play" ? state.to_play : null, layer,
      rings: this.rings(), line: withSearch ? this.lineFrom(this.hovered) : null, lineColor: state.to_play,
      candidates: withSearch ? search.candidates.slice(0, SHOWN_CANDIDATES).map((one, index) =>
        ({ ...one, share: Math.sqrt(one.visits / maxVisits), isBest: index === 0 })) : [],
    };
  }

  rings() {
    const { app } = this;
    const hint = app.hint ? [[app.hint.vertex, "hint"]] : [];
    return app.panel === app.review ? [...hint, ...app.review.rings(app.state.node)] : hint;
  }

  // Show layer values and the search's variation at the hovered vertex.
  hover(vertex) {
    const { app } = this;
    this.hovered = vertex;
    app.layers.showValues(vertex);
    if (app.panel === app.analysis && app.search) this.boards[0].showLine(this.lineFrom(vertex), app.state.to_play);
  }

  lineFrom(vertex) {
    return this.app.search?.candidates.find((one) => one.vertex === vertex)?.line ?? null;
  }

  focusBoard() {
    this.boards[0].svg.focus();
  }
}
