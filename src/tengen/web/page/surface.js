// A board's numbers as a surface in space: a landscape, or a skin that vibrates.
//
//   const surface = drawSurface(canvas, values, { scale: "sequential", stones, vibrate: true });
//   surface.update(otherValues, { stones });   // the view stays as it was turned
//   surface.stop();                            // no more frames, no more listeners
//
// `values` is rows of numbers, null where nothing is said. Options:
//   scale    "sequential" (default), "diverging" or "mask", as a layer has it
//   low, high  the values at the two ends of the colours; taken from the values if left out
//   stones   rows of 0, 1 (black), 2 (white)
//   marks    [[row, column], ...], the first being the best
//   vibrate  let the surface swing as a standing wave (the big move); still where motion is reduced
//   theme    "light" or "dark"; by default what the system prefers
//   label    what a screen reader says of the picture
// Drag to turn, arrow keys as well; a double click turns it back.

const FINE = 3; // parts that a step between two points is divided into
const HOME = { azimuth: -0.62, elevation: 0.86 };
const LOWEST = 0.12;
const HIGHEST = 1.5;
const PERIOD_MS = 4200; // of the standing wave: gentle
const FRAME_MS = 30;
const RELIEF = { sequential: 0.26, diverging: 0.26, mask: 0.12 }; // of the highest, in board widths

