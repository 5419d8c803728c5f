// A layer drawn as a 3D surface on a canvas, optionally vibrating.
//
//   const surface = drawSurface(canvas, values, { scale: "sequential", stones, vibrate: true });
//   surface.update(otherValues, { stones });   // keeps the rotation
//   surface.stop();                            // stops drawing and removes listeners
//
// `values` is an array of rows, null where a point has no value. Options:
//   scale    "sequential" (default), "diverging" or "mask", as in the layer
//   low, high  values at the ends of the color scale (default: from the values)
//   stones   rows of 0, 1 (black), 2 (white)
//   marks    [[row, column], ...], best first
//   vibrate  animate a standing wave (big move), unless the user prefers reduced motion
//   theme    "light" or "dark" (default: the system's)
//   label    accessible name
// Drag or use the arrow keys to rotate; double-click to reset.

const SUBDIVISION = 3; // cells per grid step
const DEFAULT_VIEW = { azimuth: -0.62, elevation: 0.86 };
const MIN_ELEVATION = 0.12;
const MAX_ELEVATION = 1.5;
const PERIOD_MS = 4200; // of the standing wave
const FRAME_MS = 30;
const RELIEF = { sequential: 0.26, diverging: 0.26, mask: 0.12 }; // height of the maximum, in board widths

// The palettes of color_scale.js; the dark diverging palette has a dark middle for contrast.
const SEQUENTIAL = [[243, 240, 226], [168, 216, 185], [63, 167, 163], [44, 110, 155], [59, 47, 124]];
const PALETTES = {
  light: {
    sequential: SEQUENTIAL,
    diverging: [[201, 84, 26], [240, 178, 122], [244, 240, 228], [130, 160, 214], [30, 58, 138]],
    mask: [[190, 184, 170], [46, 139, 122]],
  },
  dark: {
    sequential: SEQUENTIAL,
    diverging: [[255, 190, 120], [190, 120, 70], [78, 76, 84], [70, 96, 170], [96, 150, 255]],
    mask: [[110, 106, 100], [46, 139, 122]],
  },
};

/** Return the color [r, g, b] at a fraction from 0 to 1 of a palette. */
export function paletteColor(palette, share) {
  const position = Math.min(Math.max(share, 0), 1) * (palette.length - 1);
  const below = Math.min(Math.floor(position), palette.length - 2);
  const part = position - below;
  return palette[below].map((from, k) => Math.round(from + (palette[below + 1][k] - from) * part));
}

/** Return the values at the ends of the color scale, as `Layer.limits` does. */
export function limitsOf(values, scale, low, high) {
  const known = values.flat().filter((value) => value !== null && Number.isFinite(value));
  if (scale === "mask" || known.length === 0) return [0, 1];
  if (scale === "diverging") {
    const most = high ?? Math.max(...known.map(Math.abs));
    return [-(most || 1), most || 1];
  }
  const bottom = low ?? Math.min(0, ...known);
  const top = high ?? Math.max(...known);
  return [bottom, top > bottom ? top : bottom + 1];
}

/** Return heights from -1 to 1 with a border of zeros; points without a value are 0. */
export function heightsOf(values, scale, low, high) {
  const [bottom, top] = limitsOf(values, scale, low, high);
  const width = values[0].length + 2;
  const inner = values.map((row) => [0, ...row.map((value) => heightOf(value)), 0]);
  return [new Array(width).fill(0), ...inner, new Array(width).fill(0)];

  function heightOf(value) {
    if (value === null || !Number.isFinite(value)) return 0;
    if (scale === "diverging") return value / top;
    return (value - bottom) / (top - bottom);
  }
}

/** Subdivide each grid step into `parts` by Catmull-Rom interpolation. */
export function refine(grid, parts) {
  const across = grid.map((row) => refineLine(row, parts));
  const columns = across[0].map((_, column) => refineLine(across.map((row) => row[column]), parts));
  return columns[0].map((_, row) => columns.map((column) => column[row]));
}

