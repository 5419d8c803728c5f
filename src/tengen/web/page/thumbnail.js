// Small pictures of a board, drawn on canvas since a list shows many of them.

import { el } from "./dom.js";

const SIZE = 72; // pixels of the longer side
const MARGIN = 0.7; // around the grid, in grid steps

/**
 * Return a picture of a board: rows of `.XO` in one text.
 * @param {string} board
 * @param {number} rows
 * @param {number} columns
 */
export function thumbnail(board, rows, columns) {
  const step = SIZE / (Math.max(rows, columns) - 1 + 2 * MARGIN);
  const [width, height] = [columns, rows].map((count) => step * (count - 1 + 2 * MARGIN));
  const scale = Math.max(devicePixelRatio || 1, 1);
  const canvas = /** @type {HTMLCanvasElement} */ (el("canvas", { class: "thumbnail", width: Math.round(width * scale), height: Math.round(height * scale), style: `width:${width}px;height:${height}px`, "aria-hidden": "true" }));
  const context = canvas.getContext("2d");
  context.scale(scale, scale);
  draw(context, board, rows, columns, step);
  return canvas;
}

function draw(context, board, rows, columns, step) {
  const style = getComputedStyle(document.documentElement);
  const at = (index) => step * (MARGIN + index);
  context.fillStyle = style.getPropertyValue("--wood-2");
  context.fillRect(0, 0, at(columns), at(rows));
  context.strokeStyle = style.getPropertyValue("--grid");
  context.globalAlpha = 0.6;
  context.lineWidth = 0.5;
  context.beginPath();
  for (let row = 0; row < rows; row++) {
    context.moveTo(at(0), at(row));
    context.lineTo(at(columns - 1), at(row));
  }
  for (let column = 0; column < columns; column++) {
    context.moveTo(at(column), at(0));
    context.lineTo(at(column), at(rows - 1));
  }
  context.stroke();
  context.globalAlpha = 1;
  for (const [sign, fill] of [["X", "#17171a"], ["O", "#fbf9f3"]]) {
    context.fillStyle = fill;
    context.beginPath();
    for (let index = 0; index < board.length; index++) {
      if (board[index] !== sign) continue;
      const x = at(index % columns), y = at(Math.floor(index / columns));
      context.moveTo(x + 0.48 * step, y);
      context.arc(x, y, 0.48 * step, 0, 2 * Math.PI);
    }
    context.fill();
  }
}
