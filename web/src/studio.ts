// The studio: curves, start and numbers on the left, the moving body and its plots on the right.
import { Connection, type SceneMessage, type SessionData, type TaskData } from "./connection";
import { Courses } from "./courses";
import { Curves } from "./curves";
import { element, textButton, toggle } from "./dom";
import { BodyDrag } from "./drag";
import { Exports } from "./exports";
import { FootPanel } from "./foot";
import { LibraryPanel } from "./library";
import { Numbers } from "./numbers";
import { Slider } from "./slider";
import { Stability } from "./stability";
import { TaskPanel } from "./task";
import { Ties } from "./ties";
import { tour } from "./tour";
import { Viewer } from "./viewer";

const DEGREES = 180 / Math.PI;

class Studio {
  private readonly status = element("output", { class: "status", role: "status", "aria-live": "polite", "data-testid": "status" }, "connecting");
  private readonly message = element("p", { class: "message", role: "alert" });
  private readonly summary = element("table", { class: "summary", "aria-label": "Summary" });
  private readonly start = element("div", { class: "fields" });
  private readonly numbers = element("div", { class: "fields" });
  private readonly strengths = fold("Muscle strength (N)", this.numbers);
  private readonly script = element("pre", { class: "script", tabindex: 0, "aria-label": "Script", "data-testid": "script" });
  private readonly stage = element("div", { class: "studio-view" });
  private readonly undo = this.action("Undo", { kind: "undo" });
  private readonly redo = this.action("Redo", { kind: "redo" });
  private readonly duration = element("input", { type: "number", min: 0.01, step: "any", "aria-label": "Duration (s)" });
  private readonly title = element("h1", {}, "myodyne studio");
  private readonly notes = element("ul", { class: "notes" });
  private readonly noteCount = element("summary", {}, "No notes");
  private readonly noteFold = element("details", {}, this.noteCount, this.notes);
  private readonly curves: Curves;
  private readonly connection: Connection;
  private readonly side = element("div", { class: "side" });
  private readonly length = element("label", {}, "Duration (s) ", this.duration);
  private readonly exports = new Exports((message) => this.connection.send(message), () => this.script.textContent ?? "");
  private readonly library = new LibraryPanel((message) => this.connection.send(message));
  private readonly guide = element("div", {});
  private readonly interrupt = element("button", { type: "button", class: "text", title: "Keep the movement up to the time shown; later changes apply after it" }, "Interrupt here");
  private readonly since = element("p", { class: "more", "data-testid": "since" });
  private readonly hold = element("span", {});
  private readonly sliders = new Map<string, Slider>();
  private readonly anyNumber = new Numbers(
    (name, value) => this.edit({ kind: "SetNumber", name, value }),
    (words) => this.connection.send({ kind: "find", words }),
  );
  private readonly courses = new Courses(
    (edit, dragging) => this.edit(edit, dragging),
    (message) => this.connection.send(message),
  );
  private readonly ties = new Ties((edit) => this.edit(edit));
  private readonly foot = new FootPanel((message) => this.send(message));
  private readonly gains = element("div", { class: "fields" });
  private readonly law = fold("Gains of the control law", this.gains);
  private readonly stability = new Stability(() => this.connection.send({ kind: "eigenvalues", time: this.time }));
  private time = 0;
  /** Whether the body can be dragged at the start alone, because no forces follow from a pose at another time. */
  private startAlone = false;
  private viewer: Viewer | null = null;
  private task: TaskPanel | null = null;
  private fields = new Map<string, HTMLInputElement>();

