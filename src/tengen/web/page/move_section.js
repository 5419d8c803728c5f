// The section about the current move: what it lost, the better move and its line.

import { button, el, percent, replaceChildren } from "./dom.js";
import { lossClass, lossText } from "./evaluations.js";
import { LinePlayer } from "./line_player.js";
import { t } from "./translation.js";

const LISTED_MOVES = 8;
const MIN_LOSS = 0.15; // points; a smaller loss is no reason for another move
const MIN_WIN_RATE_LOSS = 0.005;

export class MoveSection {
  constructor(app) {
    this.app = app;
    this.name = "move";
    this.title = t("move.title");
    this.element = el("div", { id: "move-card" });
    this.player = new LinePlayer(() => app.stage.showLine(this.player.shown, this.color));
    app.on("state", () => this.player.play(null));
  }

  show() {
    const { app } = this;
    const node = app.tree.nodes.get(app.state.node);
    const loss = node?.vertex ? app.evaluations.loss(node.id) : null;
    this.element.closest("details").hidden = !loss;
    const key = loss ? JSON.stringify([node.id, loss]) : "";
    if (key === this.key || !loss) return;
    this.key = key;
    this.color = node.color;
    const isBest = loss.best === node.vertex || loss.points < MIN_LOSS;
    replaceChildren(this.element,
      el("p", { class: "verdict" },
        el("span", { class: `badge loss-${lossClass(loss.points)}` }, loss.best === node.vertex ? t("move.best") : lossText(loss.points)),
        el("b", {}, `${node.depth} ${t(`common.${node.color}`)} ${node.vertex}`),
        loss.winrate < MIN_WIN_RATE_LOSS ? null : el("span", { class: "quiet-text" }, t("move.win_rate", { share: percent(loss.winrate) }))),
      isBest || !loss.best ? null : el("p", { class: "better" },
        t("move.better", { vertex: loss.best }), " ",
        app.game.is_loaded || app.state.phase === "over" ? button(t("move.try"), () => this.tryBetter(node, loss), null, "try-better", { icon: "git-branch", kind: "quiet small" }) : null),
      loss.line?.length > 1 && !isBest ? el("p", { class: "line", tabindex: 0, onpointerenter: () => this.player.play(loss.line), onpointerleave: () => this.player.play(null),
        onfocus: () => this.player.play(loss.line), onblur: () => this.player.play(null) }, loss.line.slice(0, LISTED_MOVES).join(" ")) : null,
      el("p", { class: "quiet-text" }, t("move.visits", { count: loss.visits })));
  }

  // Play the better move as a variation.
  tryBetter(node, loss) {
    this.app.goTo(node.parent);
    this.app.play(loss.best);
  }
}
