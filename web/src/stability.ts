// Eigenvalues at the time shown: how small disturbances grow, die out or swing.
import type { EigenvaluesMessage } from "./connection";
import { element, textButton } from "./dom";

export class Stability {
  readonly root: HTMLElement;
  private readonly table = element("table", { class: "summary", "aria-label": "Eigenvalues" });
  private readonly when = element("p", { class: "more", "aria-live": "polite" }, "Small disturbances of the movement at the time shown.");

  constructor(ask: () => void) {
    this.root = element("details", {}, element("summary", {}, "Eigenvalues"), this.when, textButton("At the time shown", ask), this.table);
  }

  show(message: EigenvaluesMessage): void {
    const rows = message.values.filter(([, turn]) => turn >= 0).map(([grow, turn]) => {
      const cells = [grow.toPrecision(5), turn ? `± ${turn.toPrecision(5)} i` : "", meaning(grow, turn)];
      return element("tr", {}, ...cells.map((text) => element("td", {}, text)));
    });
    const growing = message.values.filter(([grow]) => grow > 1e-6).length;
    this.when.textContent = `At ${message.time.toFixed(3)} s: ${growing ? `${growing} of ${message.values.length} grow` : "none grows"} (1/s).`;
    this.table.replaceChildren(...rows);
  }
}

function meaning(grow: number, turn: number): string {
  const change = Math.abs(grow) < 1e-6 ? "stays" : `${grow > 0 ? "doubles" : "halves"} in ${(Math.LN2 / Math.abs(grow)).toPrecision(3)} s`;
  return turn ? `${change}, swings in ${((2 * Math.PI) / turn).toPrecision(3)} s` : change;
}
