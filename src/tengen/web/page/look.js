// The panel for looking inside: which layers are shown, what they mean, and the running search.

import { el } from "./dom.js";
import { legend, numberText } from "./heat.js";
import { placeOf } from "./points.js";
import { button } from "./play.js";
import { drawSurface } from "./surface.js";

const SURFACES = /^(bigmove|potential|gradient|net|metric|search|shape)/;

export class LookPanel {
  constructor(app) {
    this.app = app;
    this.title = "Look inside";
    this.chosen = [null, null];
    this.layers = [null, null];
    this.asSurface = false;
    this.surface = null;
    this.pickers = [0, 1].map((slot) => el("select", { id: `layer-${slot}`, onchange: (event) => this.choose(slot, event.target.value || null) }));
    this.meanings = [0, 1].map((slot) => el("div", { class: "meaning", id: `meaning-${slot}` }));
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
      // Not a click: rows are made anew while the search runs, and a click needs one row for all of it.
      onpointerdown: (event) => { this.pressed = rowVertex(event); },
      onpointerup: (event) => this.release(rowVertex(event)),
    });
    this.searchInfo = el("p", { class: "quiet-text", id: "search-info" }, "No search yet.");
    this.toggle = button("Analyse", () => app.send("analyse", { on: !app.state.analysing }), "a", "analyse");
    this.element = el("div", { class: "panel" },
      el("label", {}, el("span", {}, "Show"), this.pickers[0]), this.meanings[0],
      el("label", {}, el("span", {}, "Beside it"), this.pickers[1]), this.meanings[1],
      el("label", { class: "check" }, this.surfaceBox, "as a surface in space"), this.canvas,
      el("h2", {}, "Search"), el("div", { class: "bar" }, this.toggle), this.searchInfo,
      el("table", { class: "candidates" },
        el("thead", {}, el("tr", {}, ["move", "win", "visits", "prior", "RAVE", "line"].map((name) => el("th", {}, name)))),
        this.candidates));
  }

  // A candidate is played where the main button went down and up.
  release(vertex) {
    if (vertex !== null && vertex === this.pressed) this.app.play(vertex);
    this.pressed = null;
  }

  welcome(layers) {
    for (const [slot, picker] of this.pickers.entries()) {
      const groups = new Map();
      for (const layer of layers) groups.set(layer.group, [...(groups.get(layer.group) ?? []), layer]);
      picker.replaceChildren(el("option", { value: "" }, slot ? "nothing" : "just the stones"),
        ...[...groups].map(([name, items]) => el("optgroup", { label: name },
          items.map((layer) => el("option", { value: layer.name, title: layer.meaning }, layer.title)))));
      picker.value = this.chosen[slot] ?? "";
      // After a lost connection the server has forgotten what this page looks at.
      if (this.chosen[slot]) this.app.send("look", { slot, layer: this.chosen[slot] });
    }
  }

  choose(slot, name) {
    this.chosen[slot] = name;
    this.layers[slot] = null;
    this.pickers[slot].value = name ?? "";
    this.meanings[slot].replaceChildren(...(name ? [el("p", { class: "quiet-text" }, "Looking… (what was never used before is compiled first, which can take a minute)")] : []));
    this.app.send("look", { slot, layer: name });
    this.app.showBoards();
    this.showSurface();
  }

  // A layer has come, or the reason why there is none.
  take({ slot, name, node, layer, problem }) {
    if (this.chosen[slot] !== name || node !== this.app.state?.node) return;
    this.layers[slot] = layer ?? null;
    this.meanings[slot].replaceChildren(...(problem ? [el("p", { class: "problem" }, problem)] :
      [el("h3", {}, layer.title), legend(layer), el("p", {}, layer.meaning),
        el("p", { class: "readout", id: `readout-${slot}` }, "Point at the board to read the numbers."),
        el("pre", { class: "note", id: `note-${slot}` })]));
    this.readout(this.app.pointed);
    this.showSurface();
  }

  readout(vertex) {
    for (const slot of [0, 1]) {
      const box = document.getElementById(`readout-${slot}`);
      const layer = this.layers[slot];
      const place = vertex && placeOf(vertex, this.app.game.rows);
      if (!box || !layer || !place) continue;
      box.textContent = `${vertex}: ${numberText(layer.values[place.row]?.[place.column], layer.unit)}`;
      document.getElementById(`note-${slot}`).textContent = layer.notes?.[place.row]?.[place.column] ?? "";
    }
  }

  showSurface() {
    const layer = this.layers[0];
    this.canvas.hidden = !(this.asSurface && layer && SURFACES.test(layer.name));
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
      marks: layer.marks.map((vertex) => placeOf(vertex, game.rows)).map(({ row, column }) => [row, column]),
    };
    if (this.surface) this.surface.update(layer.values, options);
    else this.surface = drawSurface(this.canvas, layer.values, options);
  }

  show() {
    const { search, state } = this.app;
    this.toggle.classList.toggle("on", state.analysing);
    this.toggle.setAttribute("aria-pressed", String(state.analysing));
    if (!search) {
      this.candidates.replaceChildren();
      this.searchInfo.textContent = state.analysing ? "Waiting for the engine…" : "No search here yet.";
      return;
    }
    this.searchInfo.textContent = `${search.visits.toLocaleString("en")} visits, win rate of ${state.to_play === "black" ? "Black" : "White"} ${percent(search.value)}, ${search.nodes.toLocaleString("en")} nodes`;
    this.candidates.replaceChildren(...search.candidates.slice(0, 10).map((one) => el("tr", { "data-vertex": one.vertex },
      el("th", { scope: "row" }, one.vertex), el("td", {}, percent(one.value)), el("td", {}, one.visits.toLocaleString("en")),
      el("td", {}, percent(one.prior)), el("td", {}, one.rave === null ? "–" : percent(one.rave)),
      el("td", { class: "pv" }, one.line.slice(1, 6).join(" ")))));
  }
}

// Return the candidate of the row under a main button; null for other buttons.
function rowVertex({ button: which, target }) {
  return which === 0 ? target.closest("tr")?.dataset.vertex ?? null : null;
}

export function percent(value) {
  return `${Math.round(100 * value)}%`;
}