function refineLine(line, parts) {
  const fine = [];
  const at = (index) => line[Math.min(Math.max(index, 0), line.length - 1)];
  for (let index = 0; index < line.length - 1; index += 1) {
    for (let part = 0; part < parts; part += 1) {
      fine.push(cubic(at(index - 1), at(index), at(index + 1), at(index + 2), part / parts));
    }
  }
  return [...fine, line[line.length - 1]];
}

function cubic(before, from, to, after, share) {
  const bend = 2 * before - 5 * from + 4 * to - after;
  const twist = 3 * (from - to) + after - before;
  return from + 0.5 * share * (to - before + share * (bend + share * twist));
}

/** Project a 3D point; return [x, y, depth] in units of the picture. Larger depth is nearer. */
export function project([x, y, z], view) {
  const cos = Math.cos(view.azimuth);
  const sin = Math.sin(view.azimuth);
  const right = x * cos - y * sin;
  const near = x * sin + y * cos;
  const lift = Math.sin(view.elevation);
  const scale = 1 / (1 - 0.22 * near * Math.cos(view.elevation)); // slight perspective
  return [right * scale, (near * lift - z * Math.cos(view.elevation)) * scale, near];
}

/** Draw a surface on a canvas; return { update(values, options), stop() }. */
export function drawSurface(canvas, values, options = {}) {
  const surface = new Surface(canvas);
  surface.show(values, options);
  return {
    update: (newValues, newOptions = {}) => surface.show(newValues, { ...surface.options, ...newOptions }),
    stop: () => surface.stop(),
  };
}

class Surface {
  constructor(canvas) {
    this.canvas = canvas;
    this.context = canvas.getContext("2d");
    this.view = { ...DEFAULT_VIEW };
    this.options = {};
    this.frame = null;
    this.lastFrame = -Infinity;
    this.startTime = performance.now();
    this.reducedMotion = window.matchMedia("(prefers-reduced-motion: reduce)");
    this.dark = window.matchMedia("(prefers-color-scheme: dark)");
    this.listeners = new AbortController();
    this.listen();
  }

  listen() {
    const { signal } = this.listeners;
    const on = (target, kind, action) => target.addEventListener(kind, action, { signal });
    on(this.canvas, "pointerdown", (event) => this.startDrag(event));
    on(this.canvas, "pointermove", (event) => this.drag(event));
    on(this.canvas, "pointerup", () => (this.dragStart = null));
    on(this.canvas, "pointercancel", () => (this.dragStart = null));
    on(this.canvas, "dblclick", () => this.rotateTo(DEFAULT_VIEW.azimuth, DEFAULT_VIEW.elevation));
    on(this.canvas, "keydown", (event) => this.handleKey(event));
    on(this.reducedMotion, "change", () => this.requestFrame());
    on(this.dark, "change", () => this.requestFrame());
    on(document, "visibilitychange", () => this.requestFrame());
    this.resizeObserver = new ResizeObserver(() => this.requestFrame());
    this.resizeObserver.observe(this.canvas);
    this.canvas.style.touchAction = "none";
    this.canvas.style.cursor = "grab";
    this.canvas.tabIndex = 0;
    this.canvas.setAttribute("role", "img");
  }

  show(values, options) {
    this.options = options;
    const { scale = "sequential", low, high } = options;
    this.rows = values.length;
    this.columns = values[0].length;
    this.heights = refine(heightsOf(values, scale, low, high), SUBDIVISION);
    this.canvas.setAttribute("aria-label", options.label ?? "3D surface; arrow keys rotate it");
    this.requestFrame();
  }

  stop() {
    this.listeners.abort();
    this.resizeObserver.disconnect();
    cancelAnimationFrame(this.frame);
    this.frame = null;
    this.stopped = true;
  }

  // Rotation

  startDrag(event) {
    this.dragStart = { x: event.clientX, y: event.clientY, ...this.view };
    this.canvas.setPointerCapture(event.pointerId);
  }

  drag(event) {
    if (!this.dragStart) return;
    const size = Math.max(this.canvas.clientWidth, 1);
    const azimuth = this.dragStart.azimuth - ((event.clientX - this.dragStart.x) / size) * Math.PI;
    this.rotateTo(azimuth, this.dragStart.elevation + ((event.clientY - this.dragStart.y) / size) * 2);
  }

