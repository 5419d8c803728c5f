// The board: displays a view of a position and reports clicks, hovering and cursor movement.
//
// A view is {rows, columns, board, last, marks, layer, score, estimate, candidates, line, lineColor, rings, toPlay,
// ownership, dots, numbers, nextMoves, preview, frequencies, assessment}; rings are [vertex, kind], lineColor is the color of the first move of
// the line, ownership has values from -1 (White) to 1 (Black), dots are [vertex, loss class, points], numbers
// [vertex, number], nextMoves [vertex, color, whether it is the main continuation]; preview is a vertex,
// frequencies are {vertex, color, share, text} of moves in other games; assessment is [vertex, kind, text] of the
// last move.

import { assessmentMark, background, candidateMark, deadMark, definitions, fineness, frequencyMark, lossDot, margin, moveNumber, nextMove, numberedStones, recordMark, ring, stone } from "./board_drawing.js";
import { layerColor, layerOpacity } from "./color_scale.js";
import { parseVertex, vertexAt } from "./coordinates.js";
import { el, svg } from "./dom.js";
import { preference } from "./preferences.js";

const GROUPS = ["heat", "stones", "over", "marks", "line", "cursor"];
const BEST_POINTS = 3; // of a layer, ringed
const MIN_OWNERSHIP = 0.08; // points with less are not shaded
const LOST_OWNERSHIP = 0.5; // stones owned by the opponent to this degree are marked
const WHEEL_STEP = 40; // pixels of the wheel per move

export class Board {
  constructor(label, { onPlay, onHover, onCursor, onWheel }) {
    this.onPlay = onPlay;
    this.onWheel = onWheel;
    this.wheel = 0;
    this.onHover = onHover;
    this.onCursor = onCursor;
    this.size = null;
    this.cursor = null;
    this.view = null;
    this.groups = {};
    this.svg = svg("svg", { class: "board", tabindex: 0, role: "application", "aria-label": label });
    this.element = el("div", { class: "board-frame" }, this.svg);
    this.svg.addEventListener("mousedown", keepFocusOffBoard);
    this.svg.addEventListener("click", (event) => this.click(event));
    this.svg.addEventListener("pointermove", (event) => this.hover(this.pointAt(event)));
    this.svg.addEventListener("pointerleave", () => this.hover(null));
    this.svg.addEventListener("wheel", (event) => this.turnWheel(event), { passive: false });
    this.svg.addEventListener("keydown", (event) => this.handleKey(event));
    this.svg.addEventListener("focus", () => this.drawCursor());
    this.svg.addEventListener("blur", () => this.drawCursor());
  }

  show(view) {
    const previous = this.view;
    this.view = view;
    if (this.size !== sizeOf(view)) this.rebuild();
    const { rows } = view;
    const numbered = new Set((view.numbers ?? []).map(([vertex]) => vertex));
    this.draw("heat", view.layer ? heatCells(view) : view.estimate ? territory(view) : view.ownership ? ownership(view) : []);
    this.draw("stones", stones(view, previous));
    this.draw("over", view.layer ? heatOnStones(view) : view.ownership && !view.estimate ? lostStones(view) : []);
    this.draw("marks", [
      ...(view.score ? scoreMarks(view) : []),
      ...(view.estimate?.dead ?? []).map((vertex) => deadMark(parseVertex(vertex, rows))),
      ...(numbered.has(view.last) ? [] : lastMoveMark(view)),
      ...(view.numbers ?? []).map(([vertex, number]) => moveNumber(parseVertex(vertex, rows), number, this.stoneAt(vertex), vertex === view.last)),
      ...(view.dots ?? []).map(([vertex, kind]) => lossDot(parseVertex(vertex, rows), kind, this.stoneAt(vertex), numbered.has(vertex))),
      ...(view.nextMoves ?? []).map(([vertex, color, isMain]) => nextMove(parseVertex(vertex, rows), color, isMain)),
      ...(view.marks ?? []).map(([vertex, shape, text]) => recordMark(parseVertex(vertex, rows), shape, text, this.stoneAt(vertex))),
      ...(view.layer?.marks ?? []).slice(0, BEST_POINTS).map((vertex) => ring(parseVertex(vertex, rows), "best")),
      ...layerLabels(view),
      ...(view.frequencies ?? []).map((move) => frequencyMark(parseVertex(move.vertex, rows), move)),
      ...(view.candidates ?? []).map((candidate) => candidateMark(parseVertex(candidate.vertex, rows), candidate)),
      ...(view.rings ?? []).map(([vertex, kind]) => ring(parseVertex(vertex, rows), kind)),
      view.assessment && assessmentMark(parseVertex(view.assessment[0], rows), view.assessment),
    ].filter(Boolean));
    if (view.preview) this.groups.marks.append(stone(parseVertex(view.preview, rows), view.toPlay, "preview"));
    this.showLine(view.line, view.lineColor);
    this.drawCursor();
    this.svg.classList.toggle("veiled", Boolean(view.layer));
  }

