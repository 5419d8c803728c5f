// A stone on wood: a short click, made here. Off unless one switches it on.

import { $ } from "./dom.js";
import { keep, kept } from "./storage.js";

let context = null;
let isOn = false;

export function setUpSound() {
  const button = $("sound");
  const show = () => {
    button.textContent = "♪";
    button.title = isOn ? "Sound is on" : "Sound is off";
    button.setAttribute("aria-label", button.title);
    button.setAttribute("aria-pressed", String(isOn));
  };
  isOn = kept("sound") === "on";
  button.addEventListener("click", () => {
    isOn = !isOn;
    keep("sound", isOn ? "on" : "off");
    show();
    clack();
  });
  show();
}

export function clack() {
  if (!isOn) return;
  context ??= new AudioContext();
  const length = Math.floor(context.sampleRate * 0.07);
  const buffer = context.createBuffer(1, length, context.sampleRate);
  const samples = buffer.getChannelData(0);
  for (let i = 0; i < length; i++) samples[i] = (Math.random() * 2 - 1) * Math.exp(-i / (length * 0.09));
  const source = new AudioBufferSourceNode(context, { buffer });
  const filter = new BiquadFilterNode(context, { type: "bandpass", frequency: 1900, Q: 1.4 });
  source.connect(filter).connect(context.destination);
  source.start();
}
