// The New game dialog. It stays open until the server has started the game.

import { el } from "./dom.js";
import { load, store } from "./storage.js";
import { levelText, rulesText } from "./server_texts.js";
import { t } from "./translation.js";

const SIZES = ["5", "7", "9", "11", "13", "15", "17", "19"].map((size) => [size, `${size} × ${size}`]);
const CLOCK_FIELDS = { none: [], absolute: ["main"], byoyomi: ["main", "period_s", "periods"], fischer: ["main", "period_s"] };
const SIDES = ["black", "white", "both", "none"];
const SECONDS = ["", "1", "2", "5", "10", "30", "60"]; // per move of the strongest level
const STRONGEST = "strongest";
const HANDICAP_KOMI = 0.5;
const LAST_CHOICES = "new game";

export class NewGameDialog {
  // `onStart` requests a game and returns whether the request was sent.
  constructor(onStart) {
    this.onStart = onStart;
    this.isWaiting = false;
    this.dialog = el("dialog", { id: "new-game", "aria-label": t("new.title"), onclose: () => { this.isWaiting = false; } });
    document.body.append(this.dialog);
  }

  open({ version, levels, rules, defaults }) {
    this.rules = rules;
    this.levels = levels;
    this.serverKey = JSON.stringify([version, defaults]);
    this.problem = el("p", { class: "problem", id: "new-game-problem", role: "alert" });
    this.strength = el("p", { class: "quiet-text", id: "level-strength" });
    this.form = el("form", { method: "dialog" },
      el("h2", {}, t("new.title")), this.fields(defaults), this.problem,
      el("div", { class: "bar end" },
        el("button", { type: "submit", value: "cancel", class: "quiet", formnovalidate: true }, t("common.cancel")),
        el("button", { type: "submit", value: "start", class: "main", autofocus: true }, t("new.start"))));
    this.restoreChoices();
    this.updateFields();
    this.form.addEventListener("change", () => this.updateFields());
    this.form.addEventListener("submit", (event) => this.submit(event));
    this.dialog.replaceChildren(this.form);
    this.dialog.showModal();
  }

  fields({ size, color, level, handicap, rules: rulesName, komi }) {
    const sizes = SIZES.some(([one]) => one === size) ? SIZES : [...SIZES, [size, size]];
    const clocks = Object.keys(CLOCK_FIELDS).map((name) => [name, t(`new.clock_${name}`)]);
    return el("div", { class: "fields" },
      select("size", t("new.board"), [...sizes, ["other", t("new.other")]], size),
      el("label", {}, el("span", {}, t("new.dimensions")),
        el("input", { name: "other", placeholder: "7x9", pattern: " *\\d{1,2} *([xX] *\\d{1,2} *)?" })),
      select("color", t("new.you_play"), SIDES.map((side) => [side, t(`new.side_${side}`)]), color),
      select("level", t("new.level"), this.levels.map(({ name }) => [name, levelText(name)]), level),
      select("seconds", t("new.seconds"), SECONDS.map((value) => [value, value ? t("new.seconds_value", { count: Number(value) }) : t("new.seconds_default")]), ""),
      this.strength,
      number("handicap", t("new.handicap"), handicap, { min: 0, max: 9 }),
      select("rules", t("new.rules"), Object.keys(this.rules).map((name) => [name, rulesText(name)]), rulesName),
      number("komi", t("new.komi"), komi ?? "", { step: 0.5 }),
      select("clock", t("new.clock"), clocks, "none"),
      number("main", t("new.main"), 10, { min: 0, step: 0.5 }),
      number("period_s", t("new.period"), 30, { min: 0 }),
      number("periods", t("new.periods"), 3, { min: 1, max: 100 }));
  }

  submit(event) {
    if (event.submitter?.value !== "start") return;
    event.preventDefault();
    this.isWaiting = true;
    this.problem.textContent = "";
    if (!this.onStart(requestFields(this.form.elements))) this.showError(t("new.no_connection"));
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
    for (const [name, value] of Object.entries(choices)) if (this.form.elements[name]) this.form.elements[name].value = value;
  }

  // Show only the fields that apply, the default komi, and what the level was measured on.
  updateFields() {
    const field = this.form.elements;
    const hasEngine = field.color.value !== "both";
    showField(field.other, field.size.value === "other");
    showField(field.level, hasEngine);
    showField(field.seconds, hasEngine && field.level.value === STRONGEST && field.clock.value === "none");
    for (const name of CLOCK_FIELDS.byoyomi) showField(field[name], CLOCK_FIELDS[field.clock.value].includes(name));
    field.komi.placeholder = t("new.default_komi", { komi: handicapOf(field) ? HANDICAP_KOMI : this.rules[field.rules.value] });
    const { games = [] } = this.levels.find(({ name }) => name === field.level.value) ?? {};
    this.strength.hidden = !hasEngine || !/^\d/.test(field.level.value);
    this.strength.textContent = games.length
      ? t("new.measured", { games: games.map(([size, count]) => `${size}×${size}: ${count}`).join(", ") }) : t("new.unmeasured");
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
  if (!field.seconds.disabled && field.seconds.value) values.seconds = Number(field.seconds.value);
  if (field.clock.value !== "none") {
    values.clock = field.clock.value;
    values.main_s = 60 * Number(field.main.value);
    values.period_s = Number(field.period_s.value);
    values.periods = Number(field.periods.value);
  }
  return values;
}
