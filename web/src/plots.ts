// Columns of the runs over time: searched by name, shown together.
import uPlot from "uplot";
import { element } from "./dom";
import type { ActorData, Block } from "./scene";
import { LINES, type Theme } from "./theme";

const MISSING = 65535;
const MOST_LISTED = 60;
const DEGREES = 180 / Math.PI;

interface Column {
  name: string;
  unit: string;
  // Only the columns that are looked at are turned into numbers.
  runs: { label: string; times: Float32Array; values: () => Float64Array }[];
}

/** A plot of the columns of one unit; the time shown is a line above it, so that nothing is drawn again while it moves. */
interface Panel {
  unit: string;
  names: string;
  plot: uPlot;
  cursor: HTMLElement;
  observer: ResizeObserver;
}

export class Plots {
  readonly root = element("section", { class: "plots", "aria-label": "Plots" });
  degrees = true;
  percent = false;
  private readonly columns = new Map<string, Column>();
  private readonly chosen: string[] = [];
  private readonly search = element("input", { type: "search", placeholder: "Plot: search by name", "aria-label": "Search columns to plot" });
  private readonly list = element("ul", { class: "columns", "aria-label": "Columns" });
  private readonly drawings = element("div", { class: "drawings", role: "group", tabindex: 0, "aria-label": "Plots" });
  private panels: Panel[] = [];
  private time = 0;

  constructor(
    actors: ActorData[],
    block: Block,
    private readonly theme: Theme,
    private readonly onSeek: (time: number) => void,
  ) {
    for (const actor of actors) this.read(actor, block);
    this.search.addEventListener("input", () => this.listMatches(this.search.value));
    this.root.append(element("div", { class: "chooser" }, this.search, this.list), this.drawings);
    for (const name of this.startingColumns()) this.chosen.push(name);
    this.listMatches("");
  }

  get empty(): boolean {
    return this.columns.size === 0;
  }

  /** Takes the columns of another movement and draws those that were chosen. */
  renew(actors: ActorData[], block: Block): void {
    const before = this.columns.size;
    this.columns.clear();
    for (const actor of actors) this.read(actor, block);
    // A motor that was added has columns of its own.
    if (this.columns.size !== before) this.listMatches(this.search.value);
    this.draw();
  }

  setTime(time: number): void {
    this.time = time;
    for (const panel of this.panels) this.placeCursor(panel);
  }

  /** Draws what is chosen; panels with the same lines as before take their new numbers. */
  draw(): void {
    const groups = [...this.byUnit()].map(([unit, columns]) => ({ unit, columns, names: this.names(columns) }));
    const same = groups.length === this.panels.length && groups.every(({ unit, names }, place) => this.panels[place]!.unit === unit && this.panels[place]!.names === names);
    if (same) {
      groups.forEach(({ columns }, place) => this.panels[place]!.plot.setData(this.table(columns)));
      return;
    }
    for (const { plot, observer } of this.panels) {
      observer.disconnect();
      plot.destroy();
    }
    this.panels = [];
    this.drawings.replaceChildren();
    for (const { unit, columns, names } of groups) this.drawPanel(unit, columns, names);
  }

  /** What the lines of a panel and its axis are called. */
  private names(columns: Column[]): string {
    return JSON.stringify([this.percent, columns.map(({ name, runs }) => [name, runs.map(({ label }) => label)])]);
  }

  private table(columns: Column[]): uPlot.AlignedData {
    const tables = columns.flatMap((column) => column.runs.map((run) => [this.across(run.times), this.scaled(column, run.values())] as uPlot.AlignedData));
    return tables.length === 1 ? tables[0]! : uPlot.join(tables);
  }

  private read(actor: ActorData, block: Block): void {
    if (!actor.series) return;
    const times = block.array(actor.series.times) as Float32Array;
    const { names, units } = actor.series;
    const low = block.array(actor.series.low);
    const size = block.array(actor.series.size);
    const table = block.array(actor.series.values);
    names.forEach((name, row) => {
      const steps = table.subarray(row * times.length, (row + 1) * times.length);
      const values = () => Float64Array.from(steps, (step) => (step === MISSING ? NaN : low[row]! + step * size[row]!));
      const known = this.columns.get(name) ?? { name, unit: units[row]!, runs: [] };
      known.runs.push({ label: actor.label, times, values });
      this.columns.set(name, known);
    });
  }

  /** Coordinates that turn, as they are what most people look at first. */
  private startingColumns(): string[] {
    const names = [...this.columns.values()].filter((column) => !column.name.includes(".") && moves(column));
    const angles = names.filter((column) => column.unit === "rad");
    return (angles.length ? angles : names).slice(0, 3).map((column) => column.name);
  }

