// Keyboard shortcuts and the dialog that lists them.

import { openDialog } from "./dialogs.js";
import { el } from "./dom.js";
import { isMarking } from "./editing.js";
import { t } from "./translation.js";

const SHARED_KEYS = /^[1-9?b]$/; // work on tabs that have shortcuts of their own in place of those of the game

export class Keyboard {
  constructor(app) {
    this.app = app;
    this.actions = {};
    this.texts = new Map(); // description by keys, as listed
    this.addAll();
    addEventListener("keydown", (event) => this.handle(event));
  }

  /**
   * Add a shortcut, or several keys with one description: add("↑ ↓", "...", [action, action]).
   * @param {string} key
   * @param {string} text
   * @param {(() => void) | Record<string, () => void>} action
   */
  add(key, text, action) {
    this.texts.set(key, text);
    Object.assign(this.actions, typeof action === "function" ? { [key]: action } : action);
  }

  addAll() {
    const { app } = this;
    this.add("← →", t("keys.step"), { ArrowLeft: () => app.step("back"), ArrowRight: () => app.step("forward") });
    this.add("↑ ↓", t("keys.variation"), { ArrowUp: () => app.step("previous"), ArrowDown: () => app.step("next") });
    this.add("PgUp PgDn", t("keys.leap"), { PageUp: () => app.leap(-10), PageDown: () => app.leap(10) });
    this.add("Home End", t("keys.ends"), { Home: () => app.goTo(app.tree.root), End: () => app.goTo(app.tree.end(app.state.node)) });
    this.add("b", t("keys.board"), () => app.stage.focusBoard());
    this.add("p", t("keys.pass"), () => app.play("pass"));
    this.add("u", t("keys.undo"), () => app.send("undo"));
    this.add("h", t("keys.hint"), () => app.send("hint"));
    this.add("g", t("keys.engine"), () => app.send("engine_move"));
    this.add("s", t("keys.score"), () => app.send("score"));
    this.add("Enter Esc", t("keys.scoring"), {
      Enter: () => app.state.phase === "scoring" && app.state.both_passed && app.send("accept_score"),
      Escape: () => (isMarking(app) ? app.editing.choose(null) : app.state.phase === "scoring" ? app.send("resume_play") : app.closeEstimate()),
    });
    this.add("n", t("keys.new"), () => app.openNewGame());
    this.add("o", t("keys.open"), () => app.openFile());
    this.add("w", t("keys.save"), () => app.save());
  }

  handle(event) {
    const isTyping = event.target.closest?.('input:not([type="checkbox"]), textarea, select, dialog');
    const isPressing = event.target.closest?.("button, a, summary") && (event.key === "Enter" || event.key === " ");
    if (isTyping || isPressing || event.ctrlKey || event.metaKey || event.altKey || !this.app.state) return;
    const { keys } = this.app.panel;
    const action = !keys || SHARED_KEYS.test(event.key) ? this.actions[event.key] : keys[event.key];
    if (!action || document.querySelector("dialog[open]")) return;
    event.preventDefault();
    action();
  }

  showHelp() {
    openDialog(t("keys.title"), [
      el("dl", {}, [...this.texts].map(([keys, text]) => [el("dt", {}, keys.split(" ").map((one) => el("kbd", {}, one))), el("dd", {}, text)])),
      el("button", { class: "main" }, t("common.close"))], { id: "keys" });
  }
}
