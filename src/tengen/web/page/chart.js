// Curves over the moves of a game: win rate, score. Points can be clicked, and walked by keys.
//
//   const chart = drawChart(svg, series, { current: 12, onSelect: (move) => jump(move) });
//   chart.update(series, { current: 13 });
//
// Each of `series` is { name, values, axis, low, high, middle, format, colour, fill }:
//   values   one a move, null where nothing is known; the first stands for the start of the game
//   axis     "left" (default) or "right"
//   low, high  the ends of its axis; taken from the values if left out
//   middle   a value that gets a line, from which the curve is filled (win rate 0.5, score 0)
//   format   number to text, for the axis and what is told of a point
// Options: current (index of the point shown), marks ([{ index, label, kind }], such as mistakes;
// kind "black" or "white" is whose), onSelect(index), label (for screen readers).
// Colours are CSS variables (--chart-1, --chart-2, --chart-mark) over quiet defaults.

const NAMESPACE = "http://www.w3.org/2000/svg";
const MARGIN = { top: 12, right: 44, bottom: 22, left: 44 };
const COLOURS = ["var(--chart-1, #2f7d6d)", "var(--chart-2, #b5702a)", "var(--chart-3, #6a5acd)"];
const MARK = "var(--chart-mark, #d6301f)";

/** Return steps between `low` and `high` that people like to read: 1, 2 or 5 times a ten. */
export function niceSteps(low, high, count = 4) {
  const span = high - low || 1;
  const rough = span / count;
  const ten = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((times) => times * ten).find((size) => size >= rough * 0.999);
  const first = Math.ceil(low / step - 1e-9);
  const last = Math.floor(high / step + 1e-9);
  const steps = [];
  for (let index = first; index <= last; index += 1) steps.push(Number((index * step).toPrecision(12)));
  return steps;
}

/** Return [low, high] of a series: as told, or from its values with its middle inside. */
export function rangeOf({ values, low, high, middle }) {
  const known = values.filter((value) => value !== null && Number.isFinite(value));
  if (middle !== undefined) known.push(middle);
  const bottom = low ?? Math.min(...known, 0);
  const top = high ?? Math.max(...known, 0);
  return top > bottom ? [bottom, top] : [bottom - 1, bottom + 1];
}

/** Return the pieces of a series between gaps: [[index, value], ...] each. */
export function pieces(values) {
  const found = [];
  let open = null;
  values.forEach((value, index) => {
    if (value === null || !Number.isFinite(value)) {
      open = null;
      return;
    }
    if (open === null) found.push((open = []));
    open.push([index, value]);
  });
  return found;
}

/** Draw curves into an SVG element; return { update(series, options), stop() }. */
export function drawChart(svg, series, options = {}) {
  const chart = new Chart(svg);
  chart.show(series, options);
  return {
    update: (others, changes = {}) => chart.show(others, { ...chart.options, ...changes }),
    stop: () => chart.stop(),
  };
}

class Chart {
  constructor(svg) {
    this.svg = svg;
    this.leaving = new AbortController();
    const { signal } = this.leaving;
    const on = (kind, action) => svg.addEventListener(kind, action, { signal });
    on("pointermove", (event) => this.hover(this.indexAt(event)));
    on("pointerleave", () => this.hover(null));
    on("click", (event) => this.select(this.indexAt(event)));
    on("keydown", (event) => this.key(event));
    this.sizes = new ResizeObserver(() => this.paint());
    this.sizes.observe(svg);
    svg.tabIndex = 0;
    svg.setAttribute("role", "img");
    svg.style.cursor = "pointer";
    svg.style.touchAction = "pan-y";
  }

  stop() {
    this.leaving.abort();
    this.sizes.disconnect();
  }

  show(series, options) {
    this.series = series;
    this.options = options;
    this.count = Math.max(1, ...series.map(({ values }) => values.length));
    this.svg.setAttribute("aria-label", options.label ?? "chart over the moves of the game");
    this.paint();
  }

  // Choosing a move

  indexAt(event) {
    const box = this.svg.getBoundingClientRect();
    const share = (event.clientX - box.left - MARGIN.left) / Math.max(1, this.plotWidth);
    return Math.min(Math.max(Math.round(share * (this.count - 1)), 0), this.count - 1);
  }

  select(index) {
    this.options = { ...this.options, current: index };
    this.paint();
    this.options.onSelect?.(index);
  }

  key(event) {
    const now = this.options.current ?? 0;
    const places = { ArrowLeft: now - 1, ArrowRight: now + 1, Home: 0, End: this.count - 1 };
    if (!(event.key in places)) return;
    event.preventDefault();
    event.stopPropagation();
    this.select(Math.min(Math.max(places[event.key], 0), this.count - 1));
  }

  // Painting

  paint() {
    if (!this.series) return;
    const { width, height } = this.svg.getBoundingClientRect();
    this.width = width || 600;
    this.height = height || 180;
    this.plotWidth = Math.max(1, this.width - MARGIN.left - MARGIN.right);
    this.plotHeight = Math.max(1, this.height - MARGIN.top - MARGIN.bottom);
    this.svg.setAttribute("viewBox", `0 0 ${this.width} ${this.height}`);
    this.svg.replaceChildren();
    this.paintMoves();
    this.series.forEach((one, place) => this.paintAxis(one, place));
    this.series.forEach((one, place) => this.paintSeries(one, place));
    this.paintMarks();
    this.paintCurrent();
    this.told = this.add("g", { "pointer-events": "none" });
  }

