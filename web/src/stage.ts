// The room in which actors move: camera, light, ground.
import * as three from "three";
import { OrbitControls } from "three/examples/jsm/controls/OrbitControls.js";
import { Actor } from "./actor";
import { Block, type SceneData } from "./scene";
import { BODIES, type Theme } from "./theme";

export type Preset = "sagittal" | "frontal" | "above" | "free";

// So long (ms) nothing moves before the picture is drawn as finely as possible.
const REST = 250;

let software: boolean | undefined;

/** Whether the browser draws without a graphics card, as on servers and in virtual machines. */
function drawnBySoftware(): boolean {
  if (software === undefined) {
    const probe = document.createElement("canvas").getContext("webgl2");
    const names = probe?.getExtension("WEBGL_debug_renderer_info");
    const name = probe && names ? String(probe.getParameter(names.UNMASKED_RENDERER_WEBGL)) : "";
    software = /swiftshader|llvmpipe|software|basic render/i.test(name);
    probe?.getExtension("WEBGL_lose_context")?.loseContext();
  }
  return software;
}

export class Stage {
  readonly actors: Actor[] = [];
  readonly canvas: HTMLCanvasElement;
  follow = false;
  private readonly renderer: three.WebGLRenderer;
  private readonly scene = new three.Scene();
  readonly camera = new three.PerspectiveCamera(28, 1, 0.01, 200);
  private readonly controls: OrbitControls;
  private readonly last = new three.Vector3();
  private readonly box = new three.Box3();
  private readonly observer: ResizeObserver;
  private request = 0;
  private rest = 0;

  constructor(
    private readonly holder: HTMLElement,
    private data: SceneData,
    block: Block,
    readonly theme: Theme,
  ) {
    this.renderer = new three.WebGLRenderer({ antialias: !drawnBySoftware() });
    this.renderer.setPixelRatio(this.ratio(false));
    this.canvas = this.renderer.domElement;
    this.canvas.setAttribute("role", "img");
    this.canvas.setAttribute("aria-label", `Moving view of ${data.title}`);
    holder.append(this.canvas);
    this.scene.background = new three.Color(theme.paper);
    this.scene.add(new three.HemisphereLight(0xffffff, 0x8d8d99, 2.2));
    const sun = new three.DirectionalLight(0xffffff, 1.4);
    sun.position.set(1.5, 3, 2.5);
    this.scene.add(sun);
    data.actors.forEach((actor, number) => {
      const shown = new Actor(actor, block, BODIES[number % BODIES.length]!, number ? 0.55 : 1, theme);
      this.actors.push(shown);
      this.scene.add(shown.group);
    });
    this.measure();
    if (data.beside) this.setBeside(true);
    this.addGround();
    this.controls = new OrbitControls(this.camera, this.canvas);
    this.controls.addEventListener("change", () => this.render());
    this.observer = new ResizeObserver(() => this.resize());
    this.observer.observe(holder);
    this.resize();
    this.look(data.planar ? "sagittal" : "free");
  }

  /** Gives the actors another movement; false if they have other bodies. */
  renew(data: SceneData, block: Block): boolean {
    const same =
      data.actors.length === this.actors.length && this.actors.every((actor, number) => actor.renew(data.actors[number]!, block));
    if (same) this.data = data;
    return same;
  }

  /** Moves all actors to a time and draws. */
  pose(time: number): void {
    for (const actor of this.actors) actor.pose(time);
    if (this.follow && this.actors[0]) {
      const now = this.actors[0].place(time, new three.Vector3());
      const step = now.clone().sub(this.last);
      step.y = 0;
      this.camera.position.add(step);
      this.controls.target.add(step);
      this.last.copy(now);
    }
    this.draw();
  }

  setFollow(follow: boolean, time: number): void {
    this.follow = follow;
    this.actors[0]?.place(time, this.last);
  }

  /** Sets actors side by side, one behind the other as seen from the right, or back on top of each other. */
  setBeside(beside: boolean): void {
    const width = this.data.planar ? 0.5 : Math.max(0.8, (this.box.max.z - this.box.min.z) * 1.2);
    this.actors.forEach((actor, number) => {
      actor.group.position.z = beside ? -width * number : 0;
    });
    this.render();
  }

  look(preset: Preset): void {
    const middle = this.box.getCenter(new three.Vector3());
    const size = this.box.getSize(new three.Vector3());
    const across = preset === "frontal" ? size.z : size.x;
    const aspect = Math.max(this.camera.aspect, 0.2);
    const reach = Math.max(size.y, across / aspect, 0.2) * 0.62;
    const distance = reach / Math.tan((this.camera.fov * Math.PI) / 360) + 0.5 * (preset === "frontal" ? size.x : size.z);
    const directions: Record<Preset, three.Vector3> = {
      sagittal: new three.Vector3(0, 0, 1),
      frontal: new three.Vector3(1, 0.05, 0),
      above: new three.Vector3(0, 1, 0.001),
      free: new three.Vector3(0.55, 0.25, 1),
    };
    this.controls.target.copy(middle);
    this.camera.position.copy(middle).addScaledVector(directions[preset].normalize(), distance);
    this.controls.update();
    this.render();
  }

  picture(): string {
    this.draw(true);
    return this.canvas.toDataURL("image/png");
  }

  /** Draws with the next frame, once however often it is asked for. */
  render(): void {
    this.request ||= requestAnimationFrame(() => this.draw());
  }

  /** Draws now. Software smooths edges too slowly for what moves: it draws finely when all is at rest. */
  draw(fine = false): void {
    cancelAnimationFrame(this.request);
    clearTimeout(this.rest);
    this.request = 0;
    if (this.renderer.getPixelRatio() !== this.ratio(fine)) this.renderer.setPixelRatio(this.ratio(fine));
    this.renderer.render(this.scene, this.camera);
    if (drawnBySoftware() && !fine) this.rest = window.setTimeout(() => this.draw(true), REST);
  }

  private ratio(fine: boolean): number {
    if (drawnBySoftware()) return fine ? 2 : 1;
    return Math.min(window.devicePixelRatio, 2);
  }

  dispose(): void {
    cancelAnimationFrame(this.request);
    clearTimeout(this.rest);
    this.observer.disconnect();
    this.controls.dispose();
    this.renderer.dispose();
    this.canvas.remove();
  }

  /** The space that all actors pass through. */
  private measure(): void {
    for (const actor of this.actors) {
      for (let part = 0; part <= 12; part++) {
        actor.pose(actor.start + (part / 12) * (actor.end - actor.start));
        this.box.expandByObject(actor.group);
      }
    }
    if (this.data.ground) this.box.min.y = Math.min(this.box.min.y, 0);
  }

  private addGround(): void {
    if (!this.data.ground) return;
    const size = this.box.getSize(new three.Vector3());
    const reach = Math.ceil(Math.max(size.x, size.z, 1) + 2);
    const grid = new three.GridHelper(2 * reach, 4 * reach, this.theme.grid, this.theme.grid);
    const middle = this.box.getCenter(new three.Vector3());
    grid.position.set(Math.round(middle.x), 0, Math.round(middle.z));
    const lines = grid.material as three.LineBasicMaterial;
    lines.transparent = true;
    lines.opacity = 0.55;
    this.scene.add(grid);
  }

  private resize(): void {
    const width = Math.max(this.holder.clientWidth, 50);
    const height = Math.max(this.holder.clientHeight, 50);
    this.renderer.setSize(width, height);
    this.camera.aspect = width / height;
    this.camera.updateProjectionMatrix();
    this.render();
  }
}
