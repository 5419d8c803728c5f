// The Play tab: state of the game and game actions.

import { button, el, percent } from "./dom.js";
import { estimateText } from "./server_texts.js";
import { t } from "./translation.js";

export class PlayPanel {
  constructor(app) {
    this.app = app;
    this.name = "play";
    this.title = t("tab.play");
    this.icon = "circle-dot";
    this.status = el("p", { class: "status", id: "status" });
    this.actions = el("div", { id: "actions" });
    this.menu = el("div", { id: "game-menu", class: "menu", popover: "auto" });
    this.menuButton = button(t("play.more"), () => this.openMenu(), null, "menu", { icon: "ellipsis", kind: "tool", label: t("play.menu") });
    this.element = el("div", { class: "panel" },
      this.status, this.actions,
      el("div", { class: "tools divided" },
        button(t("play.new"), () => app.openNewGame(), "n", "new", { icon: "plus", kind: "tool" }),
        button(t("play.open"), () => app.openFile(), "o", "open", { icon: "folder-open", kind: "tool" }),
        button(t("play.save"), () => app.save(), "w", "save", { icon: "save", kind: "tool" }), this.menuButton));
    document.body.append(this.menu);
  }

  // Open the menu with the items of other modules.
  openMenu() {
    this.menu.replaceChildren(...this.app.menuItems.map(({ label, action, key, icon }) => button(label, () => {
      this.menu.hidePopover();
      action();
    }, key, null, { icon, kind: "quiet" })));
    const { right, bottom } = this.menuButton.getBoundingClientRect();
    this.menu.showPopover();
    const { width, height } = this.menu.getBoundingClientRect();
    this.menu.style.left = `${Math.max(8, Math.min(right - width, innerWidth - width - 8))}px`;
    this.menu.style.top = `${Math.min(bottom + 4, innerHeight - height - 8)}px`;
  }

  show() {
    const { state } = this.app;
    this.status.replaceChildren(...statusText(this.app));
    this.menuButton.hidden = !this.app.menuItems.length;
    this.actions.classList.toggle("thinking", state.thinking);
    this.showActions();
  }

  // Replace the buttons only when they change: a button replaced while pressed loses the click.
  showActions() {
    const actions = this.availableActions();
    const names = actions.map(([text]) => text).join();
    if (this.names === names) return;
    this.names = names;
    const buttons = actions.map(([text, action, key, id, icon, kind]) => button(text, action, key, id, { icon, kind }));
    const isTool = (one) => one.classList.contains("tool");
    this.actions.replaceChildren(el("div", { class: "bar even" }, buttons.filter((one) => !isTool(one))), el("div", { class: "tools" }, buttons.filter(isTool)));
  }

  // Return text, action, key, id, icon and kind of each button; tools are less prominent.
  availableActions() {
    const { app } = this;
    const { phase, both_passed: bothPassed } = app.state;
    const send = (type) => () => app.send(type);
    const undo = [t("play.undo"), send("undo"), "u", "undo", "undo-2"];
    if (phase === "over") return [[t("play.review"), () => app.reviewGame(), null, "review-this", "chart-line", "main"], undo];
    if (phase === "scoring") {
      const accept = bothPassed ? [t("play.accept"), send("accept_score"), "Enter", "accept", "check", "main"] : [t("play.end"), send("accept_score"), null, "accept", "check", "main"];
      return [accept, [bothPassed ? t("play.resume") : t("play.back"), send("resume_play"), "Esc", "resume", "rotate-ccw"]];
    }
    if (app.estimate) {
      return [[t("play.back"), () => app.closeEstimate(), "Esc", "close-estimate", "rotate-ccw"],
        [t("play.count"), () => app.send("score", { is_final: true }), null, "count", "calculator"]];
    }
    return [
      [t("play.pass"), () => app.play("pass"), "p", "pass", "skip-forward"], undo,
      [t("play.hint"), send("hint"), "h", "hint", "lightbulb", "tool"], [t("play.score"), send("score"), "s", "score", "calculator", "tool"],
      [t("play.engine_move"), send("engine_move"), "g", "engine-move", "cpu", "tool"],
      ...(app.game.is_loaded ? [] : [[t("play.resign"), () => app.resign(), null, "resign", "flag", "tool"]])];
  }
}

function statusText({ state, game, hint, estimate }) {
  if (state.phase === "scoring" && state.score) {
    const { black, white, result, handicap_compensation: bonus } = state.score;
    const values = { black, white, komi: game.komi, bonus };
    return [el("b", {}, `${resultText(result)}${t("common.stop")} `), bonus ? t("play.points_with_bonus", values) : t("play.points", values), " ", t("play.toggle")];
  }
  if (state.phase === "over") return [el("b", {}, resultText(state.result)), t("common.stop")];
  if (estimate) return [t("play.estimate"), " ", el("b", {}, `${estimateText(estimate)}${t("common.stop")} `), t("play.unsettled")];
  const color = t(`common.${state.to_play}`);
  const last = state.last && state.last !== "pass" ? t("play.to_play_after", { color, vertex: state.last }) : t("play.to_play", { color });
  const text = [el("b", {}, `${t("play.move", { number: state.move })} `), last];
  if (state.result) text.push(" ", t("play.recorded", { result: state.result }));
  if (hint) text.push(" ", t("play.hint_text", { vertex: hint.vertex, share: percent(hint.value), color: t(`common.${hint.color}`), count: hint.visits }));
  return text;
}

export function resultText(result) {
  if (result === "0") return t("result.draw");
  const [winner, margin] = result.split("+");
  const color = { B: "black", W: "white" }[winner];
  if (!color || margin === undefined) return result;
  const name = { R: "resignation", T: "time", F: "forfeit", "": "plain" }[margin.slice(0, 1)] ?? "points";
  return t(`result.${name}`, { color: t(`common.${color}`), points: margin });
}
