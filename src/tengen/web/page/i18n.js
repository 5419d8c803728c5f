// Texts of the page in the chosen language. The English text is the key.

/** @type {Record<string, string>} */
let texts = {};

/**
 * Set the translations by English text; missing ones stay English.
 * @param {Record<string, string>} translations
 */
export function setTexts(translations) {
  texts = translations;
}

/**
 * Translate a text and fill in values: t("Move {number}", {number: 3}).
 * @param {string} text
 * @param {Record<string, unknown>} [values]
 */
export function t(text, values = {}) {
  return (texts[text] ?? text).replace(/\{(\w+)\}/g, (_, name) => String(values[name] ?? ""));
}
