// Choice of the network, installation of stronger ones, and the limit of the analysis of a position.

import { button, el, replaceChildren } from "./dom.js";
import { preference, setPreference } from "./preferences.js";
import { t } from "./translation.js";

const LIMITS = { seconds: [1, 2, 5, 10, 30, 60, null], visits: [100, 300, 1000, 3000, 10_000, 30_000, 100_000] };

/** Return the limit of an analysis as fields of the message. */
export function analysisLimit() {
  const { unit, step } = preference("analysisLimit");
  return { [unit]: LIMITS[unit][step] };
}

export class EngineBox {
  constructor(app) {
    this.app = app;
    this.choice = null;
    this.nets = el("select", { id: "net", onchange: () => app.send("choose_net", { net: this.nets.value }) });
    this.offers = el("div", { class: "offers", id: "net-offers" });
    this.unit = el("select", { id: "limit-unit", "aria-label": t("engine.unit"), onchange: () => this.setLimit({ unit: this.unit.value }) },
      Object.keys(LIMITS).map((unit) => el("option", { value: unit }, t(`engine.${unit}`))));
    this.slider = el("input", { id: "limit", type: "range", min: 0, max: 6, step: 1, "aria-label": t("engine.limit"), oninput: () => this.setLimit({ step: Number(this.slider.value) }) });
    this.limitText = el("output", { class: "quiet-text", for: "limit" });
    this.element = el("div", {},
      el("label", {}, el("span", {}, t("engine.net")), this.nets), this.offers,
      el("div", { class: "limit" }, el("span", {}, t("engine.limit")), this.unit, this.slider, this.limitText));
    this.showLimit();
    app.on("engine", (choice) => this.receive(choice));
  }

  receive(choice) {
    this.choice = choice;
    const installed = choice.nets.filter((one) => one.is_installed);
    this.nets.replaceChildren(...installed.map(({ name }) => el("option", { value: name }, netName(name))));
    this.nets.value = choice.net;
    this.showOffers();
  }

  showOffers() {
    const { installation, nets } = this.choice;
    if (installation) {
      const { name, stage, share } = installation;
      const key = `${name} ${stage}`;
      if (this.shown !== key) {
        this.shown = key;
        replaceChildren(this.offers,
          el("p", {}, t(`engine.${stage}`, { name })),
          el("div", { class: "bar" }, el("progress", { max: 1, "aria-label": t(`engine.${stage}`, { name }) }),
            button(t("common.cancel"), () => this.app.send("cancel_net"), null, "cancel-net", { icon: "x", kind: "small" })));
      }
      this.offers.querySelector("progress").value = share;
      return;
    }
    this.shown = null;
    replaceChildren(this.offers, nets.filter((one) => !one.is_installed).map(({ name, meaning, download_bytes: bytes }) =>
      el("div", { class: "offer" }, button(t("engine.get", { name, size: Math.round(bytes / 1e6) }), () => this.app.send("get_net", { net: name }), null, `get-${name}`, { icon: "download", kind: "small" }),
        el("span", { class: "quiet-text" }, meaning))));
  }

  setLimit(change) {
    setPreference("analysisLimit", { ...preference("analysisLimit"), ...change });
    this.showLimit();
    if (this.app.state?.analyzing) this.app.startAnalysis();
  }

  showLimit() {
    const { unit, step } = preference("analysisLimit");
    this.unit.value = unit;
    this.slider.value = step;
    const limit = LIMITS[unit][step];
    const text = limit ? t(`engine.${unit}_limit`, { count: limit }) : t("engine.unlimited");
    this.limitText.value = text;
    this.slider.setAttribute("aria-valuetext", text);
  }
}

// Return the name of a network on the page.
export function netName(name) {
  if (name === "default" || name === "none") return t(`engine.${name}`);
  return name.split("/").pop().replace(/-int8$|\.onnx$/, "");
}
