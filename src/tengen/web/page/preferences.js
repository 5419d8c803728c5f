// Preferences stored in the browser.
//
//   const isOn = preference("coordinates");      // the stored value or the default
//   setPreference("coordinates", false);         // stores it and notifies all listeners
//   onPreference("coordinates", (value) => {});  // called at once and after every change

import { load, store } from "./storage.js";
import { t } from "./translation.js";

const DEFAULTS = {
  sound: true, theme: "system", board: "kaya", stones: "shaded", coordinates: true, moveNumbers: 0, lastDots: 8,
  nextMoves: true, overlayText: ["points", "visits"], confirmTap: true, territory: false, joseki: false, editing: false, analysisLimit: { unit: "seconds", step: 3 },
  teaching: { on: false, points: 3 },
};
const SYSTEM_THEME = matchMedia("(prefers-color-scheme: dark)");
const STONE_SOUND_S = 0.07;

const listeners = new Map();
let audio = null;

export function preference(name) {
  const stored = load(`preference ${name}`);
  try {
    return stored === null ? DEFAULTS[name] : JSON.parse(stored);
  } catch {
    return DEFAULTS[name];
  }
}

export function setPreference(name, value) {
  store(`preference ${name}`, JSON.stringify(value));
  for (const listener of listeners.get(name) ?? []) listener(value);
}

export function onPreference(name, listener) {
  listeners.set(name, [...(listeners.get(name) ?? []), listener]);
  listener(preference(name));
}

// Whether the page is dark: as chosen, or as the system.
export function isDark() {
  const theme = preference("theme");
  return theme === "system" ? SYSTEM_THEME.matches : theme === "dark";
}

// Follow the system theme until the user chooses one.
export function setUpTheme(button) {
  const show = () => {
    document.documentElement.dataset.theme = isDark() ? "dark" : "light";
    setIcon(button, isDark() ? "sun" : "moon", isDark() ? t("preferences.light") : t("preferences.dark"));
  };
  button.addEventListener("click", () => setPreference("theme", isDark() ? "light" : "dark"));
  SYSTEM_THEME.addEventListener("change", show);
  onPreference("theme", show);
}

export function setUpSound(button) {
  button.addEventListener("click", () => {
    setPreference("sound", !preference("sound"));
    playStoneSound();
  });
  onPreference("sound", (isOn) => {
    setIcon(button, isOn ? "volume-2" : "volume-x", isOn ? t("preferences.sound_on") : t("preferences.sound_off"));
    button.setAttribute("aria-pressed", String(isOn));
  });
}

function setIcon(button, name, label) {
  button.querySelector("use").setAttribute("href", `/page/icons.svg#${name}`);
  button.title = label;
  button.setAttribute("aria-label", label);
}

// Synthesize a short click: band-pass filtered noise with exponential decay. Browsers allow sound only
// after the user has used the page.
export function playStoneSound() {
  if (!preference("sound") || navigator.userActivation?.hasBeenActive === false) return;
  audio ??= new AudioContext();
  const length = Math.floor(audio.sampleRate * STONE_SOUND_S);
  const buffer = audio.createBuffer(1, length, audio.sampleRate);
  const samples = buffer.getChannelData(0);
  for (let i = 0; i < length; i++) samples[i] = (Math.random() * 2 - 1) * Math.exp(-i / (length * 0.09));
  const source = new AudioBufferSourceNode(audio, { buffer });
  const filter = new BiquadFilterNode(audio, { type: "bandpass", frequency: 1900, Q: 1.4 });
  source.connect(filter).connect(audio.destination);
  source.start();
}
