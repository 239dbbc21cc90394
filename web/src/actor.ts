// One moving body: frames with shapes, muscles as tubes, forces as arrows, markers, and the centre of mass.
import * as three from "three";
import { Arrow } from "./arrow";
import { Block, between, type ActorData } from "./scene";
import { geometryOf, PLAIN } from "./shapes";
import type { Theme } from "./theme";

const UP = new three.Vector3(0, 1, 0);
// An arrow of one body weight is so long (m).
const WEIGHT_LENGTH = 0.6;

interface Tube {
  name: string;
  muscle: boolean;
  radius: number;
  count: number;
  points: Float32Array;
  activation: Uint8Array | null;
  first: number;
}

/** How the frames of bodies are named, so that a hand finds them. */
export const BODY = "body: ";

export class Actor {
  readonly group = new three.Group();
  times: Float32Array;
  centre: Float32Array | null;
  private readonly frames: three.Group[] = [];
  private positions: Float32Array;
  private rotations: Int16Array;
  private readonly tubes: Tube[] = [];
  private readonly rods: three.InstancedMesh | null;
  private readonly arrows: { at: Float32Array; force: Float32Array; shown: Arrow }[] = [];
  private readonly markers: { at: Float32Array; shown: three.Mesh }[] = [];
  private readonly ball: three.Mesh | null = null;
  private kept: three.Mesh | null = null;
  private readonly material: three.MeshLambertMaterial;
  private readonly shaded: three.MeshLambertMaterial;
  // Shapes of the kept poses: pale and many, they need fewer faces than the body itself.
  private readonly plain: { body: number; geometry: three.BufferGeometry }[] = [];
  private trail: three.Line | null = null;

  constructor(
    private data: ActorData,
    block: Block,
    colour: string,
    opacity: number,
    private readonly theme: Theme,
  ) {
    this.times = block.array(data.times) as Float32Array;
    this.positions = block.array(data.positions) as Float32Array;
    this.rotations = block.array(data.rotations) as Int16Array;
    this.material = new three.MeshLambertMaterial({ color: colour, transparent: opacity < 1, opacity });
    this.shaded = this.material.clone();
    this.shaded.color.multiplyScalar(0.62);
    this.buildBodies(block);
    this.rods = this.buildTubes(block, opacity);
    this.buildArrows(block);
    const dot = new three.SphereGeometry(0.009, 10, 8);
    const ink = new three.MeshBasicMaterial({ color: theme.marker });
    for (const point of data.points) {
      const shown = new three.Mesh(dot, ink);
      this.markers.push({ at: block.points(point.at), shown });
      this.group.add(shown);
    }
    this.centre = data.centre ? block.points(data.centre) : null;
    if (this.centre) {
      this.ball = new three.Mesh(new three.SphereGeometry(0.02, 14, 10), new three.MeshBasicMaterial({ color: theme.centre }));
      this.group.add(this.ball);
      this.buildTrail(this.centre);
    }
    this.showMarkers(false);
  }

  /** Takes another movement of the same bodies; false if bodies, shapes or lines differ. */
  renew(data: ActorData, block: Block): boolean {
    if (structure(data) !== structure(this.data)) return false;
    this.data = data;
    this.times = block.array(data.times) as Float32Array;
    this.positions = block.array(data.positions) as Float32Array;
    this.rotations = block.array(data.rotations) as Int16Array;
    data.lines.forEach((line, number) => {
      const tube = this.tubes[number]!;
      tube.points = block.points(line.points);
      tube.activation = line.activation ? (block.array(line.activation) as Uint8Array) : null;
    });
    data.arrows.forEach((arrow, number) => {
      this.arrows[number]!.at = block.points(arrow.at);
      this.arrows[number]!.force = block.points(arrow.force);
    });
    data.points.forEach((point, number) => (this.markers[number]!.at = block.points(point.at)));
    if (data.centre && this.trail) {
      this.centre = block.points(data.centre);
      this.trail.geometry.dispose();
      this.trail.geometry = new three.BufferGeometry();
      this.trail.geometry.setAttribute("position", new three.BufferAttribute(this.centre, 3));
    }
    return true;
  }

  get start(): number {
    return this.times[0]!;
  }

  get end(): number {
    return this.times[this.times.length - 1]!;
  }

  /** Moves everything to a time (s). */
  pose(time: number): void {
    const [frame, part] = between(this.times, time);
    this.poseFrames(this.frames, frame, part);
    this.poseTubes(frame, part);
    for (const arrow of this.arrows) this.poseArrow(arrow, frame, part);
    for (const marker of this.markers) mixed(marker.at, frame, part, 0, 3, marker.shown.position);
    if (this.ball && this.centre) mixed(this.centre, frame, part, 0, 3, this.ball.position);
  }

