// Color scales of layers, and their legends.

import { el } from "./dom.js";
import { t } from "./translation.js";

// Increasing darkness, so that the scales also work in grayscale: low to high.
const SEQUENTIAL = [[243, 240, 226], [168, 216, 185], [63, 167, 163], [44, 110, 155], [59, 47, 124]];
// From White to Black.
const DIVERGING = [[201, 84, 26], [240, 178, 122], [244, 240, 228], [130, 160, 214], [30, 58, 138]];
const KEPT = "rgb(46 139 122)";

export function layerColor(layer, value) {
  if (value === null) return null;
  if (layer.scale === "mask") return value > 0.5 ? KEPT : "url(#hatch)";
  return interpolate(layer.scale === "diverging" ? DIVERGING : SEQUENTIAL, fraction(layer, value));
}

// Opacity of a point: low values of sequential layers let the board show through.
export function layerOpacity(layer, value) {
  if (layer.scale !== "sequential") return 0.86;
  return 0.2 + 0.7 * Math.sqrt(fraction(layer, value));
}

function fraction({ low, high }, value) {
  return Math.min(Math.max((value - low) / (high - low || 1), 0), 1);
}

function interpolate(palette, share) {
  const place = share * (palette.length - 1);
  const first = Math.min(Math.floor(place), palette.length - 2);
  const mixed = palette[first].map((from, i) => Math.round(from + (palette[first + 1][i] - from) * (place - first)));
  return `rgb(${mixed.join(" ")})`;
}

export function formatNumber(value, unit = "") {
  if (value === null || value === undefined) return "–";
  const size = Math.abs(value);
  const text = size === 0 ? "0" : size >= 1000 ? Math.round(value).toLocaleString("en") :
    size >= 0.01 ? Number(value.toPrecision(3)).toString() : value.toExponential(1);
  return unit ? `${text} ${unit}` : text;
}

export function legend(layer) {
  if (layer.scale === "mask") {
    return el("div", { class: "legend" },
      el("span", { class: "swatch", style: `background:${KEPT}` }), t("layers.kept"),
      el("span", { class: "swatch hatched" }), t("layers.pruned"));
  }
  const steps = [...Array(13).keys()].map((i) => layerColor({ ...layer, low: 0, high: 12 }, i));
  const bar = el("span", { class: "ramp", style: `background:linear-gradient(to right, ${steps.join(",")})` });
  const ends = [formatNumber(layer.low), formatNumber(layer.high, layer.unit)];
  const [low, high] = layer.scale === "diverging" ? [t("layers.white_side", { value: ends[0] }), t("layers.black_side", { value: ends[1] })] : ends;
  return el("div", { class: "legend" },
    low, bar, high);
}
