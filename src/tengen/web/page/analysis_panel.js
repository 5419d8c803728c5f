// The Analyze tab: candidate moves of the search of the current position.

import { button, el, percent } from "./dom.js";
import { t } from "./translation.js";

const LISTED_CANDIDATES = 10;
const LISTED_MOVES = 5; // of a candidate's variation, after the candidate itself
const COLUMNS = ["move", "win rate", "visits", "prior", "RAVE", "variation"];

export class AnalysisPanel {
  constructor(app) {
    this.app = app;
    this.name = "analysis";
    this.title = t("tab.analysis");
    this.icon = "search";
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
    this.searchInfo = el("p", { class: "quiet-text", id: "search-info" }, "No search yet.");
    this.toggle = button("Analyze", () => app.toggleAnalysis(), "a", "analyze");
    this.element = el("div", { class: "panel" },
      el("div", { class: "bar" }, this.toggle), this.searchInfo,
      el("table", { class: "candidates" },
        el("thead", {}, el("tr", {}, COLUMNS.map((name) => el("th", {}, name)))),
        this.candidates));
  }

  // Play a candidate when the main button was pressed and released on the same row.
  release(vertex) {
    if (vertex !== null && vertex === this.pressed) this.app.play(vertex);
    this.pressed = null;
  }

  show() {
    const { search, state } = this.app;
    this.toggle.classList.toggle("on", state.analyzing);
    this.toggle.setAttribute("aria-pressed", String(state.analyzing));
    if (!search) {
      this.candidates.replaceChildren();
      this.searchInfo.textContent = state.analyzing ? "Waiting for the engine…" : "No search of this position yet.";
      return;
    }
    const color = state.to_play === "black" ? "Black" : "White";
    this.searchInfo.textContent = `${search.visits.toLocaleString("en")} visits, ${color}'s win rate ${percent(search.value)}, ${search.nodes.toLocaleString("en")} nodes`;
    this.candidates.replaceChildren(...search.candidates.slice(0, LISTED_CANDIDATES).map(candidateRow));
  }
}

function candidateRow({ vertex, value, visits, prior, rave, line }) {
  return el("tr", { "data-vertex": vertex },
    el("th", { scope: "row" }, vertex), el("td", {}, percent(value)), el("td", {}, visits.toLocaleString("en")),
    el("td", {}, percent(prior)), el("td", {}, rave === null ? "–" : percent(rave)),
    el("td", { class: "pv" }, line.slice(1, 1 + LISTED_MOVES).join(" ")));
}

// Return the vertex of the row under the main button; null for other buttons.
function rowVertex({ button: which, target }) {
  return which === 0 ? target.closest("tr")?.dataset.vertex ?? null : null;
}
