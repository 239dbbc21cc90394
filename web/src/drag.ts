// Dragging a body in the view: a point of it is taken, and where it should go is sent.
import * as three from "three";
import { BODY } from "./actor";
import type { Viewer } from "./viewer";

export interface BodyListener {
  /** A point of a body (m, in its own axes) should go to a place (m, in those of the ground). */
  onBody(body: string, point: number[], target: number[], chain: boolean, dragging: boolean): void;
}

interface Held {
  body: string;
  point: number[];
  plane: three.Plane;
  moved: boolean;
}

export class BodyDrag {
  on = false;
  private held: Held | null = null;
  private readonly caster = new three.Raycaster();

  constructor(
    private readonly root: HTMLElement,
    private readonly viewer: () => Viewer | null,
    private readonly listener: BodyListener,
  ) {
    // Before the camera gets them: while a body is held the view stays.
    root.addEventListener("pointerdown", (event) => this.take(event), { capture: true });
    root.addEventListener("pointermove", (event) => this.move(event), { capture: true });
    for (const end of ["pointerup", "pointercancel"] as const) {
      root.addEventListener(end, () => (this.held = null), { capture: true });
    }
  }

  private take(event: PointerEvent): void {
    const viewer = this.viewer();
    if (!this.on || !viewer || event.button !== 0 || event.target !== viewer.room.canvas) return;
    this.aim(event);
    const hit = this.caster.intersectObject(viewer.room.actors[0]!.group, true).find((one) => frameOf(one.object));
    if (!hit) return;
    const frame = frameOf(hit.object)!;
    const facing = viewer.room.camera.getWorldDirection(new three.Vector3());
    this.held = {
      body: frame.name.slice(BODY.length),
      point: frame.worldToLocal(hit.point.clone()).toArray(),
      plane: new three.Plane().setFromNormalAndCoplanarPoint(facing, hit.point),
      moved: false,
    };
    // The pose of one instant is in hand.
    viewer.pause();
    this.root.setPointerCapture(event.pointerId);
    event.stopPropagation();
    event.preventDefault();
  }

  private move(event: PointerEvent): void {
    if (!this.held) return;
    event.stopPropagation();
    this.aim(event);
    const target = this.caster.ray.intersectPlane(this.held.plane, new three.Vector3());
    if (!target) return;
    this.listener.onBody(this.held.body, this.held.point, target.toArray(), event.shiftKey, this.held.moved);
    this.held.moved = true;
  }

  private aim(event: PointerEvent): void {
    const { canvas, camera } = this.viewer()!.room;
    const box = canvas.getBoundingClientRect();
    const place = new three.Vector2(((event.clientX - box.left) / box.width) * 2 - 1, 1 - ((event.clientY - box.top) / box.height) * 2);
    this.caster.setFromCamera(place, camera);
  }
}

function frameOf(object: three.Object3D): three.Object3D | null {
  for (let one: three.Object3D | null = object; one; one = one.parent) if (one.name.startsWith(BODY)) return one;
  return null;
}
