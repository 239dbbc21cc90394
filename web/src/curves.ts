// Curves of controls with handles to drag: by mouse, by touch, by keyboard.
import { element, path, shape, textButton } from "./dom";
import type { CurveData } from "./connection";

const WIDTH = 300;
const HEIGHT = 84;
const MARGIN = 10;
const KINDS: [string, string][] = [
  ["bezier", "Bézier"],
  ["bspline", "B-spline"],
  ["piecewise_linear", "Points"],
  ["piecewise_constant", "Steps"],
];

export interface CurveListener {
  onHandle(control: string, number: number, value: number, dragging: boolean): void;
  onFit(control: string, kind: string, points: number): void;
  /** Another handle, one less, or another value at an instant; where it is missing, the curve has no such tools. */
  onReshape?(edit: object): void;
  onFile?(control: string, name: string, text: string): void;
}

// What one message of the protocol can hold.
const LARGEST_FILE = 150_000;

/** The picture of one curve. Its handles stay the same elements while values change, so that a drag goes on. */
class CurveView {
  readonly root = element("div", { class: "curve", role: "group" });
  private readonly svg = shape("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}` });
  private readonly line = shape("path", { class: "line", fill: "none" });
  private readonly hull = shape("path", { class: "hull", fill: "none" });
  private readonly cursor = shape("line", { class: "cursor", y1: 0, y2: HEIGHT });
  private readonly kind: HTMLSelectElement;
  private readonly count: HTMLInputElement;
  private readonly fit = textButton("Fit handles to this curve");
  private readonly value = element("input", { type: "number", step: "any" });
  private readonly give = textButton("");
  private readonly set = textButton("");
  private readonly add = textButton("Add a handle here");
  private readonly remove = textButton("");
  private readonly trouble = element("p", { class: "more", role: "alert" });
  private handles: SVGElement[] = [];
  private chosen = 0;
  // The value that a key sent last: keys that repeat go on from it, not from what the server has answered so far.
  private sent = { number: -1, value: 0, at: 0 };
  private data!: CurveData;
  private from = 0;
  private duration = 1;
  private time = 0;

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
    this.root.append(element("div", { class: "curve-head" }, element("strong", {}, control), this.kind, this.count), this.svg, this.fit, this.tools());
  }

  /** Typing, adding, removing: everything that a hand can do, and what it cannot do exactly. */
  private tools(): HTMLElement {
    const { control, listener } = this;
    this.value.setAttribute("aria-label", `${control} value`);
    const typed = () => Number(this.value.value);
    this.give.addEventListener("click", () => listener.onHandle(control, this.chosen, typed(), false));
    this.value.addEventListener("keydown", (event) => {
      if (event.key === "Enter" && this.handles.length) this.give.click();
    });
    const row = element("div", { class: "tool-row" }, this.value, this.give);
    if (listener.onReshape) {
      this.set.addEventListener("click", () => listener.onReshape!({ kind: "SetInstant", control, time: this.time, value: typed() }));
      this.add.addEventListener("click", () => listener.onReshape!({ kind: "AddHandle", control, time: this.time }));
      this.remove.addEventListener("click", () => listener.onReshape!({ kind: "RemoveHandle", control, number: this.chosen }));
      this.svg.addEventListener("dblclick", (event) => listener.onReshape!({ kind: "AddHandle", control, time: this.timeAt((event as MouseEvent).clientX) }));
      row.append(this.set, this.add, this.remove);
    }
    if (listener.onFile) row.append(this.fileField());
    return element("details", { class: "tools" }, element("summary", {}, "More"), row, this.trouble);
  }

  private fileField(): HTMLElement {
    const field = element("input", { type: "file", accept: ".sto,.mot,.csv", "aria-label": `${this.control} from a file` });
    field.addEventListener("change", async () => {
      const file = field.files?.[0];
      if (!file) return;
      const fits = file.size <= LARGEST_FILE;
      this.trouble.textContent = fits ? "" : `${file.name} has ${Math.round(file.size / 1000)} kB; the studio takes ${LARGEST_FILE / 1000}. Keep fewer rows or columns.`;
      if (fits) this.listener.onFile!(this.control, file.name, await file.text());
      field.value = "";
    });
    return element("label", { class: "file" }, "From a file (.sto, .mot, .csv) ", field);
  }

