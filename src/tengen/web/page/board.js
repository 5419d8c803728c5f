// A board: shows a view of a position, and tells where one points and clicks.
//
// A view: {rows, columns, board, last, marks, layer, score, candidates, line, lineFirst, rings, toPlay};
// rings are [vertex, kind].

import { el, svg } from "./dom.js";
import { colourOf, strength } from "./heat.js";
import { candidateMark, deadMark, markShape, numbered, ring } from "./marks.js";
import { placeOf, vertexAt } from "./points.js";
import { stone } from "./stones.js";
import { gradients, MARGIN, wood } from "./wood.js";

export class Board {
  constructor(label, { onPlay, onHover, onCursor }) {
    this.onPlay = onPlay;
    this.onHover = onHover;
    this.onCursor = onCursor;
    this.size = null;
    this.cursor = null;
    this.view = null;
    this.layers = {};
    this.svg = svg("svg", { class: "board", tabindex: 0, role: "application", "aria-label": label });
    this.element = el("div", { class: "board-frame" }, this.svg);
    this.svg.addEventListener("mousedown", leaveFocus);
    this.svg.addEventListener("click", (event) => this.click(event));
    this.svg.addEventListener("pointermove", (event) => this.point(this.placeAt(event)));
    this.svg.addEventListener("pointerleave", () => this.point(null));
    this.svg.addEventListener("keydown", (event) => this.key(event));
    this.svg.addEventListener("focus", () => this.drawCursor());
    this.svg.addEventListener("blur", () => this.drawCursor());
  }

  show(view) {
    const before = this.view;
    this.view = view;
    if (this.size !== `${view.columns}x${view.rows}`) this.rebuild();
    const { rows } = view;
    this.draw("heat", view.layer ? heatCells(view) : []);
    this.draw("stones", stones(view, before));
    this.draw("over", view.layer ? heatOnStones(view) : []);
    this.draw("marks", [
      ...(view.score ? scoreMarks(view) : []),
      ...lastMark(view),
      ...(view.marks ?? []).map(([vertex, shape, text]) => markShape(placeOf(vertex, rows), shape, text, this.onStone(vertex))),
      ...(view.layer?.marks ?? []).slice(0, 3).map((vertex) => ring(placeOf(vertex, rows), "best")),
      ...labels(view),
      ...(view.candidates ?? []).map((candidate) => candidateMark(placeOf(candidate.vertex, rows), candidate)),
      ...(view.rings ?? []).map(([vertex, kind]) => ring(placeOf(vertex, rows), kind)),
    ].filter(Boolean));
    this.showLine(view.line, view.lineFirst);
    this.drawCursor();
    this.svg.classList.toggle("veiled", Boolean(view.layer));
  }

  // Show moves to come as numbered stones, `first` being who begins; or none.
  showLine(line, first) {
    const { rows } = this.view;
    this.draw("line", line?.length ? numbered(line.map((vertex) => placeOf(vertex, rows)), first) : []);
    this.svg.classList.toggle("with-line", Boolean(line?.length));
  }

  rebuild() {
    const { rows, columns } = this.view;
    this.size = `${columns}x${rows}`;
    this.cursor = null;
    const box = [-MARGIN, -MARGIN, columns - 1 + 2 * MARGIN, rows - 1 + 2 * MARGIN];
    this.svg.setAttribute("viewBox", box.join(" "));
    this.element.style.setProperty("--shape", box[2] / box[3]);
    const veil = svg("rect", { x: -0.55, y: -0.55, width: columns + 0.1, height: rows + 0.1, rx: 0.1, class: "veil" });
    const names = ["heat", "stones", "over", "marks", "line", "cursor"];
    for (const name of names) this.layers[name] = svg("g", { class: name });
    const ground = wood(rows, columns);
    ground.insertBefore(veil, ground.children[2]);
    this.svg.replaceChildren(gradients(), ground, ...names.map((name) => this.layers[name]));
  }

  draw(name, nodes) {
    this.layers[name].replaceChildren(...nodes);
  }

