// The dialog with the settings of the display: language, board, stones, marks and sound.

import { openDialog } from "./dialogs.js";
import { el } from "./dom.js";
import { onPreference, preference, setPreference } from "./preferences.js";
import { LANGUAGES, chosenLanguage, setLanguage, t } from "./translation.js";

const BOARDS = ["kaya", "walnut", "bamboo", "paper", "slate"];
const STONES = ["shaded", "matte", "flat"];
const OVERLAY_TEXTS = ["points", "winrate", "visits"];
const NUMBERS = [0, 1, 10, 50, -1];
const DOTS = [0, 4, 8, 16, 50];

/** Apply board and stones to the page, and add the button that opens the dialog. */
export function setUpDisplay(app) {
  onPreference("board", (name) => { document.documentElement.dataset.board = name; });
  onPreference("stones", (name) => { document.documentElement.dataset.stones = name; });
  app.addTool({ name: "display", label: t("display.title"), icon: "settings", action: open });
}

function open() {
  openDialog(t("display.title"), [
    languages(),
    swatches("board", BOARDS), swatches("stones", STONES),
    check("coordinates"), check("nextMoves"), check("sound"), check("confirmTap"),
    select("moveNumbers", NUMBERS, (count) => (count === 0 ? t("display.no_numbers") : count < 0 ? t("display.all_numbers") : t("display.last_moves", { count }))),
    select("lastDots", DOTS, (count) => (count ? t("display.last_moves", { count }) : t("display.no_numbers"))),
    el("fieldset", {}, el("legend", {}, t("display.overlay_text")), OVERLAY_TEXTS.map(overlayCheck)),
    el("div", { class: "bar end" }, el("button", { class: "main" }, t("common.close"))),
  ], { id: "display-settings" });
}

// The choice of the language; the page is loaded again in another one.
function languages() {
  const options = [["", t("display.browser_language")], ...Object.entries(LANGUAGES)];
  return el("label", {}, el("span", {}, t("common.language")),
    el("select", { id: "language", onchange: (event) => setLanguage(event.target.value || null) }, options.map(([code, name]) =>
      el("option", { value: code, lang: code || null, selected: code === (chosenLanguage() ?? "") }, name))));
}

// Return the text of a preference: "nextMoves" has the key "display.next_moves".
function key(name) {
  return `display.${name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)}`;
}

function swatches(name, values) {
  return el("fieldset", { class: "swatches" }, el("legend", {}, t(key(name))), values.map((value) =>
    el("label", { class: "swatch-label" },
      el("input", { type: "radio", name, value, checked: preference(name) === value, onchange: () => setPreference(name, value) }),
      el("span", { class: `sample ${name}-${value}`, "aria-hidden": "true" }), t(`display.${value}`))));
}

function check(name) {
  return el("label", { class: "check" },
    el("input", { type: "checkbox", name, checked: preference(name), onchange: (event) => setPreference(name, event.target.checked) }), t(key(name)));
}

function overlayCheck(value) {
  const change = (event) => {
    const others = preference("overlayText").filter((one) => one !== value);
    const chosen = event.target.checked ? [...others, value] : others;
    setPreference("overlayText", OVERLAY_TEXTS.filter((one) => chosen.includes(one)));
  };
  return el("label", { class: "check" },
    el("input", { type: "checkbox", name: `overlay-${value}`, checked: preference("overlayText").includes(value), onchange: change }), t(`display.${value}`));
}

function select(name, values, text) {
  const change = (event) => setPreference(name, Number(event.target.value));
  return el("label", {}, el("span", {}, t(key(name))),
    el("select", { name, onchange: change }, values.map((value) => el("option", { value, selected: value === preference(name) }, text(value)))));
}
