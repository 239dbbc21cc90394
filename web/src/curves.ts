// Curves of controls with handles to drag: by mouse, by touch, by keyboard.
import { element } from "./dom";
import type { CurveData } from "./connection";

const WIDTH = 300;
const HEIGHT = 84;
const MARGIN = 10;
const SHOWN = 5;
const KINDS: [string, string][] = [
  ["bezier", "Bézier"],
  ["bspline", "B-spline"],
  ["piecewise_linear", "Points"],
  ["piecewise_constant", "Steps"],
];
const SVG = "http://www.w3.org/2000/svg";

export interface CurveListener {
  onHandle(control: string, number: number, value: number, dragging: boolean): void;
  onFit(control: string, kind: string, points: number): void;
}

function shape(tag: string, attributes: Record<string, string | number>): SVGElement {
  const made = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, String(value));
  return made;
}

/** The picture of one curve. Its handles stay the same elements while values change, so that a drag goes on. */
class CurveView {
  readonly root = element("div", { class: "curve", role: "group" });
  private readonly svg = shape("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}` });
  private readonly line = shape("path", { class: "line", fill: "none" });
  private readonly hull = shape("path", { class: "hull", fill: "none" });
  private readonly cursor = shape("line", { class: "cursor", y1: 0, y2: HEIGHT });
  private readonly kind: HTMLSelectElement;
  private readonly count: HTMLInputElement;
  private readonly fit = element("button", { type: "button", class: "text" }, "Fit handles to this curve");
  private handles: SVGElement[] = [];
  private data!: CurveData;
  private from = 0;
  private duration = 1;

  constructor(
    readonly control: string,
    private readonly listener: CurveListener,
    kinds?: string[],
  ) {
    this.root.setAttribute("aria-label", control);
    this.svg.append(this.hull, this.line, this.cursor);
    this.kind = element("select", { "aria-label": `${control} kind of curve` });
    for (const [value, label] of KINDS.filter(([kind]) => !kinds || kinds.includes(kind))) this.kind.append(element("option", { value }, label));
    this.kind.append(element("option", { value: "", hidden: true }, "as loaded"));
    this.count = element("input", { type: "number", min: 2, max: 20, "aria-label": `${control} number of handles` });
    const refit = () => this.listener.onFit(control, this.kind.value || "bezier", Number(this.count.value));
    this.fit.addEventListener("click", refit);
    this.kind.addEventListener("change", refit);
    this.count.addEventListener("change", refit);
    this.root.append(element("div", { class: "curve-head" }, element("strong", {}, control), this.kind, this.count), this.svg, this.fit);
  }

  update(data: CurveData, from: number, duration: number): void {
    this.data = data;
    this.from = from;
    this.duration = duration;
    const line = data.line.map((value, place) => [this.x(from + (place / (data.line.length - 1)) * duration), this.y(value)]);
    this.line.setAttribute("d", path(line));
    const handles = data.handles.map(([time, value]) => [this.x(time), this.y(value)]);
    this.hull.setAttribute("d", data.kind === "bezier" || data.kind === "bspline" ? path(handles) : "");
    this.kind.value = KINDS.some(([kind]) => kind === data.kind) ? data.kind : "";
    if (document.activeElement !== this.count) this.count.value = String(data.handles.length || 6);
    this.fit.hidden = data.handles.length > 0;
    while (this.handles.length > data.handles.length) this.handles.pop()!.remove();
    while (this.handles.length < data.handles.length) this.addHandle(this.handles.length);
    data.handles.forEach(([, value], number) => {
      const handle = this.handles[number]!;
      handle.setAttribute("cx", String(handles[number]![0]));
      handle.setAttribute("cy", String(handles[number]![1]));
      handle.setAttribute("aria-valuenow", value.toFixed(4));
      handle.setAttribute("aria-valuemin", String(data.range[0]));
      handle.setAttribute("aria-valuemax", String(data.range[1]));
    });
  }

  showTime(time: number): void {
    const x = this.x(time);
    this.cursor.setAttribute("x1", String(x));
    this.cursor.setAttribute("x2", String(x));
  }

  private x(time: number): number {
    return MARGIN + ((time - this.from) / this.duration) * (WIDTH - 2 * MARGIN);
  }

  private y(value: number): number {
    const [low, high] = this.data.range;
    return HEIGHT - MARGIN - ((value - low) / (high - low)) * (HEIGHT - 2 * MARGIN);
  }

  private value(clientY: number): number {
    const box = this.svg.getBoundingClientRect();
    const y = ((clientY - box.top) / box.height) * HEIGHT;
    const [low, high] = this.data.range;
    const value = low + ((HEIGHT - MARGIN - y) / (HEIGHT - 2 * MARGIN)) * (high - low);
    return Math.min(Math.max(value, low), high);
  }

  private addHandle(number: number): void {
    const handle = shape("circle", {
      r: 6,
      class: "handle",
      role: "slider",
      tabindex: 0,
      "aria-label": `${this.control} handle ${number + 1}`,
      "aria-orientation": "vertical",
    });
    let dragging = false;
    handle.addEventListener("pointerdown", (event) => {
      dragging = false;
      handle.setPointerCapture((event as PointerEvent).pointerId);
      event.preventDefault();
      (handle as SVGElement & { focus(): void }).focus();
    });
    handle.addEventListener("pointermove", (event) => {
      if (!handle.hasPointerCapture((event as PointerEvent).pointerId)) return;
      this.listener.onHandle(this.control, number, this.value((event as PointerEvent).clientY), dragging);
      dragging = true;
    });
    handle.addEventListener("keydown", (event) => this.onKey(event as KeyboardEvent, number));
    this.handles.push(handle);
    this.svg.append(handle);
  }

  private onKey(event: KeyboardEvent, number: number): void {
    const [low, high] = this.data.range;
    const now = this.data.handles[number]![1];
    const step = (high - low) / 50;
    const steps: Record<string, number> = {
      ArrowUp: now + step,
      ArrowRight: now + step,
      ArrowDown: now - step,
      ArrowLeft: now - step,
      PageUp: now + 5 * step,
      PageDown: now - 5 * step,
      Home: low,
      End: high,
    };
    const value = steps[event.key];
    if (value === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    this.listener.onHandle(this.control, number, Math.min(Math.max(value, low), high), false);
  }
}

function path(points: number[][]): string {
  return points.map(([x, y], place) => `${place ? "L" : "M"}${x!.toFixed(1)} ${y!.toFixed(1)}`).join("");
}

/** Curves over one time. */
export interface Drawn {
  curves: CurveData[];
  from: number;
  duration: number;
}

/** What is said of the curves: of controls, or of coordinates. */
export interface Words {
  title: string;
  search: string;
  empty: string;
  kinds?: string[];
}

export const CONTROLS: Words = {
  title: "Curves of controls",
  search: "Search controls",
  empty: "This model has no muscles or motors. Press Open … for one that has, or change its start below.",
};
export const COURSES: Words = { title: "Angles over time", search: "Search angles", empty: "", kinds: ["bezier", "bspline"] };

/** Five curves at a time, found by name. */
export class Curves {
  readonly root = element("section", { class: "curves" });
  private readonly views = new Map<string, CurveView>();
  private readonly list = element("div", { class: "curve-list" });
  private readonly more = element("p", { class: "more" });
  private readonly search: HTMLInputElement;
  private session: Drawn | null = null;
  private time = 0;

  constructor(
    private readonly listener: CurveListener,
    private readonly words: Words = CONTROLS,
  ) {
    this.root.setAttribute("aria-label", words.title);
    this.search = element("input", { type: "search", placeholder: words.search, "aria-label": words.search });
    this.search.addEventListener("input", () => this.arrange());
    this.root.append(this.search, this.list, this.more);
  }

  update(session: Drawn): void {
    // Motors that were added, or angles that are no longer wanted, are other curves.
    const others = this.session?.curves.length !== session.curves.length;
    this.session = session;
    if (others || this.views.size === 0) this.arrange();
    else this.refresh();
  }

  showTime(time: number): void {
    this.time = time;
    for (const view of this.views.values()) view.showTime(time);
  }

  private arrange(): void {
    if (!this.session) return;
    const words = this.search.value.toLowerCase();
    const found = this.session.curves.filter((curve) => curve.control.toLowerCase().includes(words));
    this.views.clear();
    for (const curve of found.slice(0, SHOWN)) this.views.set(curve.control, new CurveView(curve.control, this.listener, this.words.kinds));
    this.list.replaceChildren(...[...this.views.values()].map((view) => view.root));
    const hidden = found.length - this.views.size;
    this.more.textContent = !this.session.curves.length
      ? this.words.empty
      : hidden > 0
        ? `${hidden} more: search by name`
        : found.length
          ? ""
          : "No control has such a name.";
    this.refresh();
    this.showTime(this.time);
  }

  private refresh(): void {
    const { curves, from, duration } = this.session!;
    for (const curve of curves) this.views.get(curve.control)?.update(curve, from, duration);
  }
}
