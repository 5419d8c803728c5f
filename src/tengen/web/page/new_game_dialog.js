// The New game dialog. It stays open until the server has started the game.

import { el } from "./dom.js";
import { load, store } from "./storage.js";

const SIZES = ["5", "7", "9", "11", "13", "15", "17", "19"].map((size) => [size, `${size} × ${size}`]);
const CLOCKS = [["none", "No clock"], ["absolute", "Main time only"], ["byoyomi", "Main time + byo-yomi"], ["fischer", "Fischer"]];
const CLOCK_FIELDS = { none: [], absolute: ["main"], byoyomi: ["main", "period_s", "periods"], fischer: ["main", "period_s"] };
const SIDES = [["black", "Black"], ["white", "White"], ["both", "Both (no engine)"], ["none", "None (engine plays itself)"]];
const HANDICAP_KOMI = 0.5;
const LAST_CHOICES = "new game";

export class NewGameDialog {
  // `onStart` requests a game and returns whether the request was sent.
  constructor(onStart) {
    this.onStart = onStart;
    this.isWaiting = false;
    this.dialog = el("dialog", { id: "new-game", "aria-label": "New game", onclose: () => { this.isWaiting = false; } });
    document.body.append(this.dialog);
  }

  open({ version, levels, rules, defaults }) {
    this.rules = rules;
    this.serverKey = JSON.stringify([version, defaults]);
    this.problem = el("p", { class: "problem", id: "new-game-problem", role: "alert" });
    this.form = el("form", { method: "dialog" },
      el("h2", {}, "New game"), fields(levels, rules, defaults), this.problem,
      el("div", { class: "bar" },
        el("button", { type: "submit", value: "start", class: "main", autofocus: true }, "Start"),
        el("button", { type: "submit", value: "cancel", formnovalidate: true }, "Cancel")));
    this.restoreChoices();
    this.updateFields();
    this.form.addEventListener("change", () => this.updateFields());
    this.form.addEventListener("submit", (event) => this.submit(event));
    this.dialog.replaceChildren(this.form);
    this.dialog.showModal();
  }

  submit(event) {
    if (event.submitter?.value !== "start") return;
    event.preventDefault();
    this.isWaiting = true;
    this.problem.textContent = "";
    if (!this.onStart(requestFields(this.form.elements))) this.showError("No connection. Try again in a moment.");
  }

  // Close the dialog when the requested game has started.
  gameStarted() {
    if (!this.isWaiting) return;
    const choices = Object.fromEntries(new FormData(this.form));
    store(LAST_CHOICES, JSON.stringify({ serverKey: this.serverKey, choices }));
    this.dialog.close();
  }

  // Show an error if it answers the request of this dialog; return whether it does.
  showError(text) {
    if (!this.isWaiting) return false;
    this.isWaiting = false;
    this.problem.textContent = text;
    return true;
  }

  // Restore the last choices, unless the server has other defaults since.
  restoreChoices() {
    const { serverKey, choices } = JSON.parse(load(LAST_CHOICES)) ?? {};
    if (serverKey !== this.serverKey) return;
    for (const [name, value] of Object.entries(choices)) this.form.elements[name].value = value;
  }

  // Show only the fields that apply, and the default komi.
  updateFields() {
    const field = this.form.elements;
    showField(field.other, field.size.value === "other");
    for (const name of CLOCK_FIELDS.byoyomi) showField(field[name], CLOCK_FIELDS[field.clock.value].includes(name));
    field.komi.placeholder = `default: ${handicapOf(field) ? HANDICAP_KOMI : this.rules[field.rules.value]}`;
  }
}

// Show or hide a field; hidden fields are disabled so that they are not validated.
function showField(field, isShown) {
  field.parentElement.hidden = field.disabled = !isShown;
}

function select(name, label, options, value) {
  const items = options.map(([key, text]) => el("option", { value: key, selected: key === value }, text));
  return el("label", {}, el("span", {}, label), el("select", { name }, items));
}

function number(name, label, value, attributes) {
  return el("label", {}, el("span", {}, label), el("input", { name, type: "number", value, ...attributes }));
}

function fields(levels, rules, { size, color, level, handicap, rules: rulesName, komi }) {
  const sizes = SIZES.some(([one]) => one === size) ? SIZES : [...SIZES, [size, size]];
  return el("div", { class: "fields" },
    select("size", "Board", [...sizes, ["other", "Other…"]], size),
    el("label", {}, el("span", {}, "Columns x rows"),
      el("input", { name: "other", placeholder: "7x9", pattern: " *\\d{1,2} *([xX] *\\d{1,2} *)?" })),
    select("color", "You play", SIDES, color),
    select("level", "Level", levels.map(({ name, rank, description }) => [name, `${rank}: ${description}`]), level),
    number("handicap", "Handicap stones", handicap, { min: 0, max: 9 }),
    select("rules", "Rules", Object.keys(rules).map((name) => [name, name]), rulesName),
    number("komi", "Komi", komi ?? "", { step: 0.5 }),
    select("clock", "Clock", CLOCKS, "none"),
    number("main", "Main time (min)", 10, { min: 0, step: 0.5 }),
    number("period_s", "Seconds per move", 30, { min: 0 }),
    number("periods", "Periods", 3, { min: 1, max: 100 }));
}

// A handicap of one stone is an even game in which Black plays first.
function handicapOf(field) {
  const stones = Number(field.handicap.value);
  return stones === 1 ? 0 : stones;
}

function requestFields(field) {
  const size = field.size.value === "other" ? field.other.value : field.size.value;
  const values = { size, color: field.color.value, level: field.level.value, rules: field.rules.value };
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