  private choose(number: number): void {
    this.chosen = Math.min(number, Math.max(this.handles.length - 1, 0));
    const value = this.data.handles[this.chosen]?.[1];
    if (value !== undefined && document.activeElement !== this.value) this.value.value = String(Number(value.toPrecision(5)));
    this.give.textContent = `Set handle ${this.chosen + 1}`;
    this.remove.textContent = `Remove handle ${this.chosen + 1}`;
    this.give.hidden = this.add.hidden = this.remove.hidden = !this.handles.length;
  }

  update(data: CurveData, from: number, duration: number): void {
    if (data === this.data && from === this.from && duration === this.duration) return;
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
    this.choose(this.chosen);
  }

  showTime(time: number): void {
    this.time = time;
    this.set.textContent = `Set at ${time.toFixed(3)} s`;
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

  private timeAt(clientX: number): number {
    const box = this.svg.getBoundingClientRect();
    const part = (((clientX - box.left) / box.width) * WIDTH - MARGIN) / (WIDTH - 2 * MARGIN);
    return this.from + Math.min(Math.max(part, 0), 1) * this.duration;
  }

  private valueAt(clientY: number): number {
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
      const value = this.valueAt((event as PointerEvent).clientY);
      // The handle stays under the hand; the curve follows when the server has drawn it.
      handle.setAttribute("cy", String(this.y(value)));
      this.listener.onHandle(this.control, number, value, dragging);
      dragging = true;
    });
    handle.addEventListener("focus", () => this.choose(number));
    handle.addEventListener("keydown", (event) => this.onKey(event as KeyboardEvent, number));
    this.handles.push(handle);
    this.svg.append(handle);
  }

  private onKey(event: KeyboardEvent, number: number): void {
    const [low, high] = this.data.range;
    const fresh = this.sent.number === number && performance.now() - this.sent.at < 500;
    const now = fresh ? this.sent.value : this.data.handles[number]![1];
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
    if (event.key === "Delete" && this.listener.onReshape) {
      event.preventDefault();
      this.listener.onReshape({ kind: "RemoveHandle", control: this.control, number });
      return;
    }
    const value = steps[event.key];
    if (value === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    const kept = Math.min(Math.max(value, low), high);
    this.sent = { number, value: kept, at: performance.now() };
    this.listener.onHandle(this.control, number, kept, false);
  }
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
  nothing: string;
  kinds?: string[];
}

export const CONTROLS: Words = {
  title: "Curves of controls",
  search: "Search controls",
  empty: "This model has no muscles or motors. Press Open … for one that has, or change its start below.",
  nothing: "No control of that name.",
};
export const COURSES: Words = { title: "Angles over time", search: "Search angles", empty: "", nothing: "No angle of that name.", kinds: ["bezier", "bspline"] };

/** Five curves at a time, scrolled and found by name. */
export class Curves {
  readonly root = element("section", { class: "curves" });
  private readonly views = new Map<string, CurveView>();
  private readonly list = element("div", { class: "curve-list" });
  private readonly more = element("p", { class: "more" });
  private readonly search: HTMLInputElement;
  private session: Drawn | null = null;
  private time = 0;
  // Those in sight: a model may have a hundred, and only these move with the time.
  private readonly seen = new Set<CurveView>();
  private readonly sight = new IntersectionObserver((entries) => this.look(entries));

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
    for (const view of this.seen) view.showTime(time);
  }

  private look(entries: IntersectionObserverEntry[]): void {
    for (const { target, isIntersecting } of entries) {
      const view = [...this.views.values()].find(({ root }) => root === target);
      if (!view) continue;
      if (isIntersecting) this.seen.add(view);
      else this.seen.delete(view);
      view.showTime(this.time);
    }
  }

  private arrange(): void {
    if (!this.session) return;
    const words = this.search.value.toLowerCase();
    const found = this.session.curves.filter((curve) => curve.control.toLowerCase().includes(words));
    this.sight.disconnect();
    this.seen.clear();
    this.views.clear();
    for (const curve of found) this.views.set(curve.control, new CurveView(curve.control, this.listener, this.words.kinds));
    this.list.replaceChildren(...[...this.views.values()].map((view) => view.root));
    for (const { root } of this.views.values()) this.sight.observe(root);
    const all = this.session.curves.length;
    this.more.textContent = !all ? this.words.empty : !found.length ? this.words.nothing : all > 5 ? `${found.length} of ${all}: scroll, or search by name` : "";
    this.refresh();
    for (const view of this.views.values()) view.showTime(this.time);
  }

  private refresh(): void {
    const { curves, from, duration } = this.session!;
    for (const curve of curves) this.views.get(curve.control)?.update(curve, from, duration);
  }
}
