// The Look inside tab: one or two layers on the board, with legends, or a layer as a 3D surface.

import { formatNumber, legend } from "./color_scale.js";
import { parseVertex } from "./coordinates.js";
import { $, el } from "./dom.js";
import { drawSurface } from "./surface.js";
import { t } from "./translation.js";

const SURFACE_LAYERS = /^(bigmove|potential|gradient|net|metric|search|shape)/;
const SLOTS = [0, 1];

export class LayersPanel {
  constructor(app) {
    this.app = app;
    this.name = "layers";
    this.title = t("tab.layers");
    this.icon = "layers";
    this.selected = [null, null];
    this.layers = [null, null];
    this.asSurface = false;
    this.surface = null;
    this.pickers = SLOTS.map((slot) => el("select", { id: `layer-${slot}`, onchange: (event) => this.selectLayer(slot, event.target.value || null) }));
    this.descriptions = SLOTS.map((slot) => el("div", { class: "description", id: `description-${slot}` }));
    this.canvas = el("canvas", { id: "surface", width: 640, height: 420, hidden: true });
    $("boards").append(this.canvas);
    this.surfaceBox = el("input", { type: "checkbox", id: "as-surface", onchange: (event) => {
      this.asSurface = event.target.checked;
      this.showSurface();
      app.stage.show();
    } });
    this.element = el("div", { class: "panel" },
      el("label", {}, el("span", {}, t("layers.first")), this.pickers[0]),
      el("label", { class: "check" }, this.surfaceBox, t("layers.surface")), this.descriptions[0],
      el("label", {}, el("span", {}, t("layers.second")), this.pickers[1]), this.descriptions[1]);
    app.on("tab", () => this.showSurface());
  }

  // Fill the layer pickers after connecting, and request the selected layers again.
  setLayers(layers) {
    for (const [slot, picker] of this.pickers.entries()) {
      const groups = new Map();
      for (const layer of layers) groups.set(layer.group, [...(groups.get(layer.group) ?? []), layer]);
      picker.replaceChildren(el("option", { value: "" }, t("layers.none")),
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
    this.descriptions[slot].replaceChildren(...(name ? [el("p", { class: "quiet-text" }, t("layers.computing"))] : []));
    this.app.send("show_layer", { slot, layer: name });
    this.showSurface();
    this.app.stage.show();
  }

  // Receive a layer, or the reason why it is not available.
  receive({ slot, name, node, layer, problem }) {
    if (this.selected[slot] !== name || node !== this.app.state?.node) return;
    this.layers[slot] = layer ?? null;
    this.descriptions[slot].replaceChildren(...(problem ? [el("p", { class: "problem" }, problem)] :
      [el("h3", {}, layer.title), legend(layer), el("p", {}, layer.meaning),
        el("p", { class: "readout", id: `readout-${slot}` }, t("layers.hover")),
        el("pre", { class: "note", id: `note-${slot}` })]));
    this.showValues(this.app.stage.hovered);
    this.showSurface();
  }

  clear() {
    this.layers = [null, null];
  }

  // Show the values of the layers at a vertex.
  showValues(vertex) {
    for (const slot of SLOTS) {
      const box = $(`readout-${slot}`);
      const layer = this.layers[slot];
      const point = vertex && parseVertex(vertex, this.app.game.rows);
      if (!box || !layer || !point) continue;
      box.textContent = `${vertex}: ${formatNumber(layer.values[point.row]?.[point.column], layer.unit)}`;
      $(`note-${slot}`).textContent = layer.notes?.[point.row]?.[point.column] ?? "";
    }
  }

  // Whether the first layer is shown as a surface in the place of the board.
  get hasSurface() {
    const [name] = this.selected;
    return this.app.panel === this && this.asSurface && Boolean(name) && SURFACE_LAYERS.test(name);
  }

  // Draw the surface; while the layer of a new position is computed, the previous one stays.
  showSurface() {
    this.canvas.hidden = !this.hasSurface;
    const board = this.app.stage.boards[0].element;
    board.classList.toggle("covered", this.hasSurface);
    board.inert = this.hasSurface;
    if (this.canvas.hidden) {
      this.surface?.stop();
      this.surface = null;
      return;
    }
    const layer = this.layers[0];
    if (!layer) return;
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
    this.showSurface();
  }
}
