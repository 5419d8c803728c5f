// Line charts over the moves of a game (win rate, score lead), one panel per series, with selectable points.
//
//   const chart = drawChart(svg, series, { current: 12, onSelect: (move) => goTo(move) });
//   chart.update(series, { current: 13 });
//
// Each of `series` is { name, values, low, high, middle, symmetric, format }:
//   values   one per position, null where unknown; the first is the start of the game
//   low, high  ends of the axis (default: from the values)
//   middle   baseline of the filled area (win rate 0.5, score 0)
//   symmetric  whether both ends of the axis are equally far from 0
//   format   function from number to text, for the axis and tooltips
// Options: current (selected index), marks ([{ index, label, kind }], kind is added to the class of the mark),
// describe(index) (text of the tooltip), onSelect(index), label (accessible name).
// Colors are the CSS variables --chart-1, --chart-2 and --chart-mark.

import { t } from "./translation.js";

const SVG_NAMESPACE = "http://www.w3.org/2000/svg";
const MARGIN = { top: 7, right: 14, bottom: 19, left: 46 };
const GAP = 9; // between panels
const COLORS = ["var(--chart-1, #2f7d6d)", "var(--chart-2, #b5702a)", "var(--chart-3, #6a5acd)"];
const MIN_LABEL_DISTANCE = 11; // pixels
const MIN_SYMMETRIC = 5; // smallest end of a symmetric axis

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
export function rangeOf({ values, low, high, middle, symmetric }) {
  const known = values.filter((value) => value !== null && Number.isFinite(value));
  if (symmetric) {
    const end = Math.max(MIN_SYMMETRIC, ...known.map(Math.abs)) * 1.05;
    return [-end, end];
  }
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
    svg.setAttribute("role", "slider");
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
    this.svg.setAttribute("aria-label", options.label ?? t("page.chart"));
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
    const inner = this.height - MARGIN.top - MARGIN.bottom - GAP * (this.series.length - 1);
    this.panelHeight = Math.max(1, inner / this.series.length);
    this.bottom = this.height - MARGIN.bottom;
    this.svg.setAttribute("viewBox", `0 0 ${this.width} ${this.height}`);
    this.svg.replaceChildren();
    this.describeValue();
    this.drawMoveAxis();
    this.series.forEach((one, order) => this.drawPanel(one, order));
    this.drawMarks();
    this.drawCurrent();
    this.tooltip = this.add("g", { "pointer-events": "none" });
    this.hover(this.hovered);
  }

  // Report the selected move to screen readers.
  describeValue() {
    const current = this.options.current ?? 0;
    const values = { "aria-valuemin": 0, "aria-valuemax": this.count - 1, "aria-valuenow": current, "aria-valuetext": this.textAt(current) };
    for (const [name, value] of Object.entries(values)) this.svg.setAttribute(name, value);
  }

  x(index) {
    return MARGIN.left + (this.plotWidth * index) / Math.max(1, this.count - 1);
  }

  top(order) {
    return MARGIN.top + order * (this.panelHeight + GAP);
  }

  y(order, value) {
    const [low, high] = rangeOf(this.series[order]);
    const share = (Math.min(Math.max(value, low), high) - low) / (high - low);
    return this.top(order) + this.panelHeight * (1 - share);
  }

  color(order) {
    return COLORS[order % COLORS.length];
  }

  add(kind, attributes, parent = this.svg) {
    const node = document.createElementNS(SVG_NAMESPACE, kind);
    for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
    return parent.appendChild(node);
  }

  text(content, attributes, parent = this.svg) {
    const node = this.add("text", { "font-size": 11, fill: "currentColor", "font-family": "inherit", ...attributes }, parent);
    node.textContent = content;
    return node;
  }

  line(x1, y1, x2, y2, opacity, more = {}) {
    return this.add("line", { x1, y1, x2, y2, stroke: "currentColor", "stroke-opacity": opacity, ...more });
  }

  drawMoveAxis() {
    for (const index of axisTicks(0, this.count - 1, Math.max(1, Math.min(Math.floor(this.plotWidth / 60), this.count - 1)))) {
      if (!Number.isInteger(index)) continue;
      const x = this.x(index);
      this.line(x, MARGIN.top, x, this.bottom, 0.08);
      this.text(index, { x, y: this.height - 5, "text-anchor": "middle", "fill-opacity": 0.75 });
    }
  }

  // Return the values of the axis with labels; a symmetric one has at least three.
  valueTicks(one, low, high) {
    const ticks = axisTicks(low, high, Math.max(2, Math.floor(this.panelHeight / 22)));
    if (!one.symmetric || ticks.length > 2) return ticks;
    const end = axisTicks(0, high, 2).at(-1);
    return [-end, 0, end];
  }

  drawPanel(one, order) {
    const format = one.format ?? String;
    const [low, high] = rangeOf(one);
    const top = this.top(order);
    let above = Infinity;
    for (const value of this.valueTicks(one, low, high)) {
      const y = this.y(order, value);
      if (above - y >= MIN_LABEL_DISTANCE) this.text(format(value), { x: MARGIN.left - 6, y: Math.min(Math.max(y + 4, top + 8), top + this.panelHeight), "fill-opacity": 0.85, "text-anchor": "end" });
      above = above - y >= MIN_LABEL_DISTANCE ? y : above;
      this.line(MARGIN.left, y, MARGIN.left + this.plotWidth, y, value === one.middle ? 0.45 : 0.1);
    }
    for (const segment of segments(one.values)) {
      const points = segment.map(([index, value]) => `${this.x(index).toFixed(1)},${this.y(order, value).toFixed(1)}`);
      if (one.middle !== undefined) this.fill(one, order, segment, points);
      if (segment.length === 1) this.dot(segment[0][0], order, 2.5);
      this.add("polyline", { points: points.join(" "), fill: "none", stroke: this.color(order), "stroke-width": 1.8, "stroke-linejoin": "round" });
    }
    this.text(one.name, { x: MARGIN.left + 5, y: top + 11, "font-weight": 600, "fill-opacity": 0.8, "stroke": "var(--chart-paper, Canvas)", "stroke-width": 3, "paint-order": "stroke" });
  }

  fill(one, order, segment, points) {
    const base = this.y(order, one.middle).toFixed(1);
    const [first, last] = [segment[0], segment[segment.length - 1]].map(([index]) => this.x(index).toFixed(1));
    this.add("polygon", { points: `${first},${base} ${points.join(" ")} ${last},${base}`, fill: this.color(order), "fill-opacity": 0.16 });
  }

  dot(index, order, radius, parent = this.svg) {
    const value = this.series[order].values[index];
    if (value === null || value === undefined || !Number.isFinite(value)) return;
    this.add("circle", { cx: this.x(index), cy: this.y(order, value), r: radius, fill: this.color(order) }, parent);
  }

  // Draw the marks on the last panel, where losses of points are visible as steps.
  drawMarks() {
    const order = this.series.length - 1;
    for (const { index, label, kind } of this.options.marks ?? []) {
      const value = this.series[order]?.values[index];
      const y = Number.isFinite(value) && value !== null ? this.y(order, value) : this.top(order);
      const mark = this.add("circle", { cx: this.x(index), cy: y, r: 4.2, class: `chart-mark ${kind ?? ""}`, "data-index": index });
      if (label) this.add("title", {}, mark).textContent = label;
    }
  }

  drawCurrent() {
    const { current } = this.options;
    if (current === undefined || current === null) return;
    const x = this.x(current);
    this.line(x, MARGIN.top, x, this.bottom, 0.6, { class: "chart-current" });
    this.series.forEach((_, order) => this.dot(current, order, 3.5));
  }

  // Return what is known about a move.
  textAt(index) {
    if (this.options.describe) return this.options.describe(index);
    const known = this.series.filter(({ values }) => Number.isFinite(values[index]) && values[index] !== null);
    return [`move ${index}`, ...known.map((one) => `${one.name} ${(one.format ?? String)(one.values[index])}`)].join("   ");
  }

  hover(index) {
    this.hovered = index;
    this.tooltip.replaceChildren();
    if (index === null || index >= this.count) return;
    const x = this.x(index);
    this.add("line", { x1: x, x2: x, y1: MARGIN.top, y2: this.bottom, stroke: "currentColor", "stroke-opacity": 0.35, "stroke-dasharray": "2 2" }, this.tooltip);
    this.series.forEach((_, order) => this.dot(index, order, 4, this.tooltip));
    const box = this.add("rect", { rx: 4, class: "chart-tip", fill: "var(--chart-paper, Canvas)", stroke: "currentColor", "stroke-opacity": 0.3 }, this.tooltip);
    const label = this.text(this.textAt(index), { y: MARGIN.top + 13 }, this.tooltip);
    const width = label.getComputedTextLength();
    const left = Math.max(6, Math.min(index > this.count / 2 ? x - width - 14 : x + 14, this.width - width - 6));
    label.setAttribute("x", left);
    for (const [name, value] of Object.entries({ x: left - 5, y: MARGIN.top, width: width + 10, height: 19 })) box.setAttribute(name, value);
  }
}
