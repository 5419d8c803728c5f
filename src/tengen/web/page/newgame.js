// The dialog in which a new game is asked for.

import { el } from "./dom.js";

function choice(name, label, options, value) {
  const items = options.map(([key, text]) => el("option", { value: key, selected: key === value }, text));
  return el("label", {}, el("span", {}, label), el("select", { name }, items));
}

function number(name, label, value, attributes) {
  return el("label", {}, el("span", {}, label), el("input", { name, type: "number", value, ...attributes }));
}

const SIZES = ["5", "7", "9", "11", "13", "15", "17", "19"].map((size) => [size, `${size} × ${size}`]);
const CLOCKS = [["none", "No clock"], ["absolute", "Main time only"], ["byoyomi", "Main time + byo-yomi"], ["fischer", "Fischer"]];
const SIDES = [["black", "Black"], ["white", "White"], ["both", "Both (no engine)"], ["none", "Watch the engine"]];

export class NewGame {
  constructor(onStart) {
    this.onStart = onStart;
    this.dialog = el("dialog", { id: "new-game", "aria-label": "New game" });
    document.body.append(this.dialog);
  }

  open({ levels, rules, defaults }) {
    const sizes = [...SIZES.filter(([size]) => size !== defaults.size), [defaults.size, defaults.size.includes("x") ? defaults.size : `${defaults.size} × ${defaults.size}`]];
    sizes.sort((a, b) => parseInt(a[0], 10) - parseInt(b[0], 10));
    const form = el("form", { method: "dialog" },
      el("h2", {}, "New game"),
      el("div", { class: "fields" },
        choice("size", "Board", [...sizes, ["other", "Other…"]], defaults.size),
        el("label", { class: "other-size", hidden: true }, el("span", {}, "Columns x rows"),
          el("input", { name: "other", placeholder: "7x9", pattern: "\\d{1,2}(x\\d{1,2})?" })),
        choice("colour", "You play", SIDES, defaults.colour),
        choice("level", "Level", levels.map(({ name, rank, meaning }) => [name, `${rank}: ${meaning}`]), defaults.level),
        number("handicap", "Handicap stones", defaults.handicap, { min: 0, max: 9 }),
        choice("rules", "Rules", Object.keys(rules).map((name) => [name, name]), defaults.rules),
        number("komi", "Komi", defaults.komi ?? "", { step: 0.5, placeholder: "as the rules say" }),
        choice("clock", "Clock", CLOCKS, "none"),
        el("div", { class: "clock-fields", hidden: true },
          number("main", "Minutes", 10, { min: 0, step: 0.5 }),
          number("period_s", "Seconds a move", 30, { min: 0 }),
          number("periods", "Periods", 3, { min: 1, max: 100 }))),
      el("div", { class: "bar" },
        el("button", { type: "submit", value: "start", class: "main", autofocus: true }, "Start"),
        el("button", { type: "submit", value: "cancel", formnovalidate: true }, "Cancel")));
    const field = (name) => form.elements[name];
    field("size").addEventListener("change", () => {
      form.querySelector(".other-size").hidden = field("size").value !== "other";
    });
    field("clock").addEventListener("change", () => {
      form.querySelector(".clock-fields").hidden = field("clock").value === "none";
    });
    // Not when the dialog has closed: that is told later, and keys may come first.
    form.addEventListener("submit", (event) => {
      if (event.submitter?.value === "start") this.onStart(asked(form.elements));
    });
    this.dialog.replaceChildren(form);
    this.dialog.showModal();
  }
}

function asked(field) {
  const size = field.size.value === "other" ? field.other.value : field.size.value;
  const values = { size, colour: field.colour.value, level: field.level.value, rules: field.rules.value };
  values.handicap = Number(field.handicap.value) === 1 ? 0 : Number(field.handicap.value);
  values.komi = field.komi.value === "" ? null : Number(field.komi.value);
  if (field.clock.value !== "none") {
    values.clock = field.clock.value;
    values.main_s = 60 * Number(field.main.value);
    values.period_s = Number(field.period_s.value);
    values.periods = Number(field.periods.value);
  }
  return values;
}
