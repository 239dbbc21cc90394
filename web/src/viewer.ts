// The viewer: a stage, a clock, switches, and plots, in any element of a page.
import { button, choice, element, icon, toggle } from "./dom";
import { Player } from "./player";
import { Plots } from "./plots";
import { Block, checked, type SceneData } from "./scene";
import { Stage, type Preset } from "./stage";
import { BODIES, DARK, LIGHT } from "./theme";

const KEPT = 7;
const VIEWS: [string, string][] = [
  ["free", "Free view"],
  ["sagittal", "Sagittal"],
  ["frontal", "Frontal"],
  ["above", "From above"],
];
const SPEEDS: [string, string][] = [
  ["0.1", "0.1×"],
  ["0.25", "0.25×"],
  ["0.5", "0.5×"],
  ["1", "1×"],
  ["2", "2×"],
];

export class Viewer {
  private stage!: Stage;
  private plots!: Plots;
  private readonly player: Player;
  private readonly scrubber = element("input", { type: "range", class: "scrubber", "aria-label": "Time", step: "any" });
  private readonly clock = element("output", { class: "clock", "data-testid": "clock" });
  private readonly playButton: HTMLButtonElement;
  private block: Block;
  private data: SceneData;
  private kept = true;
  private dark = matchMedia("(prefers-color-scheme: dark)").matches;

  constructor(
    private readonly root: HTMLElement,
    header: SceneData,
    buffer: ArrayBuffer,
    private readonly onTime: (time: number) => void = () => {},
  ) {
    this.data = checked(header);
    this.block = new Block(buffer);
    root.classList.add("myodyne-viewer");
    const [start, end] = this.span();
    this.player = new Player(start, end, (time) => this.showTime(time), (playing) => this.showPlaying(playing));
    this.player.speed = this.data.speed;
    this.playButton = button("Play", "play", () => this.player.toggle());
    this.scrubber.min = String(start);
    this.scrubber.max = String(end);
    this.scrubber.addEventListener("input", () => {
      this.player.pause();
      this.player.seek(Number(this.scrubber.value));
    });
    this.build();
  }

  /** Shows another movement of the same bodies; false if the bodies are others, and the viewer must be made anew. */
  renew(header: SceneData, buffer: ArrayBuffer): boolean {
    const block = new Block(buffer);
    if (!this.stage.renew(checked(header), block)) return false;
    this.data = header;
    this.block = block;
    [this.player.start, this.player.end] = this.span();
    this.scrubber.min = String(this.player.start);
    this.scrubber.max = String(this.player.end);
    this.plots.renew(header.actors, block);
    this.keep(this.kept);
    this.player.seek(this.player.time);
    return true;
  }

  /** The room that shows the bodies. */
  get room(): Stage {
    return this.stage;
  }

  /** Stays at the time shown. */
  pause(): void {
    this.player.pause();
  }

  /** Goes to the beginning and stays there. */
  rewind(): void {
    this.pause();
    this.player.seek(this.player.start);
  }

  dispose(): void {
    this.player.pause();
    this.stage.dispose();
    this.root.replaceChildren();
  }

  private span(): [number, number] {
    const times = this.data.actors.map((actor) => this.block.array(actor.times));
    return [Math.min(...times.map((all) => all[0]!)), Math.max(...times.map((all) => all[all.length - 1]!))];
  }

  private build(): void {
    const theme = this.dark ? DARK : LIGHT;
    this.root.classList.toggle("dark", this.dark);
    const view = element("div", { class: "stage" });
    this.root.replaceChildren(this.header(), view);
    this.stage = new Stage(view, this.data, this.block, theme);
    this.plots = new Plots(this.data.actors, this.block, theme, (time) => this.player.seek(time));
    if (this.player.duration > 0) this.root.append(this.timeline());
    this.root.append(this.switches());
    if (!this.plots.empty) {
      this.root.append(this.plots.root);
      this.plots.draw();
    }
    this.keep(this.kept);
    this.root.tabIndex = 0;
    this.root.onkeydown = (event) => this.onKey(event);
    this.player.seek(this.player.time);
  }

  private header(): HTMLElement {
    const legend = this.data.actors.map((actor, number) => {
      const patch = element("span", { class: "patch" });
      patch.style.background = BODIES[number % BODIES.length]!;
      const note = element("small", {}, actor.note);
      return element("span", { class: "entry" }, patch, actor.label, note);
    });
    return element("header", {}, ...legend);
  }

