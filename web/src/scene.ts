// A scene as Python packs it: a header of plain data, and one block of bytes that holds the arrays.

export const VERSION = 2;

export interface Packed {
  at: number;
  kind: "f8" | "f4" | "i2" | "u2" | "u4" | "u1";
  shape: number[];
  low?: number[];
  size?: number[];
}

type Vec3 = [number, number, number];

export type ShapeData =
  | { kind: "capsule"; body: string; start: Vec3; end: Vec3; radius: number; endRadius: number }
  | { kind: "ellipsoid"; body: string; centre: Vec3; radii: Vec3 }
  | { kind: "mesh"; body: string; vertices: Packed; faces: Packed };

export interface ActorData {
  label: string;
  note: string;
  weight: number;
  bodies: string[];
  times: Packed;
  positions: Packed;
  rotations: Packed;
  shapes: ShapeData[];
  lines: { name: string; kind: "muscle" | "passive"; radius: number; points: Packed; activation: Packed | null }[];
  arrows: { name: string; at: Packed; force: Packed }[];
  points: { name: string; at: Packed }[];
  centre: Packed | null;
  /** One row of `values` for each name, as steps of `size` above `low`. */
  series: { times: Packed; names: string[]; units: string[]; low: Packed; size: Packed; values: Packed } | null;
}

export interface SceneData {
  version: number;
  title: string;
  planar: boolean;
  ground: boolean;
  speed: number;
  beside: boolean;
  actors: ActorData[];
}

export type Numbers = Float64Array | Float32Array | Int16Array | Uint16Array | Uint32Array | Uint8Array;

/** Reads arrays out of the block. */
export class Block {
  constructor(private readonly buffer: ArrayBuffer) {}

  array(packed: Packed): Numbers {
    const count = packed.shape.reduce((product, size) => product * size, 1);
    switch (packed.kind) {
      case "f8":
        return new Float64Array(this.buffer, packed.at, count);
      case "f4":
        return new Float32Array(this.buffer, packed.at, count);
      case "i2":
        return new Int16Array(this.buffer, packed.at, count);
      case "u2":
        return new Uint16Array(this.buffer, packed.at, count);
      case "u4":
        return new Uint32Array(this.buffer, packed.at, count);
      default:
        return new Uint8Array(this.buffer, packed.at, count);
    }
  }

  /** Points that were stored as fractions of a box. */
  points(packed: Packed): Float32Array {
    const steps = this.array(packed);
    const points = new Float32Array(steps.length);
    const { low = [0, 0, 0], size = [1, 1, 1] } = packed;
    for (let place = 0; place < steps.length; place++) {
      const axis = place % 3;
      points[place] = low[axis]! + (steps[place]! / 65535) * size[axis]!;
    }
    return points;
  }
}

export function checked(header: SceneData): SceneData {
  if (header.version !== VERSION) {
    throw new Error(`This viewer reads scenes of version ${VERSION}, not ${header.version}: install myodyne again.`);
  }
  return header;
}

/** The place of a time between two frames: the frame before it, and how far it is to the next (0 to 1). */
export function between(times: Float32Array, time: number): [number, number] {
  let low = 0;
  let high = times.length - 1;
  if (high === 0 || time <= times[0]!) return [0, 0];
  if (time >= times[high]!) return [high, 0];
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (times[middle]! <= time) low = middle;
    else high = middle;
  }
  return [low, (time - times[low]!) / (times[high]! - times[low]!)];
}