  constructor(root: HTMLElement, token: string) {
    this.curves = new Curves({
      onHandle: (control, number, value, dragging) => this.edit({ kind: "SetHandle", control, number, value }, dragging),
      onFit: (control, curve, points) => this.edit({ kind: "FitHandles", control, curve, points }),
      onReshape: (edit) => this.edit(edit),
      onFile: (control, name, text) => this.send({ kind: "curve", control, name, text }),
    });
    this.duration.addEventListener("change", () => this.edit({ kind: "SetDuration", duration: Number(this.duration.value) }));
    const copy = textButton("Copy", () => void navigator.clipboard?.writeText(this.script.textContent ?? ""));
    this.interrupt.addEventListener("click", () => this.edit({ kind: "Interrupt", time: this.time }));
    const pin = this.action("Pin for comparison", { kind: "pin" });
    root.replaceChildren(
      element("header", { class: "bar" }, this.title, this.library.button, this.undo, this.redo, pin, this.exports.root, this.interrupt, this.hold, this.length, this.status),
      this.library.root,
      this.guide,
      this.message,
      element(
        "div",
        { class: "columns-2" },
        this.side,
        element("div", { class: "main" }, this.stage, this.summary, this.noteFold, fold("Script", copy, this.script)),
      ),
    );
    this.side.append(
      element("h2", {}, "Curves"),
      this.since,
      this.curves.root,
      this.courses.root,
      fold("Start", this.start),
      this.ties.root,
      this.law,
      this.strengths,
      fold("All numbers of the model", this.anyNumber.root),
      this.stability.root,
      this.foot.root,
    );
    const drag = new BodyDrag(this.stage, () => this.viewer, {
      onBody: (body, point, target, chain, dragging) => this.edit({ kind: "DragBody", body, point, target, chain, time: this.time }, dragging),
    });
    const hold = toggle("Drag the body", false, (on) => {
      drag.on = on;
      this.stage.classList.toggle("holding", on);
      if (on && this.startAlone) this.viewer?.rewind();
    });
    hold.title = "Pull a body at the time shown: its nearest joint follows, with Shift all joints up to the ground";
    this.hold.append(hold);
    document.addEventListener("keydown", (event) => this.onKey(event));
    const steps = tour();
    if (steps) this.guide.append(steps);
    this.connection = new Connection(token, {
      onSession: (session) => this.showSession(session),
      onFound: (message) => this.anyNumber.show(message),
      onTask: (task) => this.showTask(task),
      onIterate: (message) => this.task?.showIterate(message),
      onScene: (message, block) => this.showScene(message, block),
      onStatus: (status) => this.showStatus(status),
      onFile: (message) => this.exports.receive(message),
      onLibrary: (message) => this.library.show(message),
      onFoot: (message) => this.foot.show(message),
      onEigenvalues: (message) => this.stability.show(message),
      onOpened: () => location.reload(),
      onRefused: (reason) => (this.message.textContent = reason),
    });
  }

  private action(label: string, message: object): HTMLButtonElement {
    return textButton(label, () => this.connection.send(message));
  }

  private edit(edit: object, dragging = false): void {
    this.send({ kind: "edit", edit, dragging });
  }

  /** Sends what is asked for; what was said of the last is no longer of interest. */
  private send(message: object): void {
    this.message.textContent = "";
    this.connection.send(message);
  }

  private showStatus(status: string): void {
    this.status.textContent = status;
    this.status.classList.toggle("failed", status.startsWith("failed"));
    this.task?.showStatus(status);
  }

  private showTask(task: TaskData): void {
    this.showName(task);
    if (!this.task) {
      this.task = new TaskPanel(
        (edit) => this.edit(edit),
        (message) => this.connection.send(message),
      );
      this.length.hidden = this.interrupt.hidden = this.hold.hidden = true;
      this.side.replaceChildren(this.task.root);
    }
    this.task.update(task);
  }

  private showTime(time: number): void {
    this.time = time;
    this.curves.showTime(time);
    this.courses.showTime(time);
  }

  private showName(shown: SessionData | TaskData): void {
    this.title.textContent = shown.name;
    document.title = `${shown.name} – myodyne studio`;
    this.undo.disabled = !shown.undo;
    this.redo.disabled = !shown.redo;
    this.script.textContent = shown.script;
  }

  private showSession(session: SessionData): void {
    this.showName(session);
    this.startAlone = session.unfollowed !== "";
    if (document.activeElement !== this.duration) this.duration.value = String(session.duration);
    this.curves.update(session);
    this.courses.update(session);
    this.ties.update(session);
    this.foot.update(session);
    this.showGains(session);
    this.anyNumber.renew();
    this.since.textContent = session.earlier.length ? `After ${session.from.toFixed(3)} s; what came before is kept. Undo removes the interruption.` : "";
    for (const { name, value, unit, low, high } of session.start) {
      const factor = unit === "rad" ? DEGREES : 1;
      let slider = this.sliders.get(name);
      if (!slider) {
        const set = (typed: number, dragging: boolean) => this.edit({ kind: "SetStart", name, value: typed / factor }, dragging);
        slider = new Slider(`start of ${name}`, `${name} (${unit === "rad" ? "°" : unit})`, false, set, true);
        this.sliders.set(name, slider);
        this.start.append(slider.root);
      }
      slider.update({ value: value * factor, low: low * factor, high: high * factor });
    }
    this.strengths.hidden = !Object.keys(session.muscles).length;
    for (const [name, force] of Object.entries(session.muscles)) {
      const key = `${name}.max_force`;
      this.field(this.numbers, key, name, session.numbers[key] ?? force, (typed) =>
        this.edit({ kind: "SetNumber", name: key, value: typed }),
      );
    }
  }