  // Show a variation as numbered stones, or remove it.
  showLine(line, firstColor) {
    const { rows } = this.view;
    this.draw("line", line?.length ? numberedStones(line.map((vertex) => parseVertex(vertex, rows)), firstColor) : []);
    this.svg.classList.toggle("with-line", Boolean(line?.length));
  }

  rebuild() {
    const { rows, columns } = this.view;
    this.size = sizeOf(this.view);
    this.cursor = null;
    const edge = margin(rows, columns);
    this.svg.style.setProperty("--fine", fineness(rows, columns).toFixed(3));
    const box = [-edge, -edge, columns - 1 + 2 * edge, rows - 1 + 2 * edge];
    this.svg.setAttribute("viewBox", box.join(" "));
    this.element.style.setProperty("--shape", box[2] / box[3]);
    const veil = svg("rect", { x: -0.55, y: -0.55, width: columns + 0.1, height: rows + 0.1, rx: 0.1, class: "veil" });
    for (const name of GROUPS) this.groups[name] = svg("g", { class: name });
    this.svg.replaceChildren(definitions(), background(rows, columns, veil), ...GROUPS.map((name) => this.groups[name]));
  }

  draw(name, nodes) {
    this.groups[name].replaceChildren(...nodes);
  }

  stoneAt(vertex) {
    const point = parseVertex(vertex, this.view.rows);
    return point ? this.view.board[point.row][point.column] : ".";
  }

  // Pointer

  pointAt(event) {
    if (!this.view) return null;
    const matrix = this.svg.getScreenCTM();
    if (!matrix) return null;
    const { x, y } = new DOMPoint(event.clientX, event.clientY).matrixTransform(matrix.inverse());
    const point = { row: Math.round(y), column: Math.round(x) };
    const isInside = point.row >= 0 && point.row < this.view.rows && point.column >= 0 && point.column < this.view.columns;
    return isInside ? point : null;
  }

  hover(point) {
    const vertex = point && vertexAt(point.row, point.column, this.view.rows);
    if (vertex === this.hovered) return;
    this.hovered = vertex;
    this.onHover(vertex);
    this.drawGhost(point);
  }

  click(event) {
    const point = this.pointAt(event);
    if (point) this.onPlay(vertexAt(point.row, point.column, this.view.rows), event.pointerType);
  }

  // Step through the game, one move per notch of the wheel.
  turnWheel(event) {
    if (event.ctrlKey || !event.deltaY) return;
    event.preventDefault();
    this.wheel += event.deltaMode ? Math.sign(event.deltaY) * WHEEL_STEP : event.deltaY;
    if (Math.abs(this.wheel) < WHEEL_STEP) return;
    this.onWheel(this.wheel > 0 ? "forward" : "back");
    this.wheel = 0;
  }

  drawGhost(point) {
    this.ghost?.remove();
    this.ghost = null;
    const isEmpty = point && this.view.board[point.row][point.column] === ".";
    if (isEmpty && !this.view.score && this.view.toPlay) {
      this.ghost = stone(point, this.view.toPlay, "ghost");
      this.groups.cursor.append(this.ghost);
    }
  }

  // Keyboard: arrow keys move the cursor, Enter or Space plays, Escape leaves the board.

  handleKey(event) {
    const steps = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };
    const step = steps[event.key];
    const { rows, columns } = this.view;
    const now = this.cursor ?? { row: Math.floor(rows / 2), column: Math.floor(columns / 2) };
    if (step && !event.ctrlKey && !event.metaKey) {
      this.cursor = this.cursor ? {
        row: (now.row + step[0] + rows) % rows,
        column: (now.column + step[1] + columns) % columns,
      } : now;
      const vertex = vertexAt(this.cursor.row, this.cursor.column, rows);
      this.onHover(vertex);
      this.onCursor(vertex, this.stoneAt(vertex));
    } else if (event.key === "Enter" || event.key === " ") {
      if (this.cursor) this.onPlay(vertexAt(now.row, now.column, rows));
      this.cursor = now;
    } else if (event.key === "Escape") {
      this.cursor = null;
      this.svg.blur();
    } else {
      return;
    }
    event.preventDefault();
    event.stopPropagation();
    this.drawCursor();
  }

  drawCursor() {
    const isShown = this.cursor && document.activeElement === this.svg;
    this.draw("cursor", isShown ? [ring(this.cursor, "cursor-ring")] : []);
    this.ghost = null;
  }
}

// A click must not focus the board: the arrow keys continue to step through the moves.
function keepFocusOffBoard(event) {
  event.preventDefault();
  const focused = /** @type {HTMLElement | null} */ (document.activeElement);
  focused?.blur();
}

