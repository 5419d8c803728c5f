// SVG elements of a board: wood, grid, coordinates, stones and marks. One unit is one grid step.

import { columnLetter, starPoints } from "./coordinates.js";
import { svg } from "./dom.js";
import { preference } from "./preferences.js";

const MARGIN = 0.9, BARE_MARGIN = 0.7; // with and without coordinates, on small boards
const EXTRA_MARGIN = 0.25; // on 19x19
const STONE_RADIUS = 0.477;
const CROSS = "l.4 .4m0 -.4l-.4 .4";

// Return the level of detail of a board: 1 for 19x19, smaller for smaller boards.
export function fineness(rows, columns) {
  return Math.max(rows, columns, 9) / 19;
}

// Return the space around the grid.
export function margin(rows, columns) {
  return preference("coordinates") ? MARGIN + EXTRA_MARGIN * fineness(rows, columns) : BARE_MARGIN;
}

// Gradients and patterns

export function definitions() {
  const stop = (offset, color, opacity) =>
    svg("stop", { offset, "stop-color": color, "stop-opacity": opacity });
  const sphere = { cx: 0.36, cy: 0.3, r: 0.78 };
  return svg("defs", {},
    svg("linearGradient", { id: "wood", x1: 0, y1: 0, x2: 1, y2: 1 },
      svg("stop", { offset: 0, class: "wood-1" }), svg("stop", { offset: 0.5, class: "wood-2" }), svg("stop", { offset: 1, class: "wood-3" })),
    svg("radialGradient", { id: "black-stone", ...sphere },
      stop(0, "#7d7f86"), stop(0.18, "#4b4c52"), stop(0.55, "#1e1f23"), stop(1, "#060607")),
    svg("radialGradient", { id: "white-stone", ...sphere },
      stop(0, "#ffffff"), stop(0.45, "#f7f5ef"), stop(0.8, "#dedad0"), stop(1, "#b9b4a6")),
    svg("radialGradient", { id: "stone-shadow" },
      stop(0.6, "#2a1600", 0.5), stop(0.85, "#2a1600", 0.18), stop(1, "#2a1600", 0)),
    svg("filter", { id: "soft", x: "-5%", y: "-5%", width: "110%", height: "110%" }, svg("feGaussianBlur", { stdDeviation: 0.22 })),
    svg("pattern", { id: "hatch", width: 0.22, height: 0.22, patternUnits: "userSpaceOnUse", patternTransform: "rotate(45)" },
      svg("rect", { width: 0.08, height: 0.22, class: "hatch" })));
}

// Background

// Draw wood, grid and coordinates; `overlay` goes between the wood and the grid.
export function background(rows, columns, overlay) {
  const edge = margin(rows, columns);
  const width = columns - 1 + 2 * edge, height = rows - 1 + 2 * edge;
  const clip = svg("clipPath", { id: "rim" }, svg("rect", { width, height, rx: 0.16 }));
  const wood = svg("g", { "clip-path": "url(#rim)", transform: `translate(${-edge} ${-edge})` },
    svg("rect", { width, height, fill: "url(#wood)" }),
    grain(width, height),
    svg("rect", { width, height, class: "dusk" }),
    svg("rect", { x: 0.03, y: 0.03, width: width - 0.06, height: height - 0.06, rx: 0.14, class: "bevel" }));
  return svg("g", {}, clip, wood, overlay, grid(rows, columns), preference("coordinates") ? coordinates(rows, columns) : null);
}

// Linear congruential generator, so that the grain is the same every time.
/** @returns {Generator<number, never, void>} */
function* randomNumbers(seed) {
  let state = seed;
  for (;;) {
    state = (state * 1664525 + 1013904223) % 4294967296;
    yield state / 4294967296;
  }
}

