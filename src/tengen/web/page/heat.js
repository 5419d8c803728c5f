// Colours for layers of numbers, and the legend that says what they mean.

import { el } from "./dom.js";

// From light to dark, so that they also tell in grey: none to most.
const SEQUENTIAL = [[243, 240, 226], [168, 216, 185], [63, 167, 163], [44, 110, 155], [59, 47, 124]];
// White's to Black's.
const DIVERGING = [[201, 84, 26], [240, 178, 122], [244, 240, 228], [130, 160, 214], [30, 58, 138]];
const KEPT = "rgb(46 139 122)";

export function colourOf(layer, value) {
  if (value === null) return null;
  if (layer.scale === "mask") return value > 0.5 ? KEPT : "url(#hatch)";
  const share = (value - layer.low) / (layer.high - layer.low || 1);
  return blend(layer.scale === "diverging" ? DIVERGING : SEQUENTIAL, Math.min(Math.max(share, 0), 1));
}

// How solid a colour is: where little is said, the wood shows through.
export function strength(layer, value) {
  if (layer.scale !== "sequential") return 0.86;
  const share = (value - layer.low) / (layer.high - layer.low || 1);
  return 0.2 + 0.7 * Math.sqrt(Math.min(Math.max(share, 0), 1));
}

function blend(palette, share) {
  const place = share * (palette.length - 1);
  const first = Math.min(Math.floor(place), palette.length - 2);
  const part = place - first;
  const mixed = palette[first].map((from, i) => Math.round(from + (palette[first + 1][i] - from) * part));
  return `rgb(${mixed.join(" ")})`;
}

export function numberText(value, unit = "") {
  if (value === null || value === undefined) return "–";
  const size = Math.abs(value);
  const text = size === 0 ? "0" : size >= 1000 ? Math.round(value).toLocaleString("en") :
    size >= 0.01 ? Number(value.toPrecision(3)).toString() : value.toExponential(1);
  return unit ? `${text} ${unit}` : text;
}

export function legend(layer) {
  if (layer.scale === "mask") {
    return el("div", { class: "legend" },
      el("span", { class: "swatch", style: `background:${KEPT}` }), "kept",
      el("span", { class: "swatch hatched" }), "pruned");
  }
  const steps = [...Array(13).keys()].map((i) => colourOf({ ...layer, low: 0, high: 12 }, i));
  const bar = el("span", { class: "ramp", style: `background:linear-gradient(to right, ${steps.join(",")})` });
  const side = layer.scale === "diverging" ? ["White's ", " Black's"] : ["", ""];
  return el("div", { class: "legend" },
    side[0] + numberText(layer.low), bar, numberText(layer.high, layer.unit) + side[1]);
}