function sizeOf({ columns, rows }) {
  return `${columns}x${rows} ${preference("coordinates")}`;
}

function eachPoint(rows, columns, create) {
  const created = [];
  for (let row = 0; row < rows; row++) {
    for (let column = 0; column < columns; column++) {
      const node = create(row, column);
      if (node) created.push(node);
    }
  }
  return created;
}

function stones(view, previous) {
  const isSameSize = previous?.rows === view.rows && previous?.columns === view.columns;
  return eachPoint(view.rows, view.columns, (row, column) => {
    const sign = view.board[row][column];
    if (sign === ".") return null;
    const isNew = isSameSize && previous.board[row][column] !== sign;
    return stone({ row, column }, sign === "X" ? "black" : "white", isNew ? "new" : "");
  });
}

function heatCells({ layer, rows, columns, board }) {
  return eachPoint(rows, columns, (row, column) => {
    const fill = layerColor(layer, layer.values[row]?.[column] ?? null);
    if (!fill || board[row][column] !== ".") return null;
    const opacity = layerOpacity(layer, layer.values[row][column]);
    return svg("rect", { x: column - 0.48, y: row - 0.48, width: 0.96, height: 0.96, rx: 0.14, fill, opacity });
  });
}

// Shade each empty point and dead stone by its probable owner, from -1 (White) to 1 (Black).
function territory({ estimate, rows, columns, board }) {
  const dead = new Set(estimate.dead);
  return eachPoint(rows, columns, (row, column) => {
    if (board[row][column] !== "." && !dead.has(vertexAt(row, column, rows))) return null;
    const value = estimate.ownership[row][column];
    return svg("rect", { x: column - 0.5, y: row - 0.5, width: 1, height: 1, opacity: 0.65 * Math.abs(value), class: value > 0 ? "territory black" : "territory white" });
  });
}

// Shade each point softly by its owner.
function ownership({ ownership: values, rows, columns }) {
  const cells = eachPoint(rows, columns, (row, column) => {
    const value = values[row][column];
    if (Math.abs(value) < MIN_OWNERSHIP) return null;
    return svg("rect", { x: column - 0.5, y: row - 0.5, width: 1, height: 1, opacity: (0.62 * Math.abs(value)).toFixed(2), class: value > 0 ? "territory black" : "territory white" });
  });
  return [svg("g", { filter: "url(#soft)" }, cells)];
}

// Mark the stones that the opponent owns.
function lostStones({ ownership: values, rows, columns, board }) {
  return eachPoint(rows, columns, (row, column) => {
    const value = values[row][column], sign = board[row][column];
    if (sign === "." || (sign === "X" ? value : -value) > -LOST_OWNERSHIP) return null;
    return svg("rect", { x: column - 0.17, y: row - 0.17, width: 0.34, height: 0.34, rx: 0.04, class: value > 0 ? "owner black" : "owner white" });
  });
}

function heatOnStones({ layer, rows, columns, board }) {
  return eachPoint(rows, columns, (row, column) => {
    const fill = layerColor(layer, layer.values[row]?.[column] ?? null);
    if (!fill || board[row][column] === ".") return null;
    return svg("rect", { x: column - 0.2, y: row - 0.2, width: 0.4, height: 0.4, rx: 0.08, fill, class: "on-stone" });
  });
}

function layerLabels({ layer, rows, columns, board }) {
  if (!layer?.labels) return [];
  return eachPoint(rows, columns, (row, column) => {
    const text = layer.labels[row]?.[column];
    if (!text) return null;
    const value = layer.values[row][column];
    const share = value === null ? 0 : (value - layer.low) / (layer.high - layer.low || 1);
    const isDark = board[row][column] === "X" || (layer.scale === "sequential" && share > 0.45);
    return svg("text", { x: column, y: row + 0.12, class: isDark ? "label light" : "label" }, text);
  });
}

function lastMoveMark({ last, rows, board }) {
  const point = parseVertex(last, rows);
  if (!point || board[point.row][point.column] === ".") return [];
  const sign = board[point.row][point.column];
  return [svg("circle", { cx: point.column, cy: point.row, r: 0.25, class: sign === "X" ? "last on-black" : "last on-white" })];
}

function scoreMarks({ score, rows, columns, board }) {
  const owners = eachPoint(rows, columns, (row, column) => {
    const owner = score.owner[row][column];
    if (owner === "." || owner === board[row][column]) return null;
    return svg("rect", { x: column - 0.17, y: row - 0.17, width: 0.34, height: 0.34, rx: 0.04, class: owner === "X" ? "owner black" : "owner white" });
  });
  return [...score.dead.map((vertex) => deadMark(parseVertex(vertex, rows))), ...owners];
}
