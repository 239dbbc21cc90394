// A number to slide or to type; along powers of ten where its range is wide.
import { element } from "./dom";

const STEPS = 200;

export class Slider {
  readonly root: HTMLElement;
  private readonly range = element("input", { type: "range", min: 0, max: STEPS, step: 1 });
  private readonly number = element("input", { type: "number", step: "any" });
  private low = 0;
  private high = 1;

  /** With `live`, onChange is called while the slider moves too, each time with dragging set but the first. */
  constructor(
    key: string,
    label: string,
    private readonly powers: boolean,
    onChange: (value: number, dragging: boolean) => void,
    live = false,
  ) {
    this.range.setAttribute("aria-label", key);
    this.number.setAttribute("aria-label", `${key} as a number`);
    let dragging = false;
    this.range.addEventListener("input", () => {
      const value = this.value();
      this.show(value);
      if (live) onChange(value, dragging);
      dragging = true;
    });
    this.range.addEventListener("change", () => {
      if (!live) onChange(this.value(), false);
      dragging = false;
    });
    this.number.addEventListener("change", () => onChange(Number(this.number.value), false));
    this.root = element("div", { class: "slider" }, element("span", {}, label), this.range, this.number);
  }

  update(data: { value: number; low: number; high: number }): void {
    this.low = data.low;
    this.high = data.high;
    if (document.activeElement !== this.range) this.range.value = String(Math.round(this.place(data.value) * STEPS));
    if (document.activeElement !== this.number) this.show(data.value);
  }

  /** Takes another value between the same ends, or wider ones where it lies outside. */
  follow(value: number): void {
    this.update({ value, low: Math.min(this.low, value), high: Math.max(this.high, value) });
  }

  private show(value: number): void {
    this.number.value = String(Number(value.toPrecision(5)));
    this.range.setAttribute("aria-valuetext", value.toPrecision(4));
  }

  private place(value: number): number {
    const [low, high] = this.powers ? [Math.log(this.low), Math.log(this.high)] : [this.low, this.high];
    return ((this.powers ? Math.log(value) : value) - low) / (high - low || 1);
  }

  private value(): number {
    const part = Number(this.range.value) / STEPS;
    if (this.powers) return Number((this.low * (this.high / this.low) ** part).toPrecision(4));
    return Number((this.low + part * (this.high - this.low)).toPrecision(6));
  }
}
