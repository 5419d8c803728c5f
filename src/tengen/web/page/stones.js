// Stones that look like stones.

import { svg } from "./dom.js";

const RADIUS = 0.477;

// A hand puts no stone exactly on its point: each lies a little off, always the same way.
function offset(row, column, salt) {
  const wild = Math.sin(row * 12.9898 + column * 78.233 + salt) * 43758.5453;
  return (wild - Math.floor(wild) - 0.5) * 0.05;
}

export function stone({ row, column }, colour, kind = "") {
  const x = column + offset(row, column, 1), y = row + offset(row, column, 2);
  const body = svg("circle", { cx: x, cy: y, r: RADIUS, fill: `url(#${colour}-stone)` });
  if (kind === "ghost") return svg("g", { class: "stone ghost" }, body);
  const shadow = svg("circle", { cx: x + 0.05, cy: y + 0.08, r: RADIUS * 1.1, fill: "url(#stone-shadow)" });
  return svg("g", { class: `stone ${colour} ${kind}`, style: `transform-origin:${x}px ${y}px` }, shadow, body);
}
