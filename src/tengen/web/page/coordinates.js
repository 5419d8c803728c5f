// Board coordinates: a vertex is a column letter (without I) and a row number counted from the bottom.

const LETTERS = "ABCDEFGHJKLMNOPQRST";

export function columnLetter(column) {
  return LETTERS[column];
}

export function vertexAt(row, column, rows) {
  return `${LETTERS[column]}${rows - row}`;
}

// Return {row, column} of a vertex, or null for a pass.
export function parseVertex(vertex, rows) {
  if (!vertex || vertex.toLowerCase() === "pass") return null;
  return { row: rows - Number(vertex.slice(1)), column: LETTERS.indexOf(vertex[0].toUpperCase()) };
}

export function starPoints(rows, columns) {
  const lines = (size) => {
    if (size < 7) return size % 2 ? [(size - 1) / 2] : [];
    const edge = size >= 13 ? 3 : 2;
    const ends = [edge, size - 1 - edge];
    return size % 2 && size >= 9 ? [ends[0], (size - 1) / 2, ends[1]] : ends;
  };
  const points = [];
  for (const row of lines(rows)) {
    for (const column of lines(columns)) {
      const isSide = (row === (rows - 1) / 2) !== (column === (columns - 1) / 2);
      if (!isSide || Math.min(rows, columns) >= 15) points.push({ row, column });
    }
  }
  return points;
}
