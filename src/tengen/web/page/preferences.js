// Preferences stored in the browser: color theme and sound.

import { $ } from "./dom.js";
import { load, store } from "./storage.js";

const SYSTEM_THEME = matchMedia("(prefers-color-scheme: dark)");

let audio = null;
let isSoundOn = false;

// Follow the system theme until the user chooses one.
export function setUpTheme() {
  const button = $("theme");
  const root = document.documentElement;
  const show = () => {
    const isDark = (load("theme") ?? root.dataset.theme ?? (SYSTEM_THEME.matches ? "dark" : "light")) === "dark";
    root.dataset.theme = isDark ? "dark" : "light";
    button.textContent = isDark ? "☀" : "☾";
    button.title = isDark ? "Light theme" : "Dark theme";
    button.setAttribute("aria-label", button.title);
  };
  button.addEventListener("click", () => {
    root.dataset.theme = root.dataset.theme === "dark" ? "light" : "dark";
    store("theme", root.dataset.theme);
    show();
  });
  SYSTEM_THEME.addEventListener("change", () => {
    delete root.dataset.theme;
    show();
  });
  show();
}

// Sound is off by default.
export function setUpSound() {
  const button = $("sound");
  const show = () => {
    button.textContent = "♪";
    button.title = isSoundOn ? "Sound on" : "Sound off";
    button.setAttribute("aria-label", button.title);
    button.setAttribute("aria-pressed", String(isSoundOn));
  };
  isSoundOn = load("sound") === "on";
  button.addEventListener("click", () => {
    isSoundOn = !isSoundOn;
    store("sound", isSoundOn ? "on" : "off");
    show();
    playStoneSound();
  });
  show();
}

// Synthesize a short click: band-pass filtered noise with exponential decay.
export function playStoneSound() {
  if (!isSoundOn) return;
  audio ??= new AudioContext();
  const length = Math.floor(audio.sampleRate * 0.07);
  const buffer = audio.createBuffer(1, length, audio.sampleRate);
  const samples = buffer.getChannelData(0);
  for (let i = 0; i < length; i++) samples[i] = (Math.random() * 2 - 1) * Math.exp(-i / (length * 0.09));
  const source = new AudioBufferSourceNode(audio, { buffer });
  const filter = new BiquadFilterNode(audio, { type: "bandpass", frequency: 1900, Q: 1.4 });
  source.connect(filter).connect(audio.destination);
  source.start();
}
