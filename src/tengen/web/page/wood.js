// The board itself: wood with its grain, lines, star points, letters and numbers.

import { svg } from "./dom.js";
import { letter, starPoints } from "./points.js";

export const MARGIN = 1.15;

// Numbers that look drawn by chance, the same ones every time.
function* chance(seed) {
  let state = seed;
  for (;;) {
    state = (state * 1664525 + 1013904223) % 4294967296;
    yield state / 4294967296;
  }
}

function grain(width, height) {
  const numbers = chance(7);
  const next = () => numbers.next().value;
  const lines = [];
  for (let x = -0.5; x < width + 0.5; x += 0.1 + 0.28 * next()) {
    const sway = () => x + 0.22 * (next() - 0.5);
    lines.push(svg("path", {
      d: `M${x} 0C${sway()} ${height / 3} ${sway()} ${(2 * height) / 3} ${x + 0.25 * (next() - 0.5)} ${height}`,
      "stroke-width": 0.015 + 0.05 * next(),
      opacity: 0.05 + 0.16 * next(),
    }));
  }
  return svg("g", { class: "grain" }, lines);
}

export function gradients() {
  const stop = (offset, colour, opacity) =>
    svg("stop", { offset, "stop-color": colour, "stop-opacity": opacity });
  const ball = { cx: 0.36, cy: 0.3, r: 0.78 };
  return svg("defs", {},
    svg("linearGradient", { id: "wood", x1: 0, y1: 0, x2: 1, y2: 1 },
      stop(0, "#ecc57c"), stop(0.5, "#e0b263"), stop(1, "#d3a151")),
    svg("radialGradient", { id: "black-stone", ...ball },
      stop(0, "#7d7f86"), stop(0.18, "#4b4c52"), stop(0.55, "#1e1f23"), stop(1, "#060607")),
    svg("radialGradient", { id: "white-stone", ...ball },
      stop(0, "#ffffff"), stop(0.45, "#f7f5ef"), stop(0.8, "#dedad0"), stop(1, "#b9b4a6")),
    svg("radialGradient", { id: "stone-shadow" },
      stop(0.6, "#2a1600", 0.5), stop(0.85, "#2a1600", 0.18), stop(1, "#2a1600", 0)),
    svg("pattern", { id: "hatch", width: 0.22, height: 0.22, patternUnits: "userSpaceOnUse", patternTransform: "rotate(45)" },
      svg("rect", { width: 0.08, height: 0.22, class: "hatch" })));
}

export function wood(rows, columns) {
  const width = columns - 1 + 2 * MARGIN, height = rows - 1 + 2 * MARGIN;
  const clip = svg("clipPath", { id: "rim" }, svg("rect", { width, height, rx: 0.16 }));
  const plank = svg("g", { "clip-path": "url(#rim)", transform: `translate(${-MARGIN} ${-MARGIN})` },
    svg("rect", { width, height, fill: "url(#wood)" }),
    grain(width, height),
    svg("rect", { width, height, class: "dusk" }),
    svg("rect", { x: 0.03, y: 0.03, width: width - 0.06, height: height - 0.06, rx: 0.14, class: "bevel" }));
  return svg("g", {}, clip, plank, lines(rows, columns), names(rows, columns));
}

function lines(rows, columns) {
  let path = "";
  for (let row = 0; row < rows; row++) path += `M0 ${row}H${columns - 1}`;
  for (let column = 0; column < columns; column++) path += `M${column} 0V${rows - 1}`;
  const stars = starPoints(rows, columns).map(({ row, column }) =>
    svg("circle", { cx: column, cy: row, r: 0.1 }));
  return svg("g", {},
    svg("path", { d: path, class: "lines" }),
    svg("rect", { width: columns - 1, height: rows - 1, class: "edge" }),
    svg("g", { class: "stars" }, stars));
}

function names(rows, columns) {
  const texts = [];
  const put = (x, y, text) => texts.push(svg("text", { x, y: y + 0.1 }, text));
  for (let column = 0; column < columns; column++) {
    put(column, -0.78, letter(column));
    put(column, rows - 1 + 0.78, letter(column));
  }
  for (let row = 0; row < rows; row++) {
    put(-0.8, row, rows - row);
    put(columns - 1 + 0.8, row, rows - row);
  }
  return svg("g", { class: "names" }, texts);
}
