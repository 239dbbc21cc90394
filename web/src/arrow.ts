// An arrow with a shaft that is seen from afar: lines are one pixel wide in every browser.
import * as three from "three";

const SHAFT = 0.012;
const HEAD = 0.032;
const HEAD_LENGTH = 0.08;
const UP = new three.Vector3(0, 1, 0);

export class Arrow extends three.Group {
  private readonly shaft: three.Mesh;
  private readonly head: three.Mesh;

  constructor(colour: three.ColorRepresentation) {
    super();
    const material = new three.MeshStandardMaterial({ color: colour, roughness: 0.6 });
    // Both stand on the origin along y with unit length, so that scaling sets their length.
    this.shaft = new three.Mesh(new three.CylinderGeometry(SHAFT, SHAFT, 1, 12).translate(0, 0.5, 0), material);
    this.head = new three.Mesh(new three.ConeGeometry(HEAD, 1, 16).translate(0, 0.5, 0), material);
    this.add(this.shaft, this.head);
  }

  /** Point along a unit vector, with a length in metres. */
  point(direction: three.Vector3, length: number): void {
    this.quaternion.setFromUnitVectors(UP, direction);
    const head = Math.min(HEAD_LENGTH, 0.5 * length);
    const thick = head / HEAD_LENGTH;
    this.shaft.scale.set(thick, Math.max(length - head, 1e-4), thick);
    this.head.position.y = length - head;
    this.head.scale.set(thick, head, thick);
  }
}
