// Translation: t("group.key", {name: value}) returns the text of a key in the language of the page.
//
// A catalog is languages/CODE.json: groups of keys. {name} in a text is replaced by a value. A text that
// depends on a number is an object of plural forms, {"one": "{count} move", "other": "{count} moves"}, chosen
// by the value `count`; numbers are formatted for the language. English texts fill gaps.

import { load, store } from "./storage.js";

export const LANGUAGES = {
  en: "English", de: "Deutsch", fr: "Français", ja: "日本語", ko: "한국어", "zh-Hans": "简体中文", "zh-Hant": "繁體中文",
};
const DEFAULT = "en";
const PREFERENCE = "language";

// Return the language of the page for a list of preferred languages, such as navigator.languages.
export function chooseLanguage(preferred) {
  for (const tag of preferred) {
    const { language, script } = new Intl.Locale(tag).maximize();
    const code = language === "zh" ? `zh-${script}` : language;
    if (code in LANGUAGES) return code;
  }
  return DEFAULT;
}

// Use another language from now on; null follows the browser.
export function setLanguage(code) {
  store(PREFERENCE, code ?? "");
  location.reload();
}

// Return the language that the user chose, or null.
export function chosenLanguage() {
  const stored = load(PREFERENCE);
  return stored in LANGUAGES ? stored : null;
}

export const language = chosenLanguage() ?? chooseLanguage(navigator.languages);
const plurals = new Intl.PluralRules(language);
const numbers = new Intl.NumberFormat(language);
const [catalog, english] = await Promise.all([loadCatalog(language), loadCatalog(DEFAULT)]);
document.documentElement.lang = language;

async function loadCatalog(code) {
  const response = await fetch(`/page/languages/${code}.json`);
  return response.ok ? response.json() : {};
}

export function t(key, values = {}) {
  const [group, name] = key.split(".");
  const found = catalog[group]?.[name] ?? english[group]?.[name];
  if (found === undefined) {
    console.error(`no text for ${key}`);
    return key;
  }
  const text = typeof found === "string" ? found : found[plurals.select(values.count)] ?? found.other;
  return text.replace(/\{(\w+)\}/g, (whole, name) => (name in values ? formatted(values[name]) : whole));
}

function formatted(value) {
  return typeof value === "number" ? numbers.format(value) : value;
}
