// The Analysis tab: layers on the board, their legends, and the search of the current position.

import { formatNumber, legend } from "./color_scale.js";
import { parseVertex } from "./coordinates.js";
import { button, el, percent } from "./dom.js";
import { drawSurface } from "./surface.js";

const SURFACE_LAYERS = /^(bigmove|potential|gradient|net|metric|search|shape)/;
const SLOTS = [0, 1];
const LISTED_CANDIDATES = 10;
const LISTED_MOVES = 5; // of a candidate's variation, after the candidate itself
const COLUMNS = ["move", "win rate", "visits", "prior", "RAVE", "variation"];

export class AnalysisPanel {
  constructor(app) {
    this.app = app;
    this.title = "Analysis";
    this.selected = [null, null];
    this.layers = [null, null];
    this.asSurface = false;
    this.surface = null;
    this.pickers = SLOTS.map((slot) => el("select", { id: `layer-${slot}`, onchange: (event) => this.selectLayer(slot, event.target.value || null) }));
    this.descriptions = SLOTS.map((slot) => el("div", { class: "description", id: `description-${slot}` }));
    this.canvas = el("canvas", { id: "surface", width: 640, height: 420, hidden: true });
    this.surfaceBox = el("input", { type: "checkbox", id: "as-surface", onchange: (event) => {
      this.asSurface = event.target.checked;
      this.showSurface();
    } });
    this.candidates = el("tbody", {
      onpointerover: (event) => app.hover(event.target.closest("tr")?.dataset.vertex ?? null),
      onpointerleave: () => {
        this.pressed = null;
        app.hover(null);
      },
      // Rows are replaced while the search runs, so "click" events, which need one stable row, do not work.
      onpointerdown: (event) => { this.pressed = rowVertex(event); },
      onpointerup: (event) => this.release(rowVertex(event)),
    });
    this.searchInfo = el("p", { class: "quiet-text", id: "search-info" }, "No search yet.");
    this.toggle = button("Analyze", () => app.toggleAnalysis(), "a", "analyze");
    this.element = el("div", { class: "panel" },
      el("label", {}, el("span", {}, "Layer"), this.pickers[0]), this.descriptions[0],
      el("label", {}, el("span", {}, "Second layer"), this.pickers[1]), this.descriptions[1],
      el("label", { class: "check" }, this.surfaceBox, "Show as 3D surface"), this.canvas,
      el("h2", {}, "Search"), el("div", { class: "bar" }, this.toggle), this.searchInfo,
      el("table", { class: "candidates" },
        el("thead", {}, el("tr", {}, COLUMNS.map((name) => el("th", {}, name)))),
        this.candidates));
  }

  // Play a candidate when the main button was pressed and released on the same row.
  release(vertex) {
    if (vertex !== null && vertex === this.pressed) this.app.play(vertex);
    this.pressed = null;
  }

  // Fill the layer pickers after connecting, and request the selected layers again.
  setLayers(layers) {
    for (const [slot, picker] of this.pickers.entries()) {
      const groups = new Map();
      for (const layer of layers) groups.set(layer.group, [...(groups.get(layer.group) ?? []), layer]);
      picker.replaceChildren(el("option", { value: "" }, "none"),
        ...[...groups].map(([name, items]) => el("optgroup", { label: name },
          items.map((layer) => el("option", { value: layer.name, title: layer.meaning }, layer.title)))));
      picker.value = this.selected[slot] ?? "";
      if (this.selected[slot]) this.app.send("show_layer", { slot, layer: this.selected[slot] });
    }
  }

  selectLayer(slot, name) {
    this.selected[slot] = name;
    this.layers[slot] = null;
    this.pickers[slot].value = name ?? "";
    this.descriptions[slot].replaceChildren(...(name ? [el("p", { class: "quiet-text" }, "Computing… (the first use of a layer can take a minute)")] : []));
    this.app.send("show_layer", { slot, layer: name });
    this.app.showBoards();
    this.showSurface();
  }

  // Receive a layer, or the reason why it is not available.
  receive({ slot, name, node, layer, problem }) {
    if (this.selected[slot] !== name || node !== this.app.state?.node) return;
    this.layers[slot] = layer ?? null;
    this.descriptions[slot].replaceChildren(...(problem ? [el("p", { class: "problem" }, problem)] :
      [el("h3", {}, layer.title), legend(layer), el("p", {}, layer.meaning),
        el("p", { class: "readout", id: `readout-${slot}` }, "Hover over the board to read values."),
        el("pre", { class: "note", id: `note-${slot}` })]));
    this.showValues(this.app.hovered);
    this.showSurface();
  }

  clearLayers() {
    this.layers = [null, null];
  }

  // Show the values of the layers at a vertex.
  showValues(vertex) {
    for (const slot of SLOTS) {
      const box = document.getElementById(`readout-${slot}`);
      const layer = this.layers[slot];
      const point = vertex && parseVertex(vertex, this.app.game.rows);
      if (!box || !layer || !point) continue;
      box.textContent = `${vertex}: ${formatNumber(layer.values[point.row]?.[point.column], layer.unit)}`;
      document.getElementById(`note-${slot}`).textContent = layer.notes?.[point.row]?.[point.column] ?? "";
    }
  }

  showSurface() {
    const layer = this.layers[0];
    this.canvas.hidden = !(this.asSurface && layer && SURFACE_LAYERS.test(layer.name));
    if (this.canvas.hidden) {
      this.surface?.stop();
      this.surface = null;
      return;
    }
    const { state, game } = this.app;
    const options = {
      scale: layer.scale, low: layer.low, high: layer.high, label: layer.title,
      vibrate: layer.name.startsWith("bigmove"), theme: document.documentElement.dataset.theme,
      stones: state.board.map((row) => [...row].map((sign) => ".XO".indexOf(sign))),
      marks: layer.marks.map((vertex) => parseVertex(vertex, game.rows)).map(({ row, column }) => [row, column]),
    };
    if (this.surface) this.surface.update(layer.values, options);
    else this.surface = drawSurface(this.canvas, layer.values, options);
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