function grain(width, height) {
  const numbers = randomNumbers(7);
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

function grid(rows, columns) {
  let path = "";
  for (let row = 0; row < rows; row++) path += `M0 ${row}H${columns - 1}`;
  for (let column = 0; column < columns; column++) path += `M${column} 0V${rows - 1}`;
  const stars = starPoints(rows, columns).map(({ row, column }) =>
    svg("circle", { cx: column, cy: row, r: 0.055 + 0.045 * fineness(rows, columns) }));
  return svg("g", {},
    svg("path", { d: path, class: "grid" }),
    svg("rect", { width: columns - 1, height: rows - 1, class: "edge" }),
    svg("g", { class: "stars" }, stars));
}

function coordinates(rows, columns) {
  const texts = [];
  const near = 0.52 + 0.26 * fineness(rows, columns); // distance from the edge of the grid
  const put = (x, y, text) => texts.push(svg("text", { x, y: y + 0.12 * fineness(rows, columns) }, text));
  for (let column = 0; column < columns; column++) {
    put(column, -near, columnLetter(column));
    put(column, rows - 1 + near, columnLetter(column));
  }
  for (let row = 0; row < rows; row++) {
    put(-near, row, rows - row);
    put(columns - 1 + near, row, rows - row);
  }
  return svg("g", { class: "coordinates" }, texts);
}

// Stones

// Displace each stone slightly, always by the same amount, for a natural look.
function offset(row, column, salt) {
  const noise = Math.sin(row * 12.9898 + column * 78.233 + salt) * 43758.5453;
  return (noise - Math.floor(noise) - 0.5) * 0.05;
}

export function stone({ row, column }, color, kind = "") {
  const x = column + offset(row, column, 1), y = row + offset(row, column, 2);
  const body = svg("circle", { cx: x, cy: y, r: STONE_RADIUS, fill: `url(#${color}-stone)` });
  if (kind === "ghost") return svg("g", { class: "stone ghost" }, body);
  const shadow = svg("circle", { cx: x + 0.05, cy: y + 0.08, r: STONE_RADIUS * 1.1, class: "shadow", fill: "url(#stone-shadow)" });
  return svg("g", { class: `stone ${color} ${kind}`, style: `transform-origin:${x}px ${y}px` }, shadow, body);
}

// Draw a variation as numbered stones; only the first move on a point is drawn.
export function numberedStones(points, firstColor) {
  const other = firstColor === "black" ? "white" : "black";
  const taken = new Set();
  return points.flatMap((point, index) => {
    const key = point && `${point.row},${point.column}`;
    if (!point || taken.has(key)) return [];
    taken.add(key);
    const color = index % 2 ? other : firstColor;
    const text = svg("text", { x: point.column, y: point.row + 0.15, class: `number ${color}` }, index + 1);
    return [stone(point, color, "planned"), text];
  });
}

// Marks

export function ring(point, kind) {
  return point && svg("circle", { cx: point.column, cy: point.row, r: 0.4, class: `ring ${kind}` });
}

export function deadMark({ row, column }) {
  return svg("path", { d: `M${column - 0.2} ${row - 0.2}${CROSS}`, class: "dead" });
}

// Draw a mark of the game record; `stoneHere` is the board character at the point.
export function recordMark(point, shape, text, stoneHere) {
  if (!point) return null;
  const { row, column } = point;
  const kind = `mark ${stoneHere === "X" ? "on-black" : stoneHere === "O" ? "on-white" : "on-wood"}`;
  if (shape === "label") return svg("text", { x: column, y: row + 0.16, class: `${kind} letter` }, text);
  if (shape === "circle") return svg("circle", { cx: column, cy: row, r: 0.25, class: kind });
  const paths = {
    triangle: `M${column} ${row - 0.29}l.26 .45h-.52z`,
    square: `M${column - 0.21} ${row - 0.21}h.42v.42h-.42z`,
    cross: `M${column - 0.2} ${row - 0.2}${CROSS}`,
  };
  return svg("path", { d: paths[shape], class: kind });
}

// Draw the assessment of a move, such as "?!", at the edge of its stone.
export function assessmentMark(point, [, kind, text]) {
  if (!point) return null;
  const place = { x: point.column + 0.36, y: point.row - 0.24 };
  return svg("g", { class: `assessment-mark ${kind}` },
    svg("circle", { cx: place.x, cy: place.y - 0.12, r: 0.24 }), svg("text", place, text));
}

// Draw a candidate of the search: colored by points lost, up to three lines of text; opacity shows its share of visits.
export function candidateMark(point, { texts, kind, share, isBest }) {
  if (!point) return null;
  const { row, column } = point;
  const sizes = [[], [0.42], [0.37, 0.29], [0.3, 0.26, 0.26]][texts.length];
  const total = sizes.reduce((sum, size) => sum + size, 0);
  let y = row - total / 2;
  const lines = texts.map((text, index) => {
    y += sizes[index];
    return svg("text", { x: column, y: y - 0.14 * sizes[index], style: `font-size:${text.length > 3 ? 0.86 * sizes[index] : sizes[index]}px`, class: index ? "" : "first" }, text);
  });
  return svg("g", { class: `candidate loss-${kind}${isBest ? " best" : ""}` },
    svg("circle", { cx: column, cy: row, r: 0.47, "fill-opacity": (0.5 + 0.5 * share).toFixed(2) }), lines);
}

// Draw how often a move was played in other games.
export function frequencyMark(point, { color, share, text }) {
  if (!point) return null;
  const { row, column } = point;
  return svg("g", { class: `frequency ${color}` },
    svg("circle", { cx: column, cy: row, r: 0.46, "fill-opacity": (0.45 + 0.5 * share).toFixed(2) }),
    svg("text", { x: column, y: row + 0.125, style: `font-size:${text.length > 3 ? 0.3 : 0.36}px` }, text));
}

// Draw a dot on a stone whose color and size show the points lost.
export function lossDot(point, kind, stoneHere, isNumbered) {
  if (!point || stoneHere === ".") return null;
  const place = isNumbered ? { cx: point.column + 0.27, cy: point.row - 0.27 } : { cx: point.column, cy: point.row };
  return svg("circle", { ...place, r: 0.11 + 0.014 * kind, class: `loss-dot loss-${kind} ${stoneHere === "X" ? "on-black" : "on-white"}` });
}

// Draw the number of a move on its stone.
export function moveNumber(point, number, stoneHere, isLast) {
  if (!point || stoneHere === ".") return null;
  const kind = `number ${stoneHere === "X" ? "black" : "white"}${number > 99 ? " small" : ""}${isLast ? " current" : ""}`;
  return svg("text", { x: point.column, y: point.row + (number > 99 ? 0.12 : 0.15), class: kind }, number);
}

// Mark a next move of the game tree.
export function nextMove(point, color, isMain) {
  return point && svg("circle", { cx: point.column, cy: point.row, r: 0.43, class: `next ${color}${isMain ? " main" : ""}` });
}
