// Line charts over the moves of a game (win rate, score lead) with selectable points.
//
//   const chart = drawChart(svg, series, { current: 12, onSelect: (move) => goTo(move) });
//   chart.update(series, { current: 13 });
//
// Each of `series` is { name, values, axis, low, high, middle, format, color }:
//   values   one per position, null where unknown; the first is the start of the game
//   axis     "left" (default) or "right"
//   low, high  ends of the axis (default: from the values)
//   middle   baseline of the filled area (win rate 0.5, score 0)
//   format   function from number to text, for the axis and tooltips
// Options: current (selected index), marks ([{ index, label, kind }], kind "black" or "white"),
// onSelect(index), label (accessible name).
// Colors are the CSS variables --chart-1, --chart-2 and --chart-mark.

const SVG_NAMESPACE = "http://www.w3.org/2000/svg";
const MARGIN = { top: 12, right: 44, bottom: 22, left: 44 };
const COLORS = ["var(--chart-1, #2f7d6d)", "var(--chart-2, #b5702a)", "var(--chart-3, #6a5acd)"];
const MARK = "var(--chart-mark, #d6301f)";

/** Return axis ticks between `low` and `high` at multiples of 1, 2 or 5 times a power of ten. */
export function axisTicks(low, high, count = 4) {
  const span = high - low || 1;
  const rough = span / count;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((times) => times * power).find((size) => size >= rough * 0.999);
  const first = Math.ceil(low / step - 1e-9);
  const last = Math.floor(high / step + 1e-9);
  const steps = [];
  for (let index = first; index <= last; index += 1) steps.push(Number((index * step).toPrecision(12)));
  return steps;
}

/** Return the axis range [low, high] of a series; it includes the middle. */
export function rangeOf({ values, low, high, middle }) {
  const known = values.filter((value) => value !== null && Number.isFinite(value));
  if (middle !== undefined) known.push(middle);
  const bottom = low ?? Math.min(...known, 0);
  const top = high ?? Math.max(...known, 0);
  return top > bottom ? [bottom, top] : [bottom - 1, bottom + 1];
}

/** Split a series at gaps into segments [[index, value], ...]. */
export function segments(values) {
  const found = [];
  let current = null;
  values.forEach((value, index) => {
    if (value === null || !Number.isFinite(value)) {
      current = null;
      return;
    }
    if (current === null) found.push((current = []));
    current.push([index, value]);
  });
  return found;
}

/** Draw a chart in an SVG element; return { update(series, options), stop() }. */
export function drawChart(svg, series, options = {}) {
  const chart = new Chart(svg);
  chart.show(series, options);
  return {
    update: (newSeries, newOptions = {}) => chart.show(newSeries, { ...chart.options, ...newOptions }),
    stop: () => chart.stop(),
  };
}

class Chart {
  constructor(svg) {
    this.svg = svg;
    this.hovered = null;
    this.listeners = new AbortController();
    const { signal } = this.listeners;
    const on = (kind, action) => svg.addEventListener(kind, action, { signal });
    on("pointermove", (event) => this.hover(this.indexAt(event)));
    on("pointerleave", () => this.hover(null));
    on("click", (event) => this.select(this.indexAt(event)));
    on("keydown", (event) => this.handleKey(event));
    this.resizeObserver = new ResizeObserver(() => this.draw());
    this.resizeObserver.observe(svg);
    svg.tabIndex = 0;
    svg.setAttribute("role", "img");
    svg.style.cursor = "pointer";
    svg.style.touchAction = "pan-y";
  }

  stop() {
    this.listeners.abort();
    this.resizeObserver.disconnect();
  }

  show(series, options) {
    this.series = series;
    this.options = options;
    this.count = Math.max(1, ...series.map(({ values }) => values.length));
    this.svg.setAttribute("aria-label", options.label ?? "Chart by move");
    this.draw();
  }

  // Selection

  indexAt(event) {
    const box = this.svg.getBoundingClientRect();
    const share = (event.clientX - box.left - MARGIN.left) / Math.max(1, this.plotWidth);
    return Math.min(Math.max(Math.round(share * (this.count - 1)), 0), this.count - 1);
  }

  select(index) {
    this.options = { ...this.options, current: index };
    this.draw();
    this.options.onSelect?.(index);
  }

  handleKey(event) {
    const now = this.options.current ?? 0;
    const targets = { ArrowLeft: now - 1, ArrowRight: now + 1, Home: 0, End: this.count - 1 };
    if (!(event.key in targets)) return;
    event.preventDefault();
    event.stopPropagation();
    this.select(Math.min(Math.max(targets[event.key], 0), this.count - 1));
  }

  // Drawing

  draw() {
    if (!this.series) return;
    const { width, height } = this.svg.getBoundingClientRect();
    this.width = width || 600;
    this.height = height || 180;
    this.plotWidth = Math.max(1, this.width - MARGIN.left - MARGIN.right);
    this.plotHeight = Math.max(1, this.height - MARGIN.top - MARGIN.bottom);
    this.svg.setAttribute("viewBox", `0 0 ${this.width} ${this.height}`);
    this.svg.replaceChildren();
    this.drawMoveAxis();
    this.series.forEach((one, order) => this.drawValueAxis(one, order));
    this.series.forEach((one, order) => this.drawSeries(one, order));
    this.drawMarks();
    this.drawCurrent();
    this.tooltip = this.add("g", { "pointer-events": "none" });
    this.hover(this.hovered);
  }