  private showGains(session: SessionData): void {
    this.law.hidden = !session.gains.length;
    for (const { name, value, low, high } of session.gains) {
      let slider = this.sliders.get(`gain ${name}`);
      if (!slider) {
        const set = (typed: number, dragging: boolean) => this.edit({ kind: "SetGain", name, value: typed }, dragging);
        slider = new Slider(`gain ${name}`, name, false, set, true);
        this.sliders.set(`gain ${name}`, slider);
        this.gains.append(slider.root);
        // The reach stays, else the slider would run away from the hand.
        slider.update({ value, low, high });
      }
      slider.follow(value);
    }
  }

  private field(holder: HTMLElement, key: string, label: string, value: number, onChange: (value: number) => void): void {
    let input = this.fields.get(key);
    if (!input) {
      input = element("input", { type: "number", step: "any", "aria-label": key });
      input.addEventListener("change", () => onChange(Number(input!.value)));
      this.fields.set(key, input);
      holder.append(element("label", {}, label, input));
    }
    if (document.activeElement !== input) input.value = String(Number(value.toPrecision(6)));
  }

  private showScene(message: SceneMessage, block: ArrayBuffer): void {
    this.showStatus(message.status);
    if (this.viewer?.renew(message.header, block)) {
      // The same bodies: only their movement is new.
    } else {
      this.viewer?.dispose();
      const holder = element("div", {});
      this.stage.replaceChildren(holder);
      this.viewer = new Viewer(holder, message.header, block, (time) => this.showTime(time));
    }
    const compared = message.summary.some((fact) => fact.pinned !== null);
    const rows = message.summary.map((fact) => {
      const now = element("td", { "data-testid": `summary-${fact.name}` }, fact.value === null ? "NaN" : fact.value.toPrecision(6));
      const cells = compared ? [fact.pinned === null ? "" : fact.pinned.toPrecision(6), change(fact.value, fact.pinned)] : [];
      return element("tr", {}, element("th", { scope: "row" }, fact.label), now, element("td", {}, fact.unit), ...cells.map((text) => element("td", {}, text)));
    });
    const head = ["", "Now", "", ...(compared ? ["Pinned", "Change"] : [])].map((text) => element("td", {}, text));
    this.summary.replaceChildren(element("tr", {}, ...head), ...rows);
    this.notes.replaceChildren(...message.notes.map((note) => element("li", {}, note)));
    this.noteCount.textContent = message.notes.length ? `Notes (${message.notes.length})` : "No notes";
  }

  private onKey(event: KeyboardEvent): void {
    if (!(event.ctrlKey || event.metaKey) || event.target instanceof HTMLInputElement) return;
    if (event.key === "z" && !event.shiftKey) this.connection.send({ kind: "undo" });
    else if (event.key === "y" || (event.key === "z" && event.shiftKey)) this.connection.send({ kind: "redo" });
    else return;
    event.preventDefault();
  }
}

/** What changed since the pinned run, with its part of it. */
function change(now: number | null, before: number | null): string {
  if (now === null || before === null) return "";
  const difference = now - before;
  if (difference === 0) return "–";
  const part = Math.abs(before) > 1e-9 ? ` (${difference > 0 ? "+" : ""}${((100 * difference) / Math.abs(before)).toFixed(1)} %)` : "";
  return `${difference > 0 ? "+" : ""}${difference.toPrecision(3)}${part}`;
}

function fold(title: string, ...content: HTMLElement[]): HTMLElement {
  return element("details", {}, element("summary", {}, title), ...content);
}

const root = document.getElementById("studio")!;
const token = location.hash.slice(1);
if (token) new Studio(root, token);
else root.replaceChildren(element("p", { class: "failure" }, "Open the full address that the studio printed, including the part after #."));
