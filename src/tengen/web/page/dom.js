// Making elements: el("p", {class: "x"}, "text") for HTML, svg(...) for SVG.

const SVG = "http://www.w3.org/2000/svg";

function fill(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else node.setAttribute(name, value === true ? "" : value);
  }
  node.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined));
  return node;
}

export function el(tag, attributes, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

export function svg(tag, attributes, ...children) {
  return fill(document.createElementNS(SVG, tag), attributes, children);
}

// Put children in the place of all that an element holds; nothing stands for what is null.
export function refill(node, ...children) {
  node.replaceChildren(...children.flat(Infinity).filter((child) => child !== null && child !== undefined));
}

export function $(id) {
  return document.getElementById(id);
}

// Show a word for a few seconds; with actions, {text: what it does}, until one is chosen.
export function toast(text, actions = {}) {
  const note = el("div", { class: "toast" }, text);
  const buttons = Object.entries(actions).map(([name, act]) => el("button", { type: "button", onclick: () => {
    note.remove();
    act();
  } }, name));
  if (buttons.length) note.append(el("div", { class: "bar" }, buttons));
  else setTimeout(() => note.remove(), 6000);
  $("toasts").append(note);
}
