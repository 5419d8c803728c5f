// Helpers that create DOM elements: el("p", {class: "x"}, "text") for HTML, svg(...) for SVG.

const SVG_NAMESPACE = "http://www.w3.org/2000/svg";
const TOAST_MS = 6000;

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

// Create a button; `key` is its keyboard shortcut.
export function button(text, action, key, id) {
  const title = key ? `${text} (${key})` : text;
  return el("button", { type: "button", onclick: action, title, id: id ? `do-${id}` : null },
    text, key && key.length === 1 ? el("kbd", {}, key) : null);
}

export function $(id) {
  return document.getElementById(id);
}

export function percent(value) {
  return `${Math.round(100 * value)}%`;
}

// Show a message for a few seconds, or, with actions {label: function}, until one is chosen.
export function toast(text, actions = {}) {
  const note = el("div", { class: "toast" }, text);
  const buttons = Object.entries(actions).map(([name, act]) => el("button", { type: "button", onclick: () => {
    note.remove();
    act();
  } }, name));
  if (buttons.length) note.append(el("div", { class: "bar" }, buttons));
  else setTimeout(() => note.remove(), TOAST_MS);
  $("toasts").append(note);
}
