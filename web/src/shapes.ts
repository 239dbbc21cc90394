// Geometry of what bodies carry.
import * as three from "three";
import type { Block, ShapeData } from "./scene";

/** How fine a shape is: faces around it, and rings of a half sphere. */
interface Detail {
  around: number;
  rings: number;
}

const FINE: Detail = { around: 16, rings: 5 };
export const PLAIN: Detail = { around: 6, rings: 2 };

/** Returns the geometry of a shape, in the axes of its body. */
export function geometryOf(shape: ShapeData, block: Block, detail = FINE): three.BufferGeometry {
  if (shape.kind === "capsule") return capsule(shape.start, shape.end, shape.radius, shape.endRadius, detail);
  if (shape.kind === "ellipsoid") {
    const sphere = new three.SphereGeometry(1, detail.around, 2 * detail.rings);
    return sphere.scale(...shape.radii).translate(...shape.centre);
  }
  const mesh = new three.BufferGeometry();
  mesh.setAttribute("position", new three.BufferAttribute(block.array(shape.vertices), 3));
  mesh.setIndex(new three.BufferAttribute(block.array(shape.faces), 1));
  mesh.computeVertexNormals();
  return mesh;
}

type Vec3 = [number, number, number];

/** A rod with round ends whose radius may change along it: half a circle, a line, half a circle, turned about its axis. */
function capsule(start: Vec3, end: Vec3, radius: number, endRadius: number, { around, rings }: Detail): three.BufferGeometry {
  const from = new three.Vector3(...start);
  const to = new three.Vector3(...end);
  const length = from.distanceTo(to);
  const profile: three.Vector2[] = [];
  for (let step = 0; step <= rings; step++) {
    const angle = -Math.PI / 2 + (step / rings) * (Math.PI / 2);
    profile.push(new three.Vector2(Math.max(radius * Math.cos(angle), 1e-6), radius * Math.sin(angle)));
  }
  for (let step = 0; step <= rings; step++) {
    const angle = (step / rings) * (Math.PI / 2);
    profile.push(new three.Vector2(Math.max(endRadius * Math.cos(angle), 1e-6), length + endRadius * Math.sin(angle)));
  }
  const rod = new three.LatheGeometry(profile, around);
  const turn = new three.Quaternion().setFromUnitVectors(
    new three.Vector3(0, 1, 0),
    to.clone().sub(from).divideScalar(Math.max(length, 1e-9)),
  );
  return rod.applyQuaternion(turn).translate(...start);
}
