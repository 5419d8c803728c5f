// Pictures of the board as it is shown: copied as PNG, saved as SVG; the game as animated GIF.

import { gameId } from "./connection.js";
import { $, el, toast } from "./dom.js";
import { t } from "./translation.js";

const PNG_WIDTH = 1200;
const STYLES = ["fill", "fill-opacity", "stroke", "stroke-width", "stroke-opacity", "stroke-dasharray", "stroke-linecap", "opacity", "font-size", "font-weight", "text-anchor", "stop-color", "stop-opacity", "display"];

/** Add the commands to the menu of the game. */
export function setUpPictures(app) {
  app.addMenuItem({ label: t("picture.copy"), icon: "copy", action: () => copyPicture(app) });
  app.addMenuItem({ label: t("picture.svg"), icon: "image", action: () => save(new Blob([boardSvg(app)], { type: "image/svg+xml" }), "tengen.svg") });
  app.addMenuItem({ label: t("picture.gif"), icon: "film", action: saveAnimation });
}

/** Return the board as a standalone SVG document: the styles of the page become attributes. */
export function boardSvg(app) {
  const shown = app.stage.boards[0].svg;
  const copy = shown.cloneNode(true);
  copy.querySelectorAll(".cursor").forEach((group) => group.replaceChildren());
  const elements = [...shown.querySelectorAll("*")].filter((one) => !one.parentElement.closest(".cursor"));
  [...copy.querySelectorAll("*")].forEach((node, index) => {
    const style = getComputedStyle(elements[index]);
    for (const name of STYLES) node.setAttribute(name, style.getPropertyValue(name));
    node.removeAttribute("class");
    if (node.getAttribute("style")) node.removeAttribute("style");
  });
  const [, , width, height] = shown.getAttribute("viewBox").split(" ").map(Number);
  const attributes = { xmlns: "http://www.w3.org/2000/svg", width: PNG_WIDTH, height: Math.round((PNG_WIDTH * height) / width), "font-family": "system-ui, sans-serif" };
  for (const [name, value] of Object.entries(attributes)) copy.setAttribute(name, String(value));
  for (const name of ["class", "tabindex", "role"]) copy.removeAttribute(name);
  return new XMLSerializer().serializeToString(copy);
}

/** Return the picture in the place of the board as PNG: the board, or the surface. */
async function boardPng(app) {
  const canvas = $("surface").hidden ? await draw(boardSvg(app)) : $("surface");
  return new Promise((resolve) => canvas.toBlob(resolve, "image/png"));
}

async function draw(text) {
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text)}`;
  await image.decode();
  const canvas = el("canvas", { width: image.width, height: image.height });
  canvas.getContext("2d").drawImage(image, 0, 0);
  return canvas;
}

// Copy the picture; where the browser cannot, save it.
async function copyPicture(app) {
  const png = await boardPng(app);
  try {
    await navigator.clipboard.write([new ClipboardItem({ "image/png": png })]);
    toast(t("picture.copied"));
  } catch {
    save(png, "tengen.png");
  }
}

async function saveAnimation() {
  toast(t("picture.making"));
  const response = await fetch(`/games/${gameId()}.gif`);
  if (response.ok) save(await response.blob(), decodeURIComponent(response.headers.get("Content-Disposition").split("''")[1]));
  else toast(t("picture.failed"));
}

function save(blob, name) {
  const url = URL.createObjectURL(blob);
  el("a", { href: url, download: name }).click();
  URL.revokeObjectURL(url);
}