  x(index) {
    return MARGIN.left + (this.plotWidth * index) / Math.max(1, this.count - 1);
  }

  y(one, value) {
    const [low, high] = rangeOf(one);
    const share = (Math.min(Math.max(value, low), high) - low) / (high - low);
    return MARGIN.top + this.plotHeight * (1 - share);
  }

  colour(place) {
    return this.series[place].colour ?? COLOURS[place % COLOURS.length];
  }

  add(kind, attributes, parent = this.svg) {
    const made = document.createElementNS(NAMESPACE, kind);
    for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
    return parent.appendChild(made);
  }

  text(content, attributes, parent = this.svg) {
    const usual = { "font-size": 11, fill: "currentColor", "font-family": "inherit" };
    this.add("text", { ...usual, ...attributes }, parent).textContent = content;
  }

  paintMoves() {
    for (const index of niceSteps(0, this.count - 1, Math.min(8, this.count - 1 || 1))) {
      if (!Number.isInteger(index)) continue;
      const x = this.x(index);
      this.add("line", { x1: x, x2: x, y1: MARGIN.top, y2: MARGIN.top + this.plotHeight, stroke: "currentColor", "stroke-opacity": 0.08 });
      this.text(index, { x, y: this.height - 7, "text-anchor": "middle", "fill-opacity": 0.65 });
    }
  }

  paintAxis(one, place) {
    const isRight = one.axis === "right";
    const format = one.format ?? String;
    for (const value of niceSteps(...rangeOf(one), Math.max(2, Math.floor(this.plotHeight / 36)))) {
      const y = this.y(one, value);
      const x = isRight ? this.width - MARGIN.right + 6 : MARGIN.left - 6;
      this.text(format(value), { x, y: y + 4, fill: this.colour(place), "text-anchor": isRight ? "start" : "end" });
      if (place === 0) {
        const opacity = value === one.middle ? 0.45 : 0.1;
        this.add("line", { x1: MARGIN.left, x2: MARGIN.left + this.plotWidth, y1: y, y2: y, stroke: "currentColor", "stroke-opacity": opacity });
      }
    }
  }

  paintSeries(one, place) {
    const colour = this.colour(place);
    for (const piece of pieces(one.values)) {
      const points = piece.map(([index, value]) => `${this.x(index).toFixed(1)},${this.y(one, value).toFixed(1)}`);
      if (one.middle !== undefined && place === 0) this.fill(one, piece, points, colour);
      if (piece.length === 1) this.dot(piece[0][0], one, place, 2.5);
      this.add("polyline", { points: points.join(" "), fill: "none", stroke: colour, "stroke-width": place === 0 ? 2 : 1.5, "stroke-linejoin": "round", "stroke-dasharray": place === 0 ? "none" : "5 3" });
    }
  }

  fill(one, piece, points, colour) {
    const base = this.y(one, one.middle).toFixed(1);
    const [first, last] = [piece[0], piece[piece.length - 1]].map(([index]) => this.x(index).toFixed(1));
    this.add("polygon", { points: `${first},${base} ${points.join(" ")} ${last},${base}`, fill: colour, "fill-opacity": 0.16 });
  }

  dot(index, one, place, radius, parent = this.svg) {
    const value = one.values[index];
    if (value === null || value === undefined || !Number.isFinite(value)) return;
    this.add("circle", { cx: this.x(index), cy: this.y(one, value), r: radius, fill: this.colour(place) }, parent);
  }

  paintMarks() {
    const [one] = this.series;
    for (const { index, label, kind } of this.options.marks ?? []) {
      const value = one?.values[index];
      const y = Number.isFinite(value) ? this.y(one, value) : MARGIN.top;
      const body = { black: "#111", white: "#fff" }[kind] ?? MARK;
      const mark = this.add("circle", { cx: this.x(index), cy: y, r: 4.5, fill: body, stroke: MARK, "stroke-width": 2, class: "chart-mark", "data-index": index });
      if (label) this.add("title", {}, mark).textContent = label;
    }
  }

  paintCurrent() {
    const { current } = this.options;
    if (current === undefined || current === null) return;
    const x = this.x(current);
    this.add("line", { x1: x, x2: x, y1: MARGIN.top, y2: MARGIN.top + this.plotHeight, stroke: "currentColor", "stroke-opacity": 0.6, class: "chart-current" });
    this.series.forEach((one, place) => this.dot(current, one, place, 3.5));
  }

  hover(index) {
    this.told.replaceChildren();
    if (index === null) return;
    const parts = this.series.flatMap((one, place) => {
      this.dot(index, one, place, 4, this.told);
      const value = one.values[index];
      return Number.isFinite(value) && value !== null ? [`${one.name} ${(one.format ?? String)(value)}`] : [];
    });
    const mark = (this.options.marks ?? []).find((one) => one.index === index);
    const words = [`move ${index}`, ...parts, ...(mark?.label ? [mark.label] : [])].join("   ");
    const isLate = index > this.count / 2;
    const x = this.x(index) + (isLate ? -8 : 8);
    const halo = { stroke: "var(--chart-paper, Canvas)", "stroke-width": 4, "paint-order": "stroke" };
    this.text(words, { x, y: MARGIN.top + 10, "text-anchor": isLate ? "end" : "start", ...halo }, this.told);
  }
}