// The colours of heat.js, from none to most and from White's to Black's; the middle of the second
// is dark in the dark, so that hills and valleys stand out.
const SEQUENTIAL = [[243, 240, 226], [168, 216, 185], [63, 167, 163], [44, 110, 155], [59, 47, 124]];
const RAMPS = {
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

/** Return the colour [r, g, b] at a share from 0 to 1 of a ramp of colours. */
export function rampColour(ramp, share) {
  const place = Math.min(Math.max(share, 0), 1) * (ramp.length - 1);
  const below = Math.min(Math.floor(place), ramp.length - 2);
  const part = place - below;
  return ramp[below].map((from, k) => Math.round(from + (ramp[below + 1][k] - from) * part));
}

/** Return the values at the ends of the colours, as `Layer.limits` has them. */
export function limitsOf(values, scale, low, high) {
  const said = values.flat().filter((value) => value !== null && Number.isFinite(value));
  if (scale === "mask" || said.length === 0) return [0, 1];
  if (scale === "diverging") {
    const most = high ?? Math.max(...said.map(Math.abs));
    return [-(most || 1), most || 1];
  }
  const bottom = low ?? Math.min(0, ...said);
  const top = high ?? Math.max(...said);
  return [bottom, top > bottom ? top : bottom + 1];
}

/** Return heights from -1 to 1 with a rim of zeros around: where nothing is said it is flat. */
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

/** Return the grid with `parts` steps for each step, smooth (Catmull-Rom in both directions). */
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

/** Return [x, y, depth] on a unit picture of a point in space; larger depth is nearer. */
export function project([x, y, z], view) {
  const cos = Math.cos(view.azimuth);
  const sin = Math.sin(view.azimuth);
  const right = x * cos - y * sin;
  const near = x * sin + y * cos;
  const lift = Math.sin(view.elevation);
  const away = 1 / (1 - 0.22 * near * Math.cos(view.elevation)); // a little perspective
  return [right * away, (near * lift - z * Math.cos(view.elevation)) * away, near];
}

/** Draw the surface into a canvas; return { update(values, options), stop() }. */
export function drawSurface(canvas, values, options = {}) {
  const surface = new Surface(canvas);
  surface.show(values, options);
  return {
    update: (others, changes = {}) => surface.show(others, { ...surface.options, ...changes }),
    stop: () => surface.stop(),
  };
}

class Surface {
  constructor(canvas) {
    this.canvas = canvas;
    this.pen = canvas.getContext("2d");
    this.view = { ...HOME };
    this.options = {};
    this.frame = null;
    this.shown = -Infinity;
    this.begun = performance.now();
    this.still = window.matchMedia("(prefers-reduced-motion: reduce)");
    this.dark = window.matchMedia("(prefers-color-scheme: dark)");
    this.leaving = new AbortController();
    this.listen();
  }

  listen() {
    const { signal } = this.leaving;
    const on = (target, kind, action) => target.addEventListener(kind, action, { signal });
    on(this.canvas, "pointerdown", (event) => this.grab(event));
    on(this.canvas, "pointermove", (event) => this.drag(event));
    on(this.canvas, "pointerup", () => (this.held = null));
    on(this.canvas, "pointercancel", () => (this.held = null));
    on(this.canvas, "dblclick", () => this.turnTo(HOME.azimuth, HOME.elevation));
    on(this.canvas, "keydown", (event) => this.key(event));
    on(this.still, "change", () => this.ask());
    on(this.dark, "change", () => this.ask());
    on(document, "visibilitychange", () => this.ask());
    this.sizes = new ResizeObserver(() => this.ask());
    this.sizes.observe(this.canvas);
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
    this.heights = refine(heightsOf(values, scale, low, high), FINE);
    this.canvas.setAttribute("aria-label", options.label ?? "surface; arrow keys turn it");
    this.ask();
  }

  stop() {
    this.leaving.abort();
    this.sizes.disconnect();
    cancelAnimationFrame(this.frame);
    this.frame = null;
    this.stopped = true;
  }

  // Turning

  grab(event) {
    this.held = { x: event.clientX, y: event.clientY, ...this.view };
    this.canvas.setPointerCapture(event.pointerId);
  }

  drag(event) {
    if (!this.held) return;
    const size = Math.max(this.canvas.clientWidth, 1);
    const azimuth = this.held.azimuth - ((event.clientX - this.held.x) / size) * Math.PI;
    this.turnTo(azimuth, this.held.elevation + ((event.clientY - this.held.y) / size) * 2);
  }

  key(event) {
    const turns = { ArrowLeft: [0.1, 0], ArrowRight: [-0.1, 0], ArrowUp: [0, -0.1], ArrowDown: [0, 0.1] };
    const turn = turns[event.key];
    if (!turn) return;
    event.preventDefault();
    event.stopPropagation();
    this.turnTo(this.view.azimuth + turn[0], this.view.elevation + turn[1]);
  }

  turnTo(azimuth, elevation) {
    this.view = { azimuth, elevation: Math.min(Math.max(elevation, LOWEST), HIGHEST) };
    this.ask();
  }

  // Time

  get swings() {
    return Boolean(this.options.vibrate) && !this.still.matches && !document.hidden;
  }

  ask() {
    this.shown = -Infinity;
    if (this.frame === null && !this.stopped) {
      this.frame = requestAnimationFrame((now) => this.tick(now));
    }
  }

  tick(now) {
    this.frame = null;
    if (this.stopped || !this.canvas.isConnected) return;
    if (now - this.shown >= FRAME_MS) {
      this.shown = now;
      const phase = this.swings ? Math.cos(((now - this.begun) / PERIOD_MS) * 2 * Math.PI) : 1;
      this.paint(phase);
    }
    if (this.swings) this.frame = requestAnimationFrame((later) => this.tick(later));
  }

  // Painting

  paint(phase) {
    const ratio = window.devicePixelRatio || 1;
    const width = Math.max(1, Math.round(this.canvas.clientWidth * ratio));
    const height = Math.max(1, Math.round(this.canvas.clientHeight * ratio));
    if (this.canvas.width !== width || this.canvas.height !== height) {
      Object.assign(this.canvas, { width, height });
    }
    this.pen.clearRect(0, 0, width, height);
    this.zoom = Math.min(width * 0.64, height * 0.78);
    this.middle = [width / 2, height * 0.54];
    this.phase = phase;
    this.corners = this.project();
    for (const [row, column] of this.backToFront()) this.cell(row, column);
    this.things();
  }

  /** Return the place of each fine grid point on the canvas. */
  project() {
    return this.heights.map((line, row) =>
      line.map((height, column) => this.place(row / FINE - 1, column / FINE - 1, height)),
    );
  }

  place(row, column, height) {
    const span = Math.max(this.rows, this.columns) + 1;
    const x = (column - (this.columns - 1) / 2) / span;
    const y = (row - (this.rows - 1) / 2) / span;
    const [right, down, near] = project([x, y, height * this.relief * this.phase], this.view);
    return [this.middle[0] + right * this.zoom, this.middle[1] + down * this.zoom, near];
  }

  /** Yield the cells, the farthest first. */
  *backToFront() {
    const lines = (count, forward) => {
      const order = [...Array(count).keys()];
      return forward ? order : order.reverse();
    };
    const rows = lines(this.corners.length - 1, Math.cos(this.view.azimuth) > 0);
    const columns = lines(this.corners[0].length - 1, Math.sin(this.view.azimuth) > 0);
    for (const row of rows) for (const column of columns) yield [row, column];
  }

  get relief() {
    return RELIEF[this.options.scale ?? "sequential"];
  }

  get ramp() {
    const usual = this.dark.matches ? "dark" : "light";
    const ramps = RAMPS[this.options.theme] ?? RAMPS[usual];
    return ramps[this.options.scale ?? "sequential"];
  }

  cell(row, column) {
    const [a, b, c, d] = [[0, 0], [0, 1], [1, 1], [1, 0]].map(
      ([down, right]) => this.corners[row + down][column + right],
    );
    const heights = this.heights;
    const [here, right, below] = [heights[row][column], heights[row][column + 1], heights[row + 1][column]];
    const slope = (here - right) * 0.9 + (here - below) * 0.7;
    const light = 1 + Math.max(-0.35, Math.min(0.3, slope * this.phase * FINE * 0.5));
    const mean = (here + right + below + heights[row + 1][column + 1]) / 4;
    const share = this.options.scale === "diverging" ? (mean * this.phase + 1) / 2 : mean;
    const colour = rampColour(this.ramp, share).map((part) => Math.min(255, Math.round(part * light)));
    this.pen.beginPath();
    for (const [x, y] of [a, b, c, d]) this.pen.lineTo(x, y);
    this.pen.closePath();
    this.pen.fillStyle = this.pen.strokeStyle = `rgb(${colour.join(",")})`;
    this.pen.lineWidth = 1;
    this.pen.fill();
    this.pen.stroke();
    this.lines(row, column, [a, b, c, d]);
  }

  /** Draw the board's own lines along the sides of a cell; its neighbours will do so again. */
  lines(row, column, [a, b, c, d]) {
    const within = (index, count) => index >= FINE && index < count * FINE;
    const isLine = (index, count) => index % FINE === 0 && within(index, count + 0.5);
    const sides = [
      [isLine(row, this.rows) && within(column, this.columns), a, b],
      [isLine(row + 1, this.rows) && within(column, this.columns), d, c],
      [isLine(column, this.columns) && within(row, this.rows), a, d],
      [isLine(column + 1, this.columns) && within(row, this.rows), b, c],
    ];
    this.pen.strokeStyle = "rgba(0, 0, 0, 0.2)";
    this.pen.lineWidth = Math.max(0.6, this.zoom / 900);
    for (const [isThere, from, to] of sides) {
      if (!isThere) continue;
      this.pen.beginPath();
      this.pen.moveTo(from[0], from[1]);
      this.pen.lineTo(to[0], to[1]);
      this.pen.stroke();
    }
  }

  /** Draw stones and marks, the farthest first; the skin never hides them. */
  things() {
    const things = [];
    const add = (row, column, draw) => things.push([this.spot(row, column).near, draw]);
    (this.options.stones ?? []).forEach((line, row) =>
      line.forEach((stone, column) => {
        if (stone) add(row, column, () => this.stone(row, column, stone));
      }),
    );
    (this.options.marks ?? []).forEach(([row, column], index) => {
      add(row, column, () => this.mark(row, column, index === 0));
    });
    things.sort((one, other) => one[0] - other[0]).forEach(([, draw]) => draw());
  }

  spot(row, column) {
    const [x, y, near] = this.corners[(row + 1) * FINE][(column + 1) * FINE];
    const size = (this.zoom / (Math.max(this.rows, this.columns) + 1)) * (1 + 0.2 * near);
    return { x, y, near, size, flat: Math.max(0.3, Math.sin(this.view.elevation)) };
  }

  stone(row, column, colour) {
    const { x, y, size, flat } = this.spot(row, column);
    const radius = size * 0.44;
    const lift = radius * 0.28 * (1 - flat);
    const shine = this.pen.createRadialGradient(
      x - radius * 0.3, y - lift - radius * 0.35 * flat, radius * 0.1, x, y - lift, radius * 1.1,
    );
    const [bright, dim] = colour === 1 ? ["#6a6a70", "#0b0b0d"] : ["#ffffff", "#b9b6ae"];
    shine.addColorStop(0, bright);
    shine.addColorStop(1, dim);
    this.disc(x, y + lift, radius, flat, "rgba(0, 0, 0, 0.35)");
    this.disc(x, y - lift, radius, flat, shine);
  }

  mark(row, column, isBest) {
    const { x, y, size, flat } = this.spot(row, column);
    this.pen.beginPath();
    this.pen.ellipse(x, y, size * 0.3, size * 0.3 * flat, 0, 0, 2 * Math.PI);
    this.pen.lineWidth = size * (isBest ? 0.12 : 0.07);
    this.pen.strokeStyle = "#d6301f";
    this.pen.stroke();
  }

  disc(x, y, radius, flat, fill) {
    this.pen.beginPath();
    this.pen.ellipse(x, y, radius, radius * flat, 0, 0, 2 * Math.PI);
    this.pen.fillStyle = fill;
    this.pen.fill();
  }
}
