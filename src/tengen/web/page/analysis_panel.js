// The Analyze tab: candidate moves of the search of the current position, and the choice of the engine.

import { el, percent } from "./dom.js";
import { EngineBox, netName } from "./engine_box.js";
import { leadText, lossClass, lossText } from "./evaluations.js";
import { shortCount } from "./overlay.js";
import { t } from "./translation.js";

const LISTED_CANDIDATES = 12;
const LISTED_MOVES = 6; // of a candidate's variation, after the candidate itself

// Columns of the table: cell of a candidate, and whether it means anything in a search.
const COLUMNS = {
  move: [({ vertex }) => vertex, () => true],
  loss: [({ points_lost: points }) => el("span", { class: `badge loss-${lossClass(points)}` }, lossText(points)), () => true],
  win_rate: [({ value }) => percent(value), () => true],
  lead: [({ lead }, sign) => leadText(sign * lead), () => true],
  visits: [({ visits }) => shortCount(visits), () => true],
  prior: [({ prior }) => percent(prior), ({ candidates }) => candidates.some((one) => one.prior > 0)],
  rave: [({ rave }) => (rave === null ? "–" : percent(rave)), ({ candidates }) => candidates.some((one) => one.rave !== null)],
  line: [({ line }) => line.slice(1, 1 + LISTED_MOVES).join(" "), () => true],
};

export class AnalysisPanel {
  constructor(app) {
    this.app = app;
    this.name = "analysis";
    this.title = t("tab.analysis");
    this.icon = "search";
    this.engine = new EngineBox(app);
    this.head = el("tr", {});
    this.candidates = el("tbody", {
      onpointerover: (event) => app.stage.hover(event.target.closest("tr")?.dataset.vertex ?? null),
      onpointerleave: () => {
        this.pressed = null;
        app.stage.hover(null);
      },
      // Rows are replaced while the search runs, so "click" events, which need one stable row, do not work.
      onpointerdown: (event) => { this.pressed = rowVertex(event); },
      onpointerup: (event) => this.release(rowVertex(event)),
    });
    this.searchInfo = el("p", { class: "quiet-text", id: "search-info" }, t("analysis.none"));
    this.element = el("div", { class: "panel" }, this.searchInfo,
      el("table", { class: "candidates" }, el("thead", {}, this.head), this.candidates),
      el("h2", {}, t("engine.title")), this.engine.element);
  }

  // Play a candidate when the main button was pressed and released on the same row.
  release(vertex) {
    if (vertex !== null && vertex === this.pressed) this.app.play(vertex);
    this.pressed = null;
  }

  show() {
    const { search, state } = this.app;
    const columns = Object.keys(COLUMNS).filter((name) => search && COLUMNS[name][1](search));
    if (this.columns !== columns.join()) {
      this.columns = columns.join();
      this.head.replaceChildren(...columns.map((name) => el("th", { scope: "col", "data-column": name, title: t(`analysis.${name}_meaning`) }, t(`analysis.${name}`))));
    }
    if (!search) {
      this.candidates.replaceChildren();
      this.searchInfo.textContent = state.analyzing ? t("analysis.waiting") : t("analysis.none");
      return;
    }
    this.searchInfo.textContent = this.infoText(search);
    const sign = search.to_play === "black" ? 1 : -1;
    this.candidates.replaceChildren(...search.candidates.slice(0, LISTED_CANDIDATES).map((one) => el("tr", { "data-vertex": one.vertex },
      columns.map((name, index) => el(index ? "td" : "th", index ? { class: name === "line" ? "pv" : null, "data-column": name } : { scope: "row" }, COLUMNS[name][0](one, sign))))));
  }

  // Show the side that the win rate belongs to, and the visits.
  infoText({ kind, visits, value, to_play: color, lead }) {
    const net = this.engine.choice?.net ?? "default";
    return t(`analysis.${kind}_info`, {
      count: visits, color: t(`common.${color}`), share: percent(value), lead: leadText(lead),
      engine: kind === "move" ? this.app.game.level : netName(net),
    });
  }
}

// Return the vertex of the row under the main button; null for other buttons.
function rowVertex({ button: which, target }) {
  return which === 0 ? target.closest("tr")?.dataset.vertex ?? null : null;
}
