// The strip under the board: win rate and lead along the current line of the game.

import { drawChart } from "./chart.js";
import { $, percent, svg } from "./dom.js";
import { leadText, lossClass, lossText } from "./evaluations.js";
import { t } from "./translation.js";

const MIN_MARK_CLASS = 3; // losses of this class and above are marked
const HIDDEN_ON = ["experiments", "problems", "library"];

export class Strip {
  constructor(app) {
    this.app = app;
    this.element = $("strip");
    this.element.setAttribute("aria-label", t("strip.label"));
    this.svg = svg("svg", { class: "chart", id: "chart" });
    this.element.append(this.svg);
    this.chart = null;
    this.key = "";
  }

  // Return the nodes from the root over the current one to the end of its line.
  nodes() {
    const { tree, state } = this.app;
    return [...tree.path(state.node), ...tree.line(state.node).slice(1).map(({ id }) => id)];
  }

  show() {
    const { app } = this;
    const { evaluations } = app;
    const nodes = this.nodes();
    const known = nodes.map((node) => evaluations.of(node));
    const isHidden = HIDDEN_ON.includes(app.panel.name) || known.filter(Boolean).length < 2;
    this.element.hidden = isHidden;
    if (isHidden) return;
    const series = [
      { name: t("strip.win_rate"), values: known.map((one) => one?.winrate ?? null), low: 0, high: 1, middle: 0.5, format: percent },
      { name: t("strip.lead"), values: known.map((one) => one?.lead ?? null), middle: 0, symmetric: true, format: axisText },
    ];
    const losses = nodes.map((node) => evaluations.loss(node));
    const marks = losses.flatMap((loss, index) => (loss && (loss.isMistake || lossClass(loss.points) >= MIN_MARK_CLASS) ?
      [{ index: known[index] ? index : index - 1, kind: `loss-${lossClass(loss.points)}` }] : []));
    const options = {
      current: app.tree.path(app.state.node).length - 1, marks, label: t("strip.label"),
      describe: (index) => this.describe(nodes[index], known[index], losses[index]), onSelect: (index) => app.goTo(nodes[index]),
    };
    const key = JSON.stringify([series, marks, options.current]);
    if (key === this.key) return; // the chart is redrawn only when it changes
    this.key = key;
    if (this.chart) this.chart.update(series, options);
    else this.chart = drawChart(this.svg, series, options);
  }

  // Return move, win rate, lead and loss as one line.
  describe(id, known, loss) {
    const { vertex, color, depth } = this.app.tree.nodes.get(id) ?? {};
    const move = vertex ? `${depth} ${t(`common.${color}`)} ${vertex}` : t("strip.start");
    const parts = [move];
    if (known) parts.push(t("overlay.win_rate", { share: percent(known.winrate) }), leadText(known.lead));
    if (loss) parts.push(t("strip.loss", { points: lossText(loss.points) }));
    return parts.join("   ");
  }
}

function axisText(value) {
  return value === 0 ? "0" : `${value > 0 ? "B" : "W"}+${Math.abs(value)}`;
}
