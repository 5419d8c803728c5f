// Editing of the record: marks on the board, assessments of moves, properties of the game. The tree section has
// the comment, and the buttons that delete and promote variations.

import { button, el, icon } from "./dom.js";
import { openDialog } from "./dialogs.js";
import { preference, setPreference } from "./preferences.js";
import { t } from "./translation.js";

const SHAPES = { triangle: "triangle", square: "square", circle: "circle", cross: "x" }; // icon of each shape
const LABELS = { letter: "A", number: "1" }; // labels that count on with each click
const LETTERS = [..."ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"];
const ASSESSMENTS = { good: "!", interesting: "!?", doubtful: "?!", bad: "?" };
const LONG_PROPERTIES = ["GC"];
const PROPERTY_TEXTS = {
  PB: "black", BR: "black_rank", PW: "white", WR: "white_rank", GN: "name", EV: "event", RO: "round", DT: "date", PC: "place",
  RU: "rules", KM: "komi", RE: "result", AN: "annotator", SO: "source", GC: "comment",
};
const TABS_WITHOUT = ["problems", "library", "experiments"];

/** Add the section, and the mark that shows the assessment of the last move. */
export function setUpEditing(app) {
  app.editing = new Editing(app);
  app.addSection(app.editing);
  app.editing.connect();
}

export class Editing {
  constructor(app) {
    this.app = app;
    this.name = "editing";
    this.title = t("edit.title");
    this.isOpen = preference("editing");
    /** @type {string | null} */
    this.tool = null; // the mark that clicks on the board put
    const shapes = Object.entries(SHAPES).map(([name, iconName]) => this.toolButton(name, icon(iconName)));
    const labels = Object.entries(LABELS).map(([name, text]) => this.toolButton(name, text));
    this.assessments = Object.entries(ASSESSMENTS).map(([name, text]) => el("button", {
      type: "button", class: `small assessment ${name}`, "data-assessment": name, title: t(`edit.${name}`), "aria-label": t(`edit.${name}`), onclick: () => this.assess(name) }, text));
    this.tools = [...shapes, ...labels];
    this.note = el("p", { class: "quiet-text", id: "edit-note", hidden: true }, t("edit.click"));
    this.element = el("div", { id: "editing" },
      el("div", { class: "bar", role: "group", "aria-label": t("edit.marks") }, this.tools), this.note,
      el("div", { class: "bar" },
        el("div", { class: "bar", role: "group", "aria-label": t("edit.assessment") }, this.assessments),
        button(t("edit.info"), () => this.openInfo(), null, "game-info", { icon: "info", kind: "quiet small" })));
    app.addClick((vertex) => this.click(vertex));
    app.addView((view) => this.change(view));
    app.on("tab", () => this.choose(null));
    app.on("game", () => this.choose(null));
  }

  // Called when the section has been added to the page.
  connect() {
    const details = /** @type {HTMLDetailsElement} */ (this.element.closest("details"));
    details.addEventListener("toggle", () => {
      setPreference("editing", details.open);
      if (!details.open) this.choose(null);
    });
  }

  toolButton(name, content) {
    return el("button", { type: "button", class: "small", id: `do-mark-${name}`, "aria-pressed": "false", title: t(`edit.${name}`), "aria-label": t(`edit.${name}`),
      onclick: () => this.choose(this.tool === name ? null : name) }, content);
  }

  /** Choose what clicks on the board do: put a mark, or with null play moves. @param {string | null} tool */
  choose(tool) {
    if (tool === this.tool) return;
    this.tool = tool;
    for (const one of this.tools) {
      const isOn = one.id === `do-mark-${tool}`;
      one.setAttribute("aria-pressed", String(isOn));
      one.classList.toggle("on", isOn);
    }
    this.note.hidden = !tool;
    this.app.stage.show();
  }

  // Put a mark on a clicked point, or remove it.
  click(vertex) {
    if (!this.tool || TABS_WITHOUT.includes(this.app.panel.name)) return false;
    const { node, marks } = this.app.state;
    const own = marks.find(([where, shape]) => where === vertex && shape === "label");
    const fields = this.tool in LABELS ? { shape: "label", text: own?.[2] ?? this.nextLabel() } : { shape: this.tool };
    this.app.send("mark", { node, vertex, ...fields });
    return true;
  }

  nextLabel() {
    const used = new Set(this.app.state.marks.filter(([, shape]) => shape === "label").map(([, , text]) => text));
    if (this.tool === "letter") return LETTERS.find((text) => !used.has(text)) ?? "?";
    let number = 1;
    while (used.has(String(number))) number += 1;
    return String(number);
  }

  change(view) {
    if (this.tool) view.toPlay = null; // no stone under the pointer
    const { annotation } = this.app.state;
    if (annotation && !view.score && !TABS_WITHOUT.includes(this.app.panel.name)) view.assessment = [view.last, annotation, ASSESSMENTS[annotation]];
  }

  assess(name) {
    const { node, annotation } = this.app.state;
    this.app.send("annotate", { node, annotation: annotation === name ? "" : name });
  }

  show() {
    const { annotation, last } = this.app.state;
    for (const one of this.assessments) {
      const isOn = one.dataset.assessment === annotation;
      one.setAttribute("aria-pressed", String(isOn));
      one.classList.toggle("on", isOn);
      one.disabled = !last;
    }
  }

  // The dialog with the properties of the game.
  openInfo() {
    const { properties } = this.app.game;
    const fields = Object.keys(PROPERTY_TEXTS).filter((name) => name in properties).map((name) => el("label", {},
      el("span", {}, t(`edit.${PROPERTY_TEXTS[name]}`)),
      el(LONG_PROPERTIES.includes(name) ? "textarea" : "input", { name, value: properties[name], rows: LONG_PROPERTIES.includes(name) ? 3 : null }, LONG_PROPERTIES.includes(name) ? properties[name] : "")));
    const dialog = openDialog(t("edit.info"), [
      ...fields,
      el("div", { class: "bar end" }, el("button", { value: "cancel", class: "quiet" }, t("common.cancel")),
        el("button", { value: "save", class: "main" }, t("play.save"))),
    ], { id: "game-info" });
    dialog.addEventListener("close", () => dialog.returnValue === "save" && this.saveInfo(dialog.querySelector("form")));
  }

  saveInfo(form) {
    const { properties } = this.app.game;
    const changed = Object.entries(properties).flatMap(([name, old]) => {
      const value = form.elements[name]?.value.trim() ?? old;
      return value === old.trim() ? [] : [[name, value]];
    });
    if (changed.length) this.app.send("set_info", { properties: Object.fromEntries(changed) });
  }
}

/** Whether clicks on the board put marks. */
export function isMarking(app) {
  return Boolean(app.editing?.tool) && !TABS_WITHOUT.includes(app.panel.name);
}
