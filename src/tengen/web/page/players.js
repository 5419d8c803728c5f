// The two players: names, prisoners, clocks; and what they have agreed on.

import { $, el, refill } from "./dom.js";

function timeText(seconds) {
  const whole = Math.max(0, Math.ceil(seconds));
  const minutes = Math.floor(whole / 60);
  return `${minutes}:${String(whole % 60).padStart(2, "0")}`;
}

// Seconds of a side's clock after `elapsed` more, and its periods.
export function clockAfter(side, elapsed) {
  let { left_s: left, periods_left: periods, in_overtime: inOvertime } = side;
  left -= elapsed;
  if (left < 0 && !inOvertime && periods) {
    inOvertime = true;
    left += side.period_s;
  }
  while (left < 0 && inOvertime && periods > 1) {
    periods -= 1;
    left += side.period_s;
  }
  return { left: Math.max(left, 0), periods, inOvertime };
}

// Tell whether the last move of a side was a pass: the last of all, or both of the last two.
function hasPassed({ last, to_play: toPlay, passes }, colour) {
  return last === "pass" && (passes || colour !== toPlay);
}

function termsText({ rules, komi, handicap, level, colour, watching }) {
  const isWithEngine = !watching && colour !== "both";
  return [
    rules && `${rules} rules`, `komi ${komi}`, handicap ? `${handicap} handicap stones` : "", isWithEngine ? `level ${level}` : "",
  ].filter(Boolean).join(" · ");
}

export class Players {
  constructor() {
    this.shown = null;
    setInterval(() => this.tick(), 250);
  }

  show(game, state) {
    this.shown = { game, state, at: performance.now() };
    for (const colour of ["black", "white"]) {
      const other = colour === "black" ? "white" : "black";
      const isTurn = state.phase === "play" && state.to_play === colour;
      const box = $(`${colour}-player`);
      box.classList.toggle("turn", isTurn);
      refill(box,
        el("span", { class: `dot ${colour}`, "aria-hidden": "true" }),
        el("b", {}, game[colour] || (colour === "black" ? "Black" : "White")),
        el("span", { class: "prisoners", title: "Stones captured" }, `${state.prisoners[other]} captured`),
        isTurn && state.thinking ? el("span", { class: "thinking" }, "thinking…") : null,
        hasPassed(state, colour) ? el("span", { class: "passed" }, "passed") : null,
        el("span", { class: "clock", id: `${colour}-clock` }));
    }
    $("terms").textContent = termsText(game);
    this.tick();
  }

  tick() {
    const clocks = this.shown?.state.clocks;
    if (!clocks) return;
    const since = (performance.now() - this.shown.at) / 1000 + clocks.elapsed_s;
    for (const colour of ["black", "white"]) {
      const isRunning = clocks.running === colour && this.shown.state.phase === "play";
      const { left, periods, inOvertime } = clockAfter(clocks[colour], isRunning ? since : 0);
      const more = periods ? ` ${inOvertime ? "" : "+"}${periods}×${Math.round(clocks[colour].period_s)}s` : "";
      const box = $(`${colour}-clock`);
      box.textContent = timeText(left) + more;
      box.classList.toggle("short", isRunning && left < 10);
    }
  }
}
