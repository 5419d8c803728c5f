// The dialog in which a new game is asked for. It stays until the server has begun the game.

import { el } from "./dom.js";
import { keep, kept } from "./storage.js";

function choice(name, label, options, value) {
  const items = options.map(([key, text]) => el("option", { value: key, selected: key === value }, text));
  return el("label", {}, el("span", {}, label), el("select", { name }, items));
}

function number(name, label, value, attributes) {
  return el("label", {}, el("span", {}, label), el("input", { name, type: "number", value, ...attributes }));
}

const SIZES = ["5", "7", "9", "11", "13", "15", "17", "19"].map((size) => [size, `${size} × ${size}`]);
const CLOCKS = [["none", "No clock"], ["absolute", "Main time only"], ["byoyomi", "Main time + byo-yomi"], ["fischer", "Fischer"]];
const CLOCK_FIELDS = { none: [], absolute: ["main"], byoyomi: ["main", "period_s", "periods"], fischer: ["main", "period_s"] };
const SIDES = [["black", "Black"], ["white", "White"], ["both", "Both (no engine)"], ["none", "Watch the engine"]];
const HANDICAP_KOMI = 0.5;
const KEPT = "new game";

export class NewGame {
  // `onStart` asks the server for a game, and returns whether it could be asked.
  constructor(onStart) {
    this.onStart = onStart;
    this.isWaiting = false;
    this.dialog = el("dialog", { id: "new-game", "aria-label": "New game", onclose: () => { this.isWaiting = false; } });
    document.body.append(this.dialog);
  }

  open({ version, levels, rules, defaults }) {
    this.rules = rules;
    this.told = JSON.stringify([version, defaults]);
    this.problem = el("p", { class: "problem", id: "new-game-problem", role: "alert" });
    this.form = el("form", { method: "dialog" },
      el("h2", {}, "New game"), fields(levels, rules, defaults), this.problem,
      el("div", { class: "bar" },
        el("button", { type: "submit", value: "start", class: "main", autofocus: true }, "Start"),
        el("button", { type: "submit", value: "cancel", formnovalidate: true }, "Cancel")));
    this.takeLastChoices();
    this.showFitting();
    this.form.addEventListener("change", () => this.showFitting());
    this.form.addEventListener("submit", (event) => this.submit(event));
    this.dialog.replaceChildren(this.form);
    this.dialog.showModal();
  }

  submit(event) {
    if (event.submitter?.value !== "start") return;
    event.preventDefault();
    this.isWaiting = true;
    this.problem.textContent = "";
    if (!this.onStart(asked(this.form.elements))) this.refuse("There is no connection: try again in a moment.");
  }

  // A game has begun: if it is the one that was asked for here, the dialog has done its work.
  begun() {
    if (!this.isWaiting) return;
    const choices = Object.fromEntries(new FormData(this.form));
    keep(KEPT, JSON.stringify({ told: this.told, choices }));
    this.dialog.close();
  }

  // The server refuses something: if this game was asked for, say why here, and return true.
  refuse(reason) {
    if (!this.isWaiting) return false;
    this.isWaiting = false;
    this.problem.textContent = reason;
    return true;
  }

  // Begin with what was chosen last, unless another server, or one with other wishes, was started since.
  takeLastChoices() {
    const { told, choices } = JSON.parse(kept(KEPT)) ?? {};
    if (told !== this.told) return;
    for (const [name, value] of Object.entries(choices)) this.form.elements[name].value = value;
  }

  // Show the fields that the choices need, and the komi that they mean.
  showFitting() {
    const field = this.form.elements;
    offer(field.other, field.size.value === "other");
    for (const name of CLOCK_FIELDS.byoyomi) offer(field[name], CLOCK_FIELDS[field.clock.value].includes(name));
    field.komi.placeholder = handicapOf(field) ? `${HANDICAP_KOMI}, with handicap` : `${this.rules[field.rules.value]}, as the rules say`;
  }
}

// Show a field or hide it; what is wrong with a hidden one must not keep the game from beginning.
function offer(field, isFitting) {
  field.parentElement.hidden = field.disabled = !isFitting;
}

function fields(levels, rules, { size, colour, level, handicap, rules: rulesName, komi }) {
  const sizes = SIZES.some(([one]) => one === size) ? SIZES : [...SIZES, [size, size]];
  return el("div", { class: "fields" },
    choice("size", "Board", [...sizes, ["other", "Other…"]], size),
    el("label", {}, el("span", {}, "Columns x rows"),
      el("input", { name: "other", placeholder: "7x9", pattern: " *\\d{1,2} *([xX] *\\d{1,2} *)?" })),
    choice("colour", "You play", SIDES, colour),
    choice("level", "Level", levels.map(({ name, rank, meaning }) => [name, `${rank}: ${meaning}`]), level),
    number("handicap", "Handicap stones", handicap, { min: 0, max: 9 }),
    choice("rules", "Rules", Object.keys(rules).map((name) => [name, name]), rulesName),
    number("komi", "Komi", komi ?? "", { step: 0.5 }),
    choice("clock", "Clock", CLOCKS, "none"),
    number("main", "Minutes", 10, { min: 0, step: 0.5 }),
    number("period_s", "Seconds a move", 30, { min: 0 }),
    number("periods", "Periods", 3, { min: 1, max: 100 }));
}

// One stone is no handicap: Black begins as always.
function handicapOf(field) {
  const stones = Number(field.handicap.value);
  return stones === 1 ? 0 : stones;
}

function asked(field) {
  const size = field.size.value === "other" ? field.other.value : field.size.value;
  const values = { size, colour: field.colour.value, level: field.level.value, rules: field.rules.value };
  values.handicap = handicapOf(field);
  values.komi = field.komi.value === "" ? null : Number(field.komi.value);
  if (field.clock.value !== "none") {
    values.clock = field.clock.value;
    values.main_s = 60 * Number(field.main.value);
    values.period_s = Number(field.period_s.value);
    values.periods = Number(field.periods.value);
  }
  return values;
}
