// What keys do, and the dialog that lists them.

import { el } from "./dom.js";

const KEYS = [
  ["← →", "a move back, a move on"], ["↑ ↓", "another variation"], ["Home End", "the first, the last move"],
  ["b", "to the board: arrows move the cursor, Enter plays, Esc leaves"],
  ["p", "pass"], ["u", "undo"], ["h", "hint"], ["g", "let the engine move"], ["s", "score"],
  ["Enter Esc", "agree with the score, play on"],
  ["a", "analyse the position"], ["n", "new game"], ["o", "open a file"], ["w", "save"],
  ["1 2 3 4", "play, look inside, analyse, experiments"], ["?", "this list"],
];

export function setUpKeys(app, helpButton) {
  const dialog = el("dialog", { id: "keys", "aria-label": "Keys" },
    el("form", { method: "dialog" }, el("h2", {}, "Keys"),
      el("dl", {}, KEYS.map(([key, text]) => [el("dt", {}, key.split(" ").map((one) => el("kbd", {}, one))), el("dd", {}, text)])),
      el("button", { class: "main" }, "Close")));
  document.body.append(dialog);
  const help = () => dialog.showModal();
  helpButton.addEventListener("click", help);
  const actions = {
    ArrowLeft: () => app.step("back"), ArrowRight: () => app.step("forward"),
    ArrowUp: () => app.step("previous"), ArrowDown: () => app.step("next"),
    Home: () => app.goTo(app.tree.start()), End: () => app.goTo(app.tree.end(app.state.node)),
    b: () => app.focusBoard(), p: () => app.play("pass"), u: () => app.send("undo"), h: () => app.send("hint"),
    g: () => app.send("go"), s: () => app.send("score"), n: () => app.openNewGame(), o: () => app.chooseFile(),
    w: () => app.save(), a: () => app.send("analyse", { on: !app.state.analysing }), "?": help,
    Enter: () => app.state.phase === "score" && app.state.passes && app.send("accept"),
    Escape: () => app.state.phase === "score" && app.send("resume"),
  };
  for (const number of [1, 2, 3, 4]) actions[number] = () => app.openTab(number - 1);
  addEventListener("keydown", (event) => {
    const isTyping = event.target.closest?.("input, textarea, select, dialog");
    const isPressing = event.target.closest?.("button, a") && (event.key === "Enter" || event.key === " ");
    if (isTyping || isPressing || event.ctrlKey || event.metaKey || event.altKey || !app.state) return;
    const action = actions[event.key];
    if (!action) return;
    event.preventDefault();
    action();
  });
}