  /** Where the centre of mass is, or the first body. */
  place(time: number, into: three.Vector3): three.Vector3 {
    const [frame, part] = between(this.times, time);
    if (this.centre) return mixed(this.centre, frame, part, 0, 3, into);
    return mixed(this.positions, frame, part, 0, 3 * this.data.bodies.length, into);
  }

  showMuscles(visible: boolean): void {
    if (this.rods) this.rods.visible = visible;
  }

  showMarkers(visible: boolean): void {
    for (const marker of this.markers) marker.shown.visible = visible;
  }

  showForces(visible: boolean): void {
    for (const arrow of this.arrows) arrow.shown.userData.wanted = visible;
  }

  showTrail(visible: boolean): void {
    if (this.trail) this.trail.visible = visible;
  }

  /** Keeps pale copies of the body at equal distances of time. */
  keepPoses(count: number): void {
    const wanted = count < 2 || this.times.length < 2 ? 0 : count;
    if ((this.kept?.userData.count ?? 0) !== wanted) this.buildCopies(wanted);
    if (!this.kept) return;
    const groups = this.frames.map(() => new three.Group());
    const places = this.kept.geometry.getAttribute("position");
    const place = new three.Vector3();
    let vertex = 0;
    for (let number = 0; number < wanted; number++) {
      this.poseFrames(groups, Math.round((number / (wanted - 1)) * (this.times.length - 1)), 0);
      for (const group of groups) group.updateMatrix();
      for (const { body, geometry } of this.plain) {
        const own = geometry.getAttribute("position");
        for (let corner = 0; corner < own.count; corner++) {
          place.fromBufferAttribute(own, corner).applyMatrix4(groups[body]!.matrix);
          places.setXYZ(vertex++, place.x, place.y, place.z);
        }
      }
    }
    places.needsUpdate = true;
  }

  /** One mesh for all copies: drawn one by one, even as instances, they take twice as long without a graphics card. */
  private buildCopies(count: number): void {
    this.kept?.geometry.dispose();
    this.kept?.removeFromParent();
    this.kept = null;
    if (!count || !this.plain.length) return;
    const vertices = this.plain.reduce((sum, { geometry }) => sum + geometry.getAttribute("position").count, 0);
    const faces: number[] = [];
    let first = 0;
    for (let number = 0; number < count; number++) {
      for (const { geometry } of this.plain) {
        const own = geometry.getIndex()!;
        for (let corner = 0; corner < own.count; corner++) faces.push(first + own.getX(corner));
        first += geometry.getAttribute("position").count;
      }
    }
    const copies = new three.BufferGeometry();
    copies.setAttribute("position", new three.BufferAttribute(new Float32Array(3 * count * vertices), 3));
    copies.setIndex(faces);
    const pale = new three.MeshBasicMaterial({ color: this.material.color.clone().multiplyScalar(0.75), transparent: true, opacity: 0.22, depthWrite: false });
    this.kept = new three.Mesh(copies, pale);
    this.kept.userData.count = count;
    this.kept.frustumCulled = false;
    this.group.add(this.kept);
  }

  private buildBodies(block: Block): void {
    for (const body of this.data.bodies) {
      const frame = new three.Group();
      this.frames.push(frame);
      frame.name = BODY + body;
      this.group.add(frame);
    }
    const meshed = new Set(this.data.shapes.filter((shape) => shape.kind === "mesh").map((shape) => shape.body));
    for (const shape of this.data.shapes) {
      // Bones from files replace what was made up for the same body.
      if (shape.kind !== "mesh" && meshed.has(shape.body)) continue;
      const body = this.data.bodies.indexOf(shape.body);
      const geometry = geometryOf(shape, block);
      this.plain.push({ body, geometry: shape.kind === "mesh" ? geometry : geometryOf(shape, block, PLAIN) });
      this.frames[body]!.add(new three.Mesh(geometry, onTheLeft(shape.body) ? this.shaded : this.material));
    }
  }

  private buildTubes(block: Block, opacity: number): three.InstancedMesh | null {
    let first = 0;
    for (const line of this.data.lines) {
      const count = line.points.shape[1]!;
      this.tubes.push({
        name: line.name,
        muscle: line.kind === "muscle",
        radius: line.radius,
        count,
        points: block.points(line.points),
        activation: line.activation ? (block.array(line.activation) as Uint8Array) : null,
        first,
      });
      first += count - 1;
    }
    if (!first) return null;
    const rod = new three.CylinderGeometry(1, 1, 1, 8, 1, true);
    const material = new three.MeshLambertMaterial({ transparent: opacity < 1, opacity });
    const rods = new three.InstancedMesh(rod, material, first);
    rods.frustumCulled = false;
    const colour = new three.Color();
    for (let number = 0; number < first; number++) rods.setColorAt(number, colour);
    this.group.add(rods);
    return rods;
  }