  handleKey(event) {
    const rotations = { ArrowLeft: [0.1, 0], ArrowRight: [-0.1, 0], ArrowUp: [0, -0.1], ArrowDown: [0, 0.1] };
    const rotation = rotations[event.key];
    if (!rotation) return;
    event.preventDefault();
    event.stopPropagation();
    this.rotateTo(this.view.azimuth + rotation[0], this.view.elevation + rotation[1]);
  }

  rotateTo(azimuth, elevation) {
    this.view = { azimuth, elevation: Math.min(Math.max(elevation, MIN_ELEVATION), MAX_ELEVATION) };
    this.requestFrame();
  }

  // Animation

  get isVibrating() {
    return Boolean(this.options.vibrate) && !this.reducedMotion.matches && !document.hidden;
  }

  requestFrame() {
    this.lastFrame = -Infinity;
    if (this.frame === null && !this.stopped) {
      this.frame = requestAnimationFrame((now) => this.tick(now));
    }
  }

  tick(now) {
    this.frame = null;
    if (this.stopped || !this.canvas.isConnected) return;
    if (now - this.lastFrame >= FRAME_MS) {
      this.lastFrame = now;
      const phase = this.isVibrating ? Math.cos(((now - this.startTime) / PERIOD_MS) * 2 * Math.PI) : 1;
      this.draw(phase);
    }
    if (this.isVibrating) this.frame = requestAnimationFrame((later) => this.tick(later));
  }

  // Drawing

  draw(phase) {
    const ratio = window.devicePixelRatio || 1;
    const width = Math.max(1, Math.round(this.canvas.clientWidth * ratio));
    const height = Math.max(1, Math.round(this.canvas.clientHeight * ratio));
    if (this.canvas.width !== width || this.canvas.height !== height) {
      Object.assign(this.canvas, { width, height });
    }
    this.context.clearRect(0, 0, width, height);
    this.zoom = Math.min(width * 0.64, height * 0.78);
    this.middle = [width / 2, height * 0.54];
    this.phase = phase;
    this.projected = this.project();
    for (const [row, column] of this.backToFront()) this.cell(row, column);
    this.drawObjects();
  }

  /** Return the canvas position of each subdivided grid point. */
  project() {
    return this.heights.map((line, row) =>
      line.map((height, column) => this.position(row / SUBDIVISION - 1, column / SUBDIVISION - 1, height)),
    );
  }

  position(row, column, height) {
    const span = Math.max(this.rows, this.columns) + 1;
    const x = (column - (this.columns - 1) / 2) / span;
    const y = (row - (this.rows - 1) / 2) / span;
    const [right, down, near] = project([x, y, height * this.relief * this.phase], this.view);
    return [this.middle[0] + right * this.zoom, this.middle[1] + down * this.zoom, near];
  }

  /** Yield the cells from back to front. */
  *backToFront() {
    const lines = (count, forward) => {
      const order = [...Array(count).keys()];
      return forward ? order : order.reverse();
    };
    const rows = lines(this.projected.length - 1, Math.cos(this.view.azimuth) > 0);
    const columns = lines(this.projected[0].length - 1, Math.sin(this.view.azimuth) > 0);
    for (const row of rows) for (const column of columns) yield [row, column];
  }

  get relief() {
    return RELIEF[this.options.scale ?? "sequential"];
  }

  get palette() {
    const systemTheme = this.dark.matches ? "dark" : "light";
    const palettes = PALETTES[this.options.theme] ?? PALETTES[systemTheme];
    return palettes[this.options.scale ?? "sequential"];
  }

