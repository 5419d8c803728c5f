// Texts that are written in English in the modules: t("Move {number}", {number: 3}).
//
// The English text is the key of its translation in the group "page" of languages/CODE.json.

import { pageTexts } from "./translation.js";

/**
 * Translate a text and fill in values.
 * @param {string} text
 * @param {Record<string, unknown>} [values]
 */
export function t(text, values = {}) {
  return (pageTexts[text] ?? text).replace(/\{(\w+)\}/g, (_, name) => String(values[name] ?? ""));
}
