// The arc on which a foot rolls, laid over the path of its ankle: fitted, or moved by hand.
import type { FootMessage, SessionData } from "./connection";
import { drawing, element, path, shape, textButton } from "./dom";
import { Slider } from "./slider";

const WIDTH = 300;
const HEIGHT = 90;
const PARTS: ["radius" | "x" | "y" | "anchor", string, number][] = [
  ["radius", "Radius (m)", 0.3],
  ["x", "Centre ahead of the ankle (m)", 0.15],
  ["y", "Centre above the ankle (m)", 0.3],
  ["anchor", "Contact at angle 0 (m)", 0.3],
];

export class FootPanel {
  readonly root = element("details", {}, element("summary", {}, "Fit a foot"));
  private readonly body = element("select", { "aria-label": "Foot" });
  private readonly first = element("input", { type: "number", step: "any", "aria-label": "Stance from (s)" });
  private readonly last = element("input", { type: "number", step: "any", "aria-label": "Stance until (s)" });
  private readonly level = element("input", { type: "number", step: "any", value: 0, "aria-label": "Height of the floor (m)" });
  private readonly words = element("p", { class: "more", "aria-live": "polite", "data-testid": "foot" });
  private readonly code = element("pre", { class: "script", tabindex: 0, "aria-label": "The foot as Python" });
  private readonly paths = ["hull", "line"].map((name) => shape("path", { class: name, fill: "none" }));
  private readonly picture = drawing(WIDTH, HEIGHT, "Path of the ankle (dashed) and of the arc (solid)", ...this.paths);
  private readonly sliders = new Map<string, Slider>();
  private readonly hand = element("div", {});
  private chosen: Record<string, number> = {};
  private shown = "";

  constructor(private readonly send: (message: object) => void) {
    for (const [name, label] of PARTS) {
      const set = (value: number) => {
        this.chosen = { ...this.chosen, [name]: value };
        this.ask(this.chosen);
      };
      const slider = new Slider(`foot ${name}`, label, false, set, true);
      this.sliders.set(name, slider);
      this.hand.append(slider.root);
    }
    const field = (label: string, input: HTMLElement) => element("label", {}, label, input);
    this.root.append(
      element("p", { class: "more" }, "The ankle is the origin of the foot. Its path is that of the recording, or of the movement where there is none."),
      element("div", { class: "fields" }, field("Foot", this.body), field("Stance from (s)", this.first), field("until (s)", this.last), field("Floor (m)", this.level)),
      textButton("Fit the arc", () => this.ask()),
      this.words,
    );
  }

  update(session: SessionData): void {
    const now = JSON.stringify([session.bodies, session.from, session.duration]);
    if (now === this.shown) return;
    this.shown = now;
    const before = this.body.value;
    this.body.replaceChildren(...session.bodies.map((name) => element("option", { value: name }, name)));
    this.body.value = session.bodies.includes(before) ? before : (session.bodies.find((name) => /foot|calcn/i.test(name)) ?? session.bodies[0] ?? "");
    this.first.value = String(session.from);
    this.last.value = String(session.from + session.duration);
  }

  show(message: FootMessage): void {
    // A hand that slides keeps its numbers; a fit sets all of them.
    const slid = this.chosen["radius"] === message.radius && this.chosen["anchor"] === message.anchor;
    this.chosen = { radius: message.radius, x: message.x, y: message.y, anchor: message.anchor };
    for (const [name, , reach] of PARTS) {
      const value = message[name];
      const low = name === "radius" ? Math.max(value - reach, 0.01) : value - reach;
      if (slid) this.sliders.get(name)!.follow(value);
      else this.sliders.get(name)!.update({ value, low, high: value + reach });
    }
    const error = message.error ? ` ± ${(1000 * message.error).toPrecision(2)}` : "";
    this.words.textContent =
      `Radius ${(1000 * message.radius).toFixed(1)}${error} mm; ${(1000 * message.rms).toPrecision(3)} mm RMS from the ankle's path, ` +
      `${message.ankle.length} samples from ${message.from.toFixed(3)} to ${message.to.toFixed(3)} s.`;
    this.code.textContent = message.code;
    this.draw(message);
    if (!this.hand.isConnected) this.root.append(this.picture, this.hand, this.code);
  }

  private ask(chosen?: object): void {
    const span = { first: Number(this.first.value), last: Number(this.last.value), level: Number(this.level.value) };
    this.send({ kind: "foot", body: this.body.value, ...span, ...(chosen ? { chosen } : {}) });
  }

  private draw({ ankle, arc }: FootMessage): void {
    const all = [...ankle, ...arc];
    const low = [0, 1].map((axis) => Math.min(...all.map((point) => point[axis]!)));
    const size = [0, 1].map((axis) => Math.max(...all.map((point) => point[axis]!)) - low[axis]!);
    const scale = Math.min((WIDTH - 16) / Math.max(size[0]!, 1e-6), (HEIGHT - 16) / Math.max(size[1]!, 1e-6));
    [ankle, arc].forEach((points, number) => {
      this.paths[number]!.setAttribute("d", path(points.map(([x, y]) => [8 + (x - low[0]!) * scale, HEIGHT - 8 - (y - low[1]!) * scale])));
    });
  }
}