  onStone(vertex) {
    const place = placeOf(vertex, this.view.rows);
    return place ? this.view.board[place.row][place.column] : ".";
  }

  // Pointing

  placeAt(event) {
    if (!this.view) return null;
    const matrix = this.svg.getScreenCTM();
    if (!matrix) return null;
    const at = new DOMPoint(event.clientX, event.clientY).matrixTransform(matrix.inverse());
    const place = { row: Math.round(at.y), column: Math.round(at.x) };
    const isInside = place.row >= 0 && place.row < this.view.rows && place.column >= 0 && place.column < this.view.columns;
    return isInside ? place : null;
  }

  point(place) {
    const vertex = place && vertexAt(place.row, place.column, this.view.rows);
    if (vertex === this.hovered) return;
    this.hovered = vertex;
    this.onHover(vertex);
    this.drawGhost(place);
  }

  click(event) {
    const place = this.placeAt(event);
    if (place) this.onPlay(vertexAt(place.row, place.column, this.view.rows));
  }

  drawGhost(place) {
    this.ghost?.remove();
    this.ghost = null;
    const isFree = place && this.view.board[place.row][place.column] === ".";
    if (isFree && !this.view.score && this.view.toPlay) {
      this.ghost = stone(place, this.view.toPlay, "ghost");
      this.layers.cursor.append(this.ghost);
    }
  }

  // The cursor: arrow keys move it, Enter plays.

  key(event) {
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
      this.onCursor(vertex, this.onStone(vertex));
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

// A click is no way to the board's cursor: the arrow keys go on leafing through the moves.
function leaveFocus(event) {
  event.preventDefault();
  document.activeElement?.blur();
}

function eachPoint(rows, columns, make) {
  const made = [];
  for (let row = 0; row < rows; row++) {
    for (let column = 0; column < columns; column++) {
      const node = make(row, column);
      if (node) made.push(node);
    }
  }
  return made;
}

function stones(view, before) {
  const isSame = before?.rows === view.rows && before?.columns === view.columns;
  return eachPoint(view.rows, view.columns, (row, column) => {
    const sign = view.board[row][column];
    if (sign === ".") return null;
    const isNew = isSame && before.board[row][column] !== sign;
    return stone({ row, column }, sign === "X" ? "black" : "white", isNew ? "new" : "");
  });
}

function heatCells({ layer, rows, columns, board }) {
  return eachPoint(rows, columns, (row, column) => {
    const fill = colourOf(layer, layer.values[row]?.[column] ?? null);
    if (!fill || board[row][column] !== ".") return null;
    const opacity = strength(layer, layer.values[row][column]);
    return svg("rect", { x: column - 0.48, y: row - 0.48, width: 0.96, height: 0.96, rx: 0.14, fill, opacity });
  });
}

function heatOnStones({ layer, rows, columns, board }) {
  return eachPoint(rows, columns, (row, column) => {
    const fill = colourOf(layer, layer.values[row]?.[column] ?? null);
    if (!fill || board[row][column] === ".") return null;
    return svg("rect", { x: column - 0.2, y: row - 0.2, width: 0.4, height: 0.4, rx: 0.08, fill, class: "on-stone" });
  });
}

function labels({ layer, rows, columns, board }) {
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

function lastMark({ last, rows, board }) {
  const place = placeOf(last, rows);
  if (!place || board[place.row][place.column] === ".") return [];
  const sign = board[place.row][place.column];
  return [svg("circle", { cx: place.column, cy: place.row, r: 0.19, class: sign === "X" ? "last on-black" : "last on-white" })];
}

function scoreMarks({ score, rows, columns, board }) {
  const owners = eachPoint(rows, columns, (row, column) => {
    const owner = score.owner[row][column];
    const stoneHere = board[row][column];
    if (owner === "." || owner === stoneHere) return null;
    return svg("rect", { x: column - 0.17, y: row - 0.17, width: 0.34, height: 0.34, rx: 0.04, class: owner === "X" ? "owner black" : "owner white" });
  });
  return [...score.dead.map((vertex) => deadMark(placeOf(vertex, rows))), ...owners];
}