  private timeline(): HTMLElement {
    const speed = choice("Speed", SPEEDS, String(this.data.speed), (value) => (this.player.speed = Number(value)));
    if (!speed.value) {
      speed.append(element("option", { value: String(this.data.speed) }, `${this.data.speed}×`));
      speed.value = String(this.data.speed);
    }
    return element(
      "div",
      { class: "timeline", role: "group", "aria-label": "Playback" },
      this.playButton,
      button("Previous frame", "back", () => this.step(-1)),
      button("Next frame", "forward", () => this.step(1)),
      this.scrubber,
      this.clock,
      speed,
    );
  }

  private switches(): HTMLElement {
    const actors = (apply: (actor: Stage["actors"][number]) => void) => {
      this.stage.actors.forEach(apply);
      this.player.seek(this.player.time);
    };
    const has = (part: "lines" | "arrows" | "points") => this.data.actors.some((actor) => actor[part].length);
    const row = element("div", { class: "switches", role: "group", "aria-label": "View" });
    row.append(choice("View", VIEWS, this.data.planar ? "sagittal" : "free", (value) => this.stage.look(value as Preset)));
    if (has("lines")) row.append(toggle("Muscles", true, (on) => actors((actor) => actor.showMuscles(on))));
    if (has("arrows")) row.append(toggle("Forces", true, (on) => actors((actor) => actor.showForces(on))));
    if (has("points")) row.append(toggle("Markers", false, (on) => actors((actor) => actor.showMarkers(on))));
    if (this.player.duration > 0) {
      row.append(toggle("Trail", true, (on) => actors((actor) => actor.showTrail(on))));
      row.append(
        toggle("Kept poses", this.kept, (on) => {
          this.keep(on);
          this.stage.render();
        }),
      );
      row.append(toggle("Follow", false, (on) => this.stage.setFollow(on, this.player.time)));
    }
    if (this.data.actors.length > 1) row.append(toggle("Side by side", this.data.beside, (on) => this.stage.setBeside(on)));
    if (!this.plots.empty) {
      row.append(toggle("Degrees", true, (on) => this.replot(() => (this.plots.degrees = on))));
      row.append(toggle("Percent", false, (on) => this.replot(() => (this.plots.percent = on))));
    }
    row.append(
      button("Save a picture", "picture", () => this.savePicture()),
      button("Light or dark", "theme", () => this.switchTheme()),
    );
    return row;
  }

  private replot(change: () => void): void {
    change();
    this.plots.draw();
    this.plots.setTime(this.player.time);
  }

  private keep(on: boolean): void {
    this.kept = on;
    for (const actor of this.stage.actors) actor.keepPoses(on && this.stage.actors.length === 1 ? KEPT : 0);
  }

  private step(frames: number): void {
    this.player.pause();
    const count = this.block.array(this.data.actors[0]!.times).length;
    this.player.seek(this.player.time + (frames * this.player.duration) / Math.max(count - 1, 1));
  }

  private showTime(time: number): void {
    this.stage.pose(time);
    this.plots.setTime(time);
    this.onTime(time);
    this.scrubber.value = String(time);
    const percent = (100 * (time - this.player.start)) / Math.max(this.player.duration, 1e-9);
    this.clock.textContent = this.plots.percent ? `${percent.toFixed(1)} %` : `${time.toFixed(3)} s`;
  }

  private showPlaying(playing: boolean): void {
    this.playButton.replaceChildren(icon(playing ? "pause" : "play"));
    this.playButton.setAttribute("aria-label", playing ? "Pause" : "Play");
    this.playButton.title = playing ? "Pause" : "Play";
  }

  private onKey(event: KeyboardEvent): void {
    const field = event.target instanceof HTMLInputElement || event.target instanceof HTMLSelectElement;
    if (field || event.target instanceof HTMLButtonElement) return;
    if (event.key === " ") this.player.toggle();
    else if (event.key === "ArrowRight") this.step(1);
    else if (event.key === "ArrowLeft") this.step(-1);
    else return;
    event.preventDefault();
  }

  private savePicture(): void {
    const link = element("a", { href: this.stage.picture(), download: `${this.data.title || "movement"}.png` });
    link.click();
  }

  private switchTheme(): void {
    this.dark = !this.dark;
    this.player.pause();
    this.stage.dispose();
    this.build();
  }
}
