// The panel of a task: speed, weights of goals, strengths of muscles; and the solve as it goes on.
import type { IterateMessage, SliderData, TaskData } from "./connection";
import { drawing, element, path, shape, textButton } from "./dom";
import { Slider } from "./slider";

const WIDTH = 300;
const HEIGHT = 70;

/** Objective and violation over the iterations, both as powers of ten. */
class Progress {
  readonly root = element("figure", { class: "progress" });
  private readonly lines = ["line", "hull"].map((name) => shape("path", { class: name, fill: "none" }));
  private readonly words = element("figcaption", { "data-testid": "iterate" });
  private seen: IterateMessage[] = [];

  constructor() {
    const words = "Objective (solid) and violation (dashed) over the iterations, logarithmic";
    this.root.append(drawing(WIDTH, HEIGHT, words, ...this.lines), this.words);
  }

  add(message: IterateMessage): void {
    if (this.seen.length && message.iteration < this.seen[this.seen.length - 1]!.iteration) this.seen = [];
    this.seen.push(message);
    const value = (number: number | null) => (number === null ? "NaN" : number.toPrecision(4));
    this.words.textContent =
      `iteration ${message.iteration}, objective ${value(message.objective)}, ` +
      `violation ${value(message.infeasibility)}, ${message.seconds.toFixed(1)} s`;
    this.draw(0, this.seen.map((one) => one.objective));
    this.draw(1, this.seen.map((one) => one.infeasibility));
  }

  private draw(line: number, values: (number | null)[]): void {
    const logs = values.map((value) => Math.log10(Math.max(Math.abs(value ?? 1), 1e-12)));
    const low = Math.min(...logs);
    const range = Math.max(...logs) - low || 1;
    const points = logs.map((log, place) => {
      return [4 + (place / Math.max(logs.length - 1, 1)) * (WIDTH - 8), HEIGHT - 5 - ((log - low) / range) * (HEIGHT - 10)];
    });
    this.lines[line]!.setAttribute("d", path(points));
  }
}

export class TaskPanel {
  readonly root = element("section", { class: "task", "aria-label": "Task" });
  private readonly sliders = new Map<string, Slider>();
  private readonly progress = new Progress();
  private readonly speed = element("div", {});
  private readonly weights = element("div", {});
  private readonly strengths = element("div", {});
  private readonly search = element("input", { type: "search", placeholder: "Search muscles", "aria-label": "Search muscles" });
  private readonly pause: HTMLButtonElement;
  private readonly stop: HTMLButtonElement;
  private readonly improve: HTMLButtonElement;
  private paused = false;

  constructor(
    private readonly edit: (edit: object) => void,
    private readonly send: (message: object) => void,
  ) {
    this.pause = textButton("Pause", () => this.send({ kind: this.paused ? "resume" : "pause" }));
    this.stop = textButton("Stop and keep", () => this.send({ kind: "stop" }));
    this.improve = textButton("Search further", () => this.send({ kind: "improve" }));
    this.improve.title = "Solves again from here with the full method; the better movement is kept";
    this.search.addEventListener("input", () => this.filter());
    const fold = element("details", {}, element("summary", {}, "Strengths of muscles"), this.search, this.strengths);
    this.root.append(
      element("h2", {}, "Task"),
      this.speed,
      element("h2", {}, "Weights of goals"),
      this.weights,
      fold,
      element("h2", {}, "Solve"),
      element("div", { class: "buttons" }, this.pause, this.stop, this.improve),
      this.progress.root,
    );
    this.showStatus("idle");
  }

  update(task: TaskData): void {
    if (task.speed) this.slider(this.speed, "speed", { name: "Speed (m/s)", ...task.speed }, false, { kind: "SetSpeed" });
    for (const data of task.weights) {
      this.slider(this.weights, `weight ${data.name}`, data, true, { kind: "SetWeight", name: data.name });
    }
    for (const data of task.strengths) {
      this.slider(this.strengths, `strength ${data.name}`, data, false, { kind: "SetStrength", name: data.name });
    }
    if (!task.speed) this.speed.textContent = "No condition of this problem sets a speed.";
    if (!task.strengths.length) this.strengths.textContent = "This model has no muscles.";
  }

  showIterate(message: IterateMessage): void {
    this.progress.add(message);
  }

  showStatus(status: string): void {
    this.paused = status === "paused";
    const busy = this.paused || status === "computing";
    this.pause.textContent = this.paused ? "Resume" : "Pause";
    this.pause.disabled = this.stop.disabled = !busy;
    this.improve.disabled = busy;
  }

  private slider(holder: HTMLElement, key: string, data: SliderData, powers: boolean, edit: object): void {
    let slider = this.sliders.get(key);
    if (!slider) {
      slider = new Slider(key, data.name, powers, (value) => this.edit({ ...edit, value }));
      this.sliders.set(key, slider);
      holder.append(slider.root);
    }
    slider.update(data);
  }

  private filter(): void {
    const words = this.search.value.toLowerCase();
    for (const [key, slider] of this.sliders) {
      if (key.startsWith("strength ")) slider.root.hidden = !key.toLowerCase().includes(words);
    }
  }
}
