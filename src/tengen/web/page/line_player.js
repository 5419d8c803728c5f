// Plays back a variation on the board: one more numbered stone after each step.

const STEP_MS = 220;
const START_MS = 150; // before the first stone, so that passing over candidates shows nothing

export class LinePlayer {
  /** @param {() => void} onStep */
  constructor(onStep) {
    this.onStep = onStep;
    this.timer = 0;
    this.line = null;
    /** @type {string[] | null} */
    this.shown = null; // the moves to show
  }

  /** Play a line from its start, or end with null. @param {string[] | null} line */
  play(line) {
    clearTimeout(this.timer);
    const wasShown = Boolean(this.shown);
    this.line = line;
    this.shown = null;
    if (line) this.timer = setTimeout(() => this.step(matchMedia("(prefers-reduced-motion: reduce)").matches ? line.length : 1), START_MS);
    if (wasShown) this.onStep();
  }

  step(count) {
    this.shown = this.line.slice(0, count);
    this.onStep();
    if (count < this.line.length) this.timer = setTimeout(() => this.step(count + 1), STEP_MS);
  }
}
