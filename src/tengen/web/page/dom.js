// Helpers that create DOM elements: el("p", {class: "x"}, "text") for HTML, svg(...) for SVG.

const SVG_NAMESPACE = "http://www.w3.org/2000/svg";
const TOAST_MS = 6000, OFFER_MS = 15_000;
const MAX_TOASTS = 3;

function isPresent(child) {
  return child !== null && child !== undefined;
}

function fill(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else node.setAttribute(name, value === true ? "" : value);
  }
  node.append(...children.flat(Infinity).filter(isPresent));
  return node;
}

export function el(tag, attributes, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

export function svg(tag, attributes, ...children) {
  return fill(document.createElementNS(SVG_NAMESPACE, tag), attributes, children);
}

// Replace the children of an element, skipping null.
export function replaceChildren(node, ...children) {
  node.replaceChildren(...children.flat(Infinity).filter(isPresent));
}

/**
 * Create an icon of icons.svg; it is decorative, so its button needs a text or an aria-label.
 * @param {string} name
 */
export function icon(name) {
  return svg("svg", { class: "icon", "aria-hidden": "true" }, svg("use", { href: `/page/icons.svg#${name}` }));
}

/**
 * Create a button; `key` is its keyboard shortcut, `icon` the name of an icon.
 * @param {string} text
 * @param {(event: Event) => void} action
 * @param {string | null} [key]
 * @param {string | null} [id]
 * @param {{icon?: string, kind?: string, label?: string}} [options]
 */
export function button(text, action, key, id, { icon: iconName, kind, label } = {}) {
  const name = label ?? text;
  return el("button", { type: "button", onclick: action, class: kind ?? null, title: key ? `${name} (${key})` : name, "aria-label": text ? null : name, id: id ? `do-${id}` : null },
    iconName ? icon(iconName) : null,
    text ? el("span", { class: "text" }, text) : null, key && key.length === 1 ? el("kbd", {}, key) : null);
}

export function $(id) {
  return document.getElementById(id);
}

export function percent(value) {
  return `${Math.round(100 * value)}%`;
}

/** @typedef {HTMLElement & {keep?: () => void}} Toast */

/**
 * Show a message for a few seconds, or, with actions {label: function}, until one is chosen, unless it is only
 * an offer. A message that is already shown is counted instead of repeated.
 * @param {string} text
 * @param {Record<string, () => void>} [actions]
 * @param {{isOffer?: boolean}} [options]
 */
export function toast(text, actions = {}, { isOffer = false } = {}) {
  const box = $("toasts");
  const same = /** @type {Toast[]} */ ([...box.children]).find((note) => note.dataset.text === text);
  if (same) {
    same.querySelector(".count").textContent = `×${Number(same.dataset.count = String(Number(same.dataset.count) + 1))}`;
    same.keep?.();
    return;
  }
  while (box.children.length >= MAX_TOASTS) (box.querySelector(".toast:not(.asking)") ?? box.firstChild).remove();
  const note = el("div", { class: "toast", "data-text": text, "data-count": 1 }, el("span", {}, text), el("span", { class: "count" }));
  const buttons = Object.entries(actions).map(([name, act]) => el("button", { type: "button", onclick: () => {
    note.remove();
    act();
  } }, name));
  if (buttons.length) note.append(el("div", { class: "bar" }, buttons));
  note.classList.toggle("asking", buttons.length > 0 && !isOffer);
  if (isOffer || !buttons.length) {
    note.keep = () => {
      clearTimeout(note.timer);
      note.timer = setTimeout(() => note.remove(), isOffer ? OFFER_MS : TOAST_MS);
    };
    note.keep();
  }
  box.append(note);
}