  x(index) {
    return MARGIN.left + (this.plotWidth * index) / Math.max(1, this.count - 1);
  }

  y(one, value) {
    const [low, high] = rangeOf(one);
    const share = (Math.min(Math.max(value, low), high) - low) / (high - low);
    return MARGIN.top + this.plotHeight * (1 - share);
  }

  color(order) {
    return this.series[order].color ?? COLORS[order % COLORS.length];
  }

  add(kind, attributes, parent = this.svg) {
    const node = document.createElementNS(SVG_NAMESPACE, kind);
    for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
    return parent.appendChild(node);
  }

  text(content, attributes, parent = this.svg) {
    const defaults = { "font-size": 11, fill: "currentColor", "font-family": "inherit" };
    const node = this.add("text", { ...defaults, ...attributes }, parent);
    node.textContent = content;
    return node;
  }

  drawMoveAxis() {
    for (const index of axisTicks(0, this.count - 1, Math.min(8, this.count - 1 || 1))) {
      if (!Number.isInteger(index)) continue;
      const x = this.x(index);
      this.add("line", { x1: x, x2: x, y1: MARGIN.top, y2: MARGIN.top + this.plotHeight, stroke: "currentColor", "stroke-opacity": 0.08 });
      this.text(index, { x, y: this.height - 7, "text-anchor": "middle", "fill-opacity": 0.65 });
    }
  }

  drawValueAxis(one, order) {
    const isRight = one.axis === "right";
    const format = one.format ?? String;
    for (const value of axisTicks(...rangeOf(one), Math.max(2, Math.floor(this.plotHeight / 36)))) {
      const y = this.y(one, value);
      const x = isRight ? this.width - MARGIN.right + 6 : MARGIN.left - 6;
      this.text(format(value), { x, y: y + 4, fill: this.color(order), "text-anchor": isRight ? "start" : "end" });
      if (order === 0) {
        const opacity = value === one.middle ? 0.45 : 0.1;
        this.add("line", { x1: MARGIN.left, x2: MARGIN.left + this.plotWidth, y1: y, y2: y, stroke: "currentColor", "stroke-opacity": opacity });
      }
    }
  }

  drawSeries(one, order) {
    const color = this.color(order);
    for (const segment of segments(one.values)) {
      const points = segment.map(([index, value]) => `${this.x(index).toFixed(1)},${this.y(one, value).toFixed(1)}`);
      if (one.middle !== undefined && order === 0) this.fill(one, segment, points, color);
      if (segment.length === 1) this.dot(segment[0][0], one, order, 2.5);
      this.add("polyline", { points: points.join(" "), fill: "none", stroke: color, "stroke-width": order === 0 ? 2 : 1.5, "stroke-linejoin": "round", "stroke-dasharray": order === 0 ? "none" : "5 3" });
    }
  }

  fill(one, segment, points, color) {
    const base = this.y(one, one.middle).toFixed(1);
    const [first, last] = [segment[0], segment[segment.length - 1]].map(([index]) => this.x(index).toFixed(1));
    this.add("polygon", { points: `${first},${base} ${points.join(" ")} ${last},${base}`, fill: color, "fill-opacity": 0.16 });
  }

  dot(index, one, order, radius, parent = this.svg) {
    const value = one.values[index];
    if (value === null || value === undefined || !Number.isFinite(value)) return;
    this.add("circle", { cx: this.x(index), cy: this.y(one, value), r: radius, fill: this.color(order) }, parent);
  }

  drawMarks() {
    const [one] = this.series;
    for (const { index, label, kind } of this.options.marks ?? []) {
      const value = one?.values[index];
      const y = Number.isFinite(value) ? this.y(one, value) : MARGIN.top;
      const body = { black: "#111", white: "#fff" }[kind] ?? MARK;
      const mark = this.add("circle", { cx: this.x(index), cy: y, r: 4.5, fill: body, stroke: MARK, "stroke-width": 2, class: "chart-mark", "data-index": index });
      if (label) this.add("title", {}, mark).textContent = label;
    }
  }

  drawCurrent() {
    const { current } = this.options;
    if (current === undefined || current === null) return;
    const x = this.x(current);
    this.add("line", { x1: x, x2: x, y1: MARGIN.top, y2: MARGIN.top + this.plotHeight, stroke: "currentColor", "stroke-opacity": 0.6, class: "chart-current" });
    this.series.forEach((one, order) => this.dot(current, one, order, 3.5));
  }

  hover(index) {
    this.hovered = index;
    this.tooltip.replaceChildren();
    if (index === null || index >= this.count) return;
    const parts = this.series.flatMap((one, order) => {
      this.dot(index, one, order, 4, this.tooltip);
      const value = one.values[index];
      return Number.isFinite(value) && value !== null ? [`${one.name} ${(one.format ?? String)(value)}`] : [];
    });
    const mark = (this.options.marks ?? []).find((one) => one.index === index);
    const text = [`move ${index}`, ...parts, ...(mark?.label ? [mark.label] : [])].join("   ");
    const isLate = index > this.count / 2;
    const x = this.x(index) + (isLate ? -8 : 8);
    const halo = { stroke: "var(--chart-paper, Canvas)", "stroke-width": 4, "paint-order": "stroke" };
    const label = this.text(text, { y: MARGIN.top + 10, ...halo }, this.tooltip);
    const width = label.getComputedTextLength();
    label.setAttribute("x", Math.max(2, Math.min(isLate ? x - width : x, this.width - width - 2)));
  }
}
