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

export class Plots {
  readonly root = element("section", { class: "plots", "aria-label": "Plots" });
  degrees = true;
  percent = false;
  private readonly columns = new Map<string, Column>();
  private readonly chosen: string[] = [];
  private readonly search = element("input", { type: "search", placeholder: "Plot: search by name", "aria-label": "Search columns to plot" });
  private readonly list = element("ul", { class: "columns", "aria-label": "Columns" });
  private readonly drawings = element("div", { class: "drawings", role: "group", tabindex: 0, "aria-label": "Plots" });
  private plots: { plot: uPlot; observer: ResizeObserver }[] = [];
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
    for (const { plot } of this.plots) plot.redraw(false);
  }

  draw(): void {
    for (const { plot, observer } of this.plots) {
      observer.disconnect();
      plot.destroy();
    }
    this.plots = [];
    this.drawings.replaceChildren();
    for (const [unit, columns] of this.byUnit()) this.drawPanel(unit, columns);
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
    if (!found.length) items.push(element("li", { class: "more" }, "No column has such a name."));
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

  private drawPanel(unit: string, columns: Column[]): void {
    const holder = element("div", { class: "panel" });
    this.drawings.append(holder);
    const runs = columns.flatMap((column) => column.runs.map((run) => ({ column, run })));
    const several = new Set(runs.map(({ run }) => run.label)).size > 1;
    const tables = runs.map(({ column, run }) => [this.across(run.times), this.scaled(column, run.values())] as uPlot.AlignedData);
    const data = runs.length === 1 ? tables[0]! : uPlot.join(tables);
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
        hooks: { draw: [(drawn) => this.drawTime(drawn)], ready: [(ready) => this.seekOnClick(ready)] },
      },
      data,
      holder,
    );
    const observer = new ResizeObserver(() => plot.setSize({ width: Math.max(holder.clientWidth, 240), height: 170 }));
    observer.observe(holder);
    this.plots.push({ plot, observer });
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

  private drawTime(plot: uPlot): void {
    const [first, last] = this.span();
    const value = this.percent ? (100 * (this.time - first)) / (last - first) : this.time;
    const x = plot.valToPos(value, "x", true);
    const { ctx, bbox } = plot;
    ctx.save();
    ctx.strokeStyle = this.theme.ink;
    ctx.globalAlpha = 0.6;
    ctx.beginPath();
    ctx.moveTo(x, bbox.top);
    ctx.lineTo(x, bbox.top + bbox.height);
    ctx.stroke();
    ctx.restore();
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
