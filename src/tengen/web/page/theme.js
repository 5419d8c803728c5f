// Light or dark: as the system has it, until one switches.

import { $ } from "./dom.js";
import { keep, kept } from "./storage.js";

const SYSTEM = matchMedia("(prefers-color-scheme: dark)");

export function setUpTheme() {
  const button = $("theme");
  const show = () => {
    const isDark = (kept("theme") ?? document.documentElement.dataset.theme ?? (SYSTEM.matches ? "dark" : "light")) === "dark";
    document.documentElement.dataset.theme = isDark ? "dark" : "light";
    button.textContent = isDark ? "☀" : "☾";
    button.title = isDark ? "Light" : "Dark";
    button.setAttribute("aria-label", button.title);
  };
  button.addEventListener("click", () => {
    const other = document.documentElement.dataset.theme === "dark" ? "light" : "dark";
    document.documentElement.dataset.theme = other;
    keep("theme", other);
    show();
  });
  SYSTEM.addEventListener("change", () => {
    delete document.documentElement.dataset.theme;
    show();
  });
  show();
}