  private listMatches(text: string): void {
    const words = text.toLowerCase().split(/\s+/).filter(Boolean);
    const found = [...this.columns.keys()].filter((name) => words.every((word) => name.toLowerCase().includes(word)));
    const chosen = this.chosen.filter((name) => !found.includes(name));
    const shown = [...chosen, ...found].slice(0, MOST_LISTED);
    const items = shown.map((name) => this.item(name));
    if (found.length > MOST_LISTED) items.push(element("li", { class: "more" }, `${found.length - MOST_LISTED} more: refine the search`));
    if (!found.length) items.push(element("li", { class: "more" }, "No column of that name."));
    this.list.replaceChildren(...items);
  }

  private item(name: string): HTMLLIElement {
    const box = element("input", { type: "checkbox" });
    box.checked = this.chosen.includes(name);
    box.addEventListener("change", () => {
      if (box.checked) this.chosen.push(name);
      else this.chosen.splice(this.chosen.indexOf(name), 1);
      this.draw();
    });
    return element("li", {}, element("label", {}, box, name));
  }

  private byUnit(): Map<string, Column[]> {
    const groups = new Map<string, Column[]>();
    for (const name of this.chosen) {
      const column = this.columns.get(name);
      if (!column) continue;
      const unit = this.degrees ? column.unit.replace("rad", "°") : column.unit;
      groups.set(unit, [...(groups.get(unit) ?? []), column]);
    }
    return groups;
  }

  private drawPanel(unit: string, columns: Column[], names: string): void {
    const holder = element("div", { class: "panel" });
    this.drawings.append(holder);
    const runs = columns.flatMap((column) => column.runs.map((run) => ({ column, run })));
    const several = new Set(runs.map(({ run }) => run.label)).size > 1;
    const series = runs.map(({ column, run }, number) => ({
      label: several ? `${column.name}, ${run.label}` : column.name,
      stroke: LINES[number % LINES.length]!,
      width: 1.6,
      spanGaps: true,
      value: (_: uPlot, value: number | null) => (value === null ? "" : value.toPrecision(4)),
    }));
    const axis = { stroke: this.theme.ink, grid: { stroke: this.theme.grid, width: 0.5 }, ticks: { stroke: this.theme.grid, width: 0.5 } };
    const plot = new uPlot(
      {
        width: Math.max(holder.clientWidth, 240),
        height: 170,
        scales: { x: { time: false } },
        series: [{ label: this.percent ? "% of cycle" : "time (s)" }, ...series],
        axes: [axis, { ...axis, label: unit, size: 58, labelSize: 18 }],
        cursor: { drag: { x: false, y: false } },
        hooks: { draw: [(drawn) => this.placeCursor(this.panels.find(({ plot }) => plot === drawn))], ready: [(ready) => this.seekOnClick(ready)] },
      },
      this.table(columns),
      holder,
    );
    const cursor = element("div", { class: "now" });
    plot.over.append(cursor);
    const observer = new ResizeObserver(() => plot.setSize({ width: Math.max(holder.clientWidth, 240), height: 170 }));
    observer.observe(holder);
    const panel = { unit, names, plot, cursor, observer };
    this.panels.push(panel);
    this.placeCursor(panel);
  }

  private across(times: Float32Array): Float64Array {
    const first = times[0]!;
    const whole = times[times.length - 1]! - first;
    return Float64Array.from(times, (time) => (this.percent ? (100 * (time - first)) / whole : time));
  }

  private scaled(column: Column, values: Float64Array): (number | null)[] {
    const factor = this.degrees && column.unit.startsWith("rad") ? DEGREES : 1;
    return Array.from(values, (value) => (Number.isNaN(value) ? null : factor * value));
  }

  private span(): [number, number] {
    const run = [...this.columns.values()][0]!.runs[0]!;
    return [run.times[0]!, run.times[run.times.length - 1]!];
  }

  private placeCursor(panel: Panel | undefined): void {
    if (!panel) return;
    const [first, last] = this.span();
    const value = this.percent ? (100 * (this.time - first)) / (last - first) : this.time;
    const x = panel.plot.valToPos(value, "x");
    panel.cursor.style.transform = `translateX(${x}px)`;
    panel.cursor.hidden = !(x >= 0 && x <= panel.plot.bbox.width / devicePixelRatio);
  }

  private seekOnClick(plot: uPlot): void {
    plot.over.addEventListener("click", (event) => {
      const value = plot.posToVal(event.offsetX, "x");
      const [first, last] = this.span();
      this.onSeek(this.percent ? first + (value / 100) * (last - first) : value);
    });
  }
}

function moves(column: Column): boolean {
  return column.runs.some((run) => {
    let low = Infinity;
    let high = -Infinity;
    for (const value of run.values()) {
      low = Math.min(low, value);
      high = Math.max(high, value);
    }
    return high - low > 1e-9;
  });
}
