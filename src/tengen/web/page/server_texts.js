// Texts of the server in the language of the page: frequent errors, levels, rules and estimates.

import { t } from "./translation.js";

const FEW_TEXTS = new Map([
  ["Tengen is thinking: wait for its move, or undo yours", "server.thinking"], ["it is Tengen's turn: let it move, undo yours, or score", "server.engine_turn"],
  ["there is no move of yours to undo", "server.no_undo"], ["cannot resign in a loaded game", "server.loaded"],
  ["the game is being scored: accept the score or resume play", "server.scoring"], ["there is no game in this file", "server.no_game"],
  ["another import is running: wait, or cancel that first", "server.busy"], ["this game is no longer in the library", "server.gone"],
  ["the players must differ", "server.same_players"],
]);
/** @type {[RegExp, string][]} Texts with values, which are named groups. */
const PATTERNS = [
  [/^(?<vertex>[A-T]\d+) is occupied$/, "server.occupied"], [/^(?<vertex>[A-T]\d+) is illegal: ko or suicide$/, "server.illegal"],
  [/^the game is over: (?<result>.*)$/, "server.over"], [/^(?<name>\S+) is running: stop it first$/, "server.running"],
  [/^(?<points>[\d.]+) of (?<games>\d+)$/, "experiments.score"],
];
const RULES = ["chinese", "japanese", "korean", "aga", "new-zealand", "tromp-taylor", "ing"];

/**
 * Return a text of the server in the language of the page, if there is a translation.
 * @param {string} text
 */
export function serverText(text) {
  if (FEW_TEXTS.has(text)) return t(FEW_TEXTS.get(text));
  for (const [pattern, key] of PATTERNS) {
    const found = pattern.exec(text);
    if (found) return t(key, found.groups);
  }
  return text;
}

/** @param {string} name such as `new-zealand`, or the text of a record */
export function rulesText(name) {
  return RULES.includes(name) ? t(`rules.${name.replace("-", "_")}`) : name;
}

/** @param {string} name of a player: that of a person, `You`, or the engine with its level */
export function playerName(name) {
  if (name === "You") return t("players.you");
  const found = /^Tengen (\d+[kd]|auto|strongest)$/.exec(name);
  return found ? `Tengen ${levelRank(found[1])}` : name;
}

/** @param {string} name such as `10k` */
export function levelRank(name) {
  const found = /^(\d+)([kd])$/.exec(name);
  return found ? t(`level.rank_${found[2]}`, { number: found[1] }) : ["auto", "strongest"].includes(name) ? t(`level.${name}`) : name;
}

// Keys of the descriptions, with the strongest kyu rank that each applies to.
/** @type {[number, string][]} */
const DESCRIPTIONS = [[23, "25k"], [18, "20k"], [14, "16k"], [11, "13k"], [9, "10k"], [6, "8k"], [3, "5k"], [1, "2k"], [-9, "1d"]];

/** @param {string} name such as `10k` */
function levelDescription(name) {
  const found = /^(\d+)([kd])$/.exec(name);
  if (!found) return t(`level.${name}_meaning`);
  const kyu = found[2] === "k" ? Number(found[1]) : 1 - Number(found[1]);
  return t(`level.${DESCRIPTIONS.find(([limit]) => kyu >= limit)[1]}`);
}

/** @param {string} name such as `10k` */
export function levelText(name) {
  return t("level.entry", { rank: levelRank(name), description: levelDescription(name) });
}

/** @param {{lead: number, error: number, visits: number}} estimate with Black's lead in points */
export function estimateText({ lead, error, visits }) {
  const points = Math.abs(lead).toFixed(1);
  const color = t(lead > 0 ? "common.black" : "common.white");
  const text = points === "0.0" ? t("server.draw") : t("server.leads", { color, points, error: error.toFixed(1) });
  return `${text} (${t("overlay.visits", { count: visits })})`;
}

/** @param {{rank: string, low: string, high: string, games: number}} estimate of the person's rank */
export function rankText({ rank, low, high, games }) {
  return t("level.estimate", { rank: levelRank(rank), low: levelRank(low), high: levelRank(high), games });
}