  private buildArrows(block: Block): void {
    for (const arrow of this.data.arrows) {
      const shown = new Arrow(this.theme.arrow);
      shown.userData.wanted = true;
      this.arrows.push({ at: block.points(arrow.at), force: block.points(arrow.force), shown });
      this.group.add(shown);
    }
  }

  private buildTrail(centre: Float32Array): void {
    const line = new three.BufferGeometry();
    line.setAttribute("position", new three.BufferAttribute(centre, 3));
    this.trail = new three.Line(line, new three.LineBasicMaterial({ color: this.theme.centre, transparent: true, opacity: 0.7 }));
    this.group.add(this.trail);
  }

  private poseFrames(groups: three.Group[], frame: number, part: number): void {
    const bodies = this.data.bodies.length;
    const after = part > 0 ? frame + 1 : frame;
    const other = new three.Quaternion();
    groups.forEach((group, body) => {
      mixed(this.positions, frame, part, body, 3 * bodies, group.position);
      const turn = 4 * (frame * bodies + body);
      group.quaternion.fromArray(this.rotations as unknown as number[], turn).normalize();
      if (part > 0) {
        other.fromArray(this.rotations as unknown as number[], 4 * (after * bodies + body)).normalize();
        group.quaternion.slerp(other, part);
      }
    });
  }

  private poseTubes(frame: number, part: number): void {
    if (!this.rods) return;
    const from = new three.Vector3();
    const to = new three.Vector3();
    const along = new three.Vector3();
    const matrix = new three.Matrix4();
    const turn = new three.Quaternion();
    const size = new three.Vector3();
    const rest = new three.Color(this.theme.rest);
    const active = new three.Color(this.theme.active);
    const passive = new three.Color(this.theme.passive);
    const shade = new three.Color();
    for (const tube of this.tubes) {
      shade.copy(tube.muscle ? rest : passive);
      if (tube.activation) {
        const now = tube.activation[frame]!;
        const next = tube.activation[Math.min(frame + 1, tube.activation.length - 1)]!;
        shade.lerp(active, (now + part * (next - now)) / 255);
      }
      mixed(tube.points, frame, part, 0, 3 * tube.count, from);
      for (let number = 1; number < tube.count; number++) {
        mixed(tube.points, frame, part, number, 3 * tube.count, to);
        along.subVectors(to, from);
        const length = along.length();
        // Tubes reach a little over their ends, which closes the gaps at bends.
        size.set(tube.radius, length < 1e-7 ? 0 : length + 0.5 * tube.radius, tube.radius);
        turn.setFromUnitVectors(UP, length < 1e-7 ? UP : along.divideScalar(length));
        from.lerp(to, 0.5);
        this.rods.setMatrixAt(tube.first + number - 1, matrix.compose(from, turn, size));
        this.rods.setColorAt(tube.first + number - 1, shade);
        from.copy(to);
      }
    }
    this.rods.instanceMatrix.needsUpdate = true;
    if (this.rods.instanceColor) this.rods.instanceColor.needsUpdate = true;
  }

  private poseArrow(arrow: { at: Float32Array; force: Float32Array; shown: Arrow }, frame: number, part: number): void {
    const force = mixed(arrow.force, frame, part, 0, 3, new three.Vector3());
    const length = (force.length() / Math.max(this.data.weight, 1e-9)) * WEIGHT_LENGTH;
    arrow.shown.visible = arrow.shown.userData.wanted && length > 0.01;
    if (!arrow.shown.visible) return;
    mixed(arrow.at, frame, part, 0, 3, arrow.shown.position);
    arrow.shown.point(force.normalize(), length);
  }
}

/** What must be equal for one movement to take the place of another. */
function structure(data: ActorData): string {
  const lines = data.lines.map((line) => [line.name, line.points.shape[1]]);
  const shapes = data.shapes.map((shape) => [shape.kind, shape.body]);
  const names = [...data.arrows, ...data.points].map((part) => part.name);
  return JSON.stringify([data.bodies, shapes, lines, names, data.centre !== null]);
}

/** Whether a name says that a body is of the left side; seen from the right, it is then darker. */
function onTheLeft(body: string): boolean {
  return /(^|[_. ])(l|left)($|[_. ])/i.test(body);
}

/** Point `number` of frame `frame`, a part of the way to the next frame; `stride` numbers make a frame. */
function mixed(
  values: Float32Array,
  frame: number,
  part: number,
  number: number,
  stride: number,
  into: three.Vector3,
): three.Vector3 {
  const place = frame * stride + 3 * number;
  into.set(values[place]!, values[place + 1]!, values[place + 2]!);
  if (part > 0) {
    const next = place + stride;
    into.x += part * (values[next]! - into.x);
    into.y += part * (values[next + 1]! - into.y);
    into.z += part * (values[next + 2]! - into.z);
  }
  return into;
}
