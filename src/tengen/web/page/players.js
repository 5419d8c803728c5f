// The player bars above and below the board: names, captures, clocks; and the game terms.

import { $, el, replaceChildren } from "./dom.js";
import { levelRank, playerName, rankText, rulesText } from "./server_texts.js";
import { t } from "./translation.js";

const COLORS = ["black", "white"];
const TICK_MS = 250;
const LOW_TIME_S = 10;

function formatTime(seconds) {
  const whole = Math.max(0, Math.ceil(seconds));
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, "0")}`;
}

// Return the state of a clock after `elapsed` more seconds.
export function clockAfter(clock, elapsed) {
  let { left_s: left, periods_left: periods, in_overtime: inOvertime } = clock;
  left -= elapsed;
  if (left < 0 && !inOvertime && periods) {
    inOvertime = true;
    left += clock.period_s;
  }
  while (left < 0 && inOvertime && periods > 1) {
    periods -= 1;
    left += clock.period_s;
  }
  return { left: Math.max(left, 0), periods, inOvertime };
}

// Whether the last move of a player was a pass.
function hasPassed({ last, to_play: toPlay, both_passed: bothPassed }, color) {
  return last === "pass" && (bothPassed || color !== toPlay);
}

function termsText({ rules, komi, handicap, level, color, is_loaded: isLoaded, estimate }) {
  const hasEngine = !isLoaded && color !== "both";
  return [
    rules && t("players.rules", { rules: rulesText(rules) }), t("players.komi", { komi }), handicap ? t("players.handicap", { count: handicap }) : "",
    hasEngine ? t("players.level", { level: levelRank(level) }) : "",
    estimate ? rankText(estimate) : "",
  ].filter(Boolean).join(" · ");
}

export class Players {
  constructor() {
    this.shown = null;
    setInterval(() => this.tick(), TICK_MS);
  }

  show(game, state) {
    this.shown = { game, state, at: performance.now() };
    for (const color of COLORS) {
      const other = color === "black" ? "white" : "black";
      const isTurn = state.phase === "play" && state.to_play === color;
      const bar = $(`${color}-player`);
      bar.classList.toggle("turn", isTurn);
      replaceChildren(bar,
        el("span", { class: `dot ${color}`, "aria-hidden": "true" }),
        el("b", {}, playerName(game[color]) || t(`common.${color}`)),
        el("span", { class: "prisoners", title: t("players.captured_title") }, t("players.captured", { count: state.prisoners[other] })),
        isTurn && state.thinking ? el("span", { class: "thinking" }, t("players.thinking")) : null,
        hasPassed(state, color) ? el("span", { class: "passed" }, t("players.passed")) : null,
        el("span", { class: "clock", id: `${color}-clock` }));
    }
    $("terms").textContent = termsText(game);
    this.tick();
  }

  tick() {
    const clocks = this.shown?.state.clocks;
    if (!clocks) return;
    const elapsed = (performance.now() - this.shown.at) / 1000 + clocks.elapsed_s;
    for (const color of COLORS) {
      const isRunning = clocks.running === color && this.shown.state.phase === "play";
      const { left, periods, inOvertime } = clockAfter(clocks[color], isRunning ? elapsed : 0);
      const overtime = periods ? ` ${inOvertime ? "" : "+"}${periods}×${Math.round(clocks[color].period_s)}s` : "";
      const box = $(`${color}-clock`);
      box.textContent = formatTime(left) + overtime;
      box.classList.toggle("low", isRunning && left < LOW_TIME_S);
    }
  }
}