  cell(row, column) {
    const [a, b, c, d] = [[0, 0], [0, 1], [1, 1], [1, 0]].map(
      ([down, right]) => this.projected[row + down][column + right],
    );
    const heights = this.heights;
    const [here, right, below] = [heights[row][column], heights[row][column + 1], heights[row + 1][column]];
    const slope = (here - right) * 0.9 + (here - below) * 0.7;
    const light = 1 + Math.max(-0.35, Math.min(0.3, slope * this.phase * SUBDIVISION * 0.5));
    const mean = (here + right + below + heights[row + 1][column + 1]) / 4;
    const share = this.options.scale === "diverging" ? (mean * this.phase + 1) / 2 : mean;
    const color = paletteColor(this.palette, share).map((part) => Math.min(255, Math.round(part * light)));
    this.context.beginPath();
    for (const [x, y] of [a, b, c, d]) this.context.lineTo(x, y);
    this.context.closePath();
    this.context.fillStyle = this.context.strokeStyle = `rgb(${color.join(",")})`;
    this.context.lineWidth = 1;
    this.context.fill();
    this.context.stroke();
    this.lines(row, column, [a, b, c, d]);
  }

  /** Draw the board lines along the sides of a cell; neighbors redraw shared sides. */
  lines(row, column, [a, b, c, d]) {
    const within = (index, count) => index >= SUBDIVISION && index < count * SUBDIVISION;
    const isLine = (index, count) => index % SUBDIVISION === 0 && within(index, count + 0.5);
    const sides = [
      [isLine(row, this.rows) && within(column, this.columns), a, b],
      [isLine(row + 1, this.rows) && within(column, this.columns), d, c],
      [isLine(column, this.columns) && within(row, this.rows), a, d],
      [isLine(column + 1, this.columns) && within(row, this.rows), b, c],
    ];
    this.context.strokeStyle = "rgba(0, 0, 0, 0.2)";
    this.context.lineWidth = Math.max(0.6, this.zoom / 900);
    for (const [isThere, from, to] of sides) {
      if (!isThere) continue;
      this.context.beginPath();
      this.context.moveTo(from[0], from[1]);
      this.context.lineTo(to[0], to[1]);
      this.context.stroke();
    }
  }

  /** Draw stones and marks from back to front, always above the surface. */
  drawObjects() {
    const objects = [];
    const add = (row, column, draw) => objects.push([this.markerAt(row, column).near, draw]);
    (this.options.stones ?? []).forEach((line, row) =>
      line.forEach((stone, column) => {
        if (stone) add(row, column, () => this.stone(row, column, stone));
      }),
    );
    (this.options.marks ?? []).forEach(([row, column], index) => {
      add(row, column, () => this.mark(row, column, index === 0));
    });
    objects.sort((one, other) => one[0] - other[0]).forEach(([, draw]) => draw());
  }

  markerAt(row, column) {
    const [x, y, near] = this.projected[(row + 1) * SUBDIVISION][(column + 1) * SUBDIVISION];
    const size = (this.zoom / (Math.max(this.rows, this.columns) + 1)) * (1 + 0.2 * near);
    return { x, y, near, size, flat: Math.max(0.3, Math.sin(this.view.elevation)) };
  }

  stone(row, column, color) {
    const { x, y, size, flat } = this.markerAt(row, column);
    const radius = size * 0.44;
    const lift = radius * 0.28 * (1 - flat);
    const shine = this.context.createRadialGradient(
      x - radius * 0.3, y - lift - radius * 0.35 * flat, radius * 0.1, x, y - lift, radius * 1.1,
    );
    const [bright, dim] = color === 1 ? ["#6a6a70", "#0b0b0d"] : ["#ffffff", "#b9b6ae"];
    shine.addColorStop(0, bright);
    shine.addColorStop(1, dim);
    this.disc(x, y + lift, radius, flat, "rgba(0, 0, 0, 0.35)");
    this.disc(x, y - lift, radius, flat, shine);
  }

  mark(row, column, isBest) {
    const { x, y, size, flat } = this.markerAt(row, column);
    this.context.beginPath();
    this.context.ellipse(x, y, size * 0.3, size * 0.3 * flat, 0, 0, 2 * Math.PI);
    this.context.lineWidth = size * (isBest ? 0.12 : 0.07);
    this.context.strokeStyle = "#d6301f";
    this.context.stroke();
  }

  disc(x, y, radius, flat, fill) {
    this.context.beginPath();
    this.context.ellipse(x, y, radius, radius * flat, 0, 0, 2 * Math.PI);
    this.context.fillStyle = fill;
    this.context.fill();
  }
}
