// The dialogs that start a match or a lab experiment.

import { openDialog } from "./dialogs.js";
import { el } from "./dom.js";
import { t } from "./translation.js";

const SIZES = ["5", "7", "9", "13", "19"];
const DEFAULTS = { games: 100, visits: 200, opening_moves: 4, elo0: 0, elo1: 20 };

export class ExperimentDialogs {
  constructor(app) {
    this.app = app;
  }

  openMatch(found) {
    if (!found) return;
    const { functions, presets } = found;
    const own = functions[0] ?? "";
    const fields = el("div", { class: "fields" },
      player("first", t("experiments.first"), presets, functions, "classic", own),
      player("second", t("experiments.second"), presets, functions, own ? "classic" : "laptop", ""),
      labeled(t("new.board"), el("select", { name: "size" }, SIZES.map((size) => el("option", { value: size, selected: size === "9" }, `${size} × ${size}`)))),
      number("games", t("experiments.games_to_play"), DEFAULTS.games, { min: 2, step: 2, max: 100000 }),
      number("visits", t("experiments.visits"), DEFAULTS.visits, { min: 1, max: 100000 }),
      number("opening_moves", t("experiments.opening_moves"), DEFAULTS.opening_moves, { min: 0, max: 20 }),
      el("label", { class: "check" }, el("input", { type: "checkbox", name: "sprt" }), el("span", {}, t("experiments.use_sprt"))),
      number("elo0", t("experiments.elo0"), DEFAULTS.elo0, { step: "any" }), number("elo1", t("experiments.elo1"), DEFAULTS.elo1, { step: "any" }),
      labeled(t("experiments.name"), el("input", { name: "name", pattern: "[A-Za-z0-9][A-Za-z0-9_.+\\-]{0,59}" })));
    const hint = functions.length ? null : el("p", { class: "quiet-text" }, t("experiments.no_functions", { folder: found.folder }));
    const dialog = this.open(t("experiments.new_match"), "match-dialog", [fields, hint], (form) => ({
      kind: "match", name: form.name.value || form.name.placeholder,
      first: chosen(form, "first"), second: chosen(form, "second"), size: form.size.value, games: Number(form.games.value),
      visits: Number(form.visits.value), opening_moves: Number(form.opening_moves.value),
      ...(form.sprt.checked ? { sprt: [Number(form.elo0.value), Number(form.elo1.value)] } : {}),
    }));
    const update = () => {
      const form = dialog.querySelector("form").elements;
      for (const name of ["elo0", "elo1"]) form[name].parentElement.hidden = form[name].disabled = !form.sprt.checked;
      form.name.placeholder = this.freeName(`${label(chosen(form, "first"))}-${label(chosen(form, "second"))}`, found);
    };
    dialog.addEventListener("change", update);
    update();
  }

  openLab(found) {
    if (!found) return;
    const select = el("select", { name: "experiment" }, found.labs.map((name) => el("option", { value: name }, t(`lab.${name.replace("-", "_")}`))));
    this.open(t("experiments.new_lab"), "lab-dialog", [el("div", { class: "fields" }, labeled(t("experiments.experiment"), select)), el("p", { class: "quiet-text" }, t("experiments.lab_note"))],
      (form) => ({ kind: "lab", experiment: form.experiment.value, name: this.freeName(form.experiment.value, found) }));
  }

  // Open a dialog that sends the request of its form.
  open(title, id, content, requestOf) {
    const cancel = el("button", { type: "submit", value: "cancel", class: "quiet", formnovalidate: true }, t("common.cancel"));
    const dialog = openDialog(title, [...content.filter(Boolean), el("div", { class: "bar end" }, cancel, el("button", { type: "submit", value: "start", class: "main" }, t("new.start")))], { id });
    dialog.addEventListener("close", () => {
      if (dialog.returnValue === "start") this.app.send("start_experiment", { request: requestOf(dialog.querySelector("form").elements) });
    });
    return dialog;
  }

  // Return a name that no experiment has.
  freeName(wanted, found) {
    const name = wanted.replace(/[^A-Za-z0-9_.+-]/g, "").slice(0, 50) || "match";
    const taken = new Set((found?.entries ?? []).flatMap(({ path, job }) => [path.replace(/\.(sqlite|db)$/, ""), job?.name]));
    for (let number = 1; ; number++) {
      const free = number === 1 ? name : `${name}-${number}`;
      if (!taken.has(free)) return free;
    }
  }
}

function labeled(text, field) {
  return el("label", {}, el("span", {}, text), field);
}

function number(name, label, value, attributes) {
  return labeled(label, el("input", { name, type: "number", value, required: true, ...attributes }));
}

// The choice of an engine preset and of a user's function as its prior; without an engine, the function plays.
function player(name, title, presets, functions, preset, own) {
  const engines = [...presets.map((one) => [one.name, one.name, one.description]), ["", t("experiments.no_engine"), ""]];
  return el("fieldset", { class: "player-choice" }, el("legend", {}, title),
    labeled(t("experiments.engine"), el("select", { name: `${name}-preset` }, engines.map(([value, text, title]) => el("option", { value, title, selected: value === preset }, text)))),
    labeled(t("experiments.function"), el("select", { name: `${name}-function` }, ["", ...functions].map((one) => el("option", { value: one, selected: one === own }, one || t("experiments.none"))))));
}

function chosen(form, name) {
  return { preset: form[`${name}-preset`].value, function: form[`${name}-function`].value };
}

function label({ preset, function: own }) {
  return [preset, own.split(":")[1]].filter(Boolean).join("+");
}
