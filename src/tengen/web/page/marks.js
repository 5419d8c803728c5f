// Marks on the board: shapes of a record, dead stones, candidates, numbered moves to come.

import { svg } from "./dom.js";
import { stone } from "./stones.js";

export function ring(place, kind) {
  return place && svg("circle", { cx: place.column, cy: place.row, r: 0.4, class: `ring ${kind}` });
}

export function deadMark({ row, column }) {
  const d = `M${column - 0.2} ${row - 0.2}l.4 .4m0 -.4l-.4 .4`;
  return svg("path", { d, class: "dead" });
}

export function markShape(place, shape, text, stoneHere) {
  if (!place) return null;
  const { row, column } = place;
  const kind = `mark ${stoneHere === "X" ? "on-black" : stoneHere === "O" ? "on-white" : "on-wood"}`;
  if (shape === "label") return svg("text", { x: column, y: row + 0.16, class: `${kind} letter` }, text);
  if (shape === "circle") return svg("circle", { cx: column, cy: row, r: 0.25, class: kind });
  const paths = {
    triangle: `M${column} ${row - 0.29}l.26 .45h-.52z`,
    square: `M${column - 0.21} ${row - 0.21}h.42v.42h-.42z`,
    cross: `M${column - 0.2} ${row - 0.2}l.4 .4m0 -.4l-.4 .4`,
  };
  return svg("path", { d: paths[shape], class: kind });
}

// A move that the search thinks of: its win rate, and how much it was looked at.
export function candidateMark(place, { value, share, isBest }) {
  if (!place) return null;
  const { row, column } = place;
  return svg("g", { class: isBest ? "candidate best" : "candidate" },
    svg("circle", { cx: column, cy: row, r: 0.44, opacity: 0.5 + 0.5 * share }),
    svg("text", { x: column, y: row + 0.11 }, Math.round(100 * value)));
}

export function numbered(places, first) {
  const other = first === "black" ? "white" : "black";
  const taken = new Set();
  return places.flatMap((place, index) => {
    const key = place && `${place.row},${place.column}`;
    if (!place || taken.has(key)) return [];
    taken.add(key);
    const colour = index % 2 ? other : first;
    const text = svg("text", { x: place.column, y: place.row + 0.15, class: `number ${colour}` }, index + 1);
    return [stone(place, colour, "planned"), text];
  });
}
