// Freeze a coordinate at its start, or let it follow another; one row for each.
import type { SessionData } from "./connection";
import { element } from "./dom";

// An arm swings by so much of the angle of the opposite leg; the rows below change it.
const ARM_SWING = 0.6;

export class Ties {
  readonly root = element("details", {}, element("summary", {}, "Freeze or couple"));
  private readonly list = element("div", { class: "ties" });
  private readonly arms = element("input", { type: "checkbox", "aria-label": "Couple arms to opposite legs" });
  private readonly armsRow = element("label", { class: "toggle" }, this.arms, "Couple arms to opposite legs");
  private shown = "";

  constructor(private readonly edit: (edit: object) => void) {
    this.arms.addEventListener("change", () => this.edit({ kind: "CoupleArms", slope: this.arms.checked ? ARM_SWING : 0 }));
    this.root.append(this.armsRow, element("p", { class: "more" }, "A coupled coordinate changes as a multiple of another, from where both start; 0 frees it."), this.list);
  }

  update(session: SessionData): void {
    this.armsRow.hidden = !session.arms.length;
    this.arms.checked = session.arms.length > 0 && session.arms.every((arm) => session.ties.some((tie) => tie.coordinate === arm && !tie.frozen));
    // Rows are made anew only where they differ, so that the focus stays.
    const now = JSON.stringify([session.start.map(({ name }) => name), session.ties]);
    if (now === this.shown) return;
    this.shown = now;
    const names = session.start.map(({ name }) => name);
    this.root.hidden = names.length === 0;
    const focus = document.activeElement?.getAttribute("aria-label");
    this.list.replaceChildren(...names.map((name) => this.row(name, names, session.ties.find((tie) => tie.coordinate === name))));
    if (focus) [...this.list.querySelectorAll<HTMLElement>("[aria-label]")].find((one) => one.getAttribute("aria-label") === focus)?.focus();
  }

  private row(name: string, names: string[], tie: SessionData["ties"][number] | undefined): HTMLElement {
    const box = element("input", { type: "checkbox", "aria-label": `freeze ${name}` });
    box.checked = tie?.frozen ?? false;
    box.addEventListener("change", () => this.edit({ kind: "Freeze", coordinate: name, on: box.checked }));
    const other = element("select", { "aria-label": `${name} follows` }, element("option", { value: "" }, "free"));
    for (const one of names) if (one !== name) other.append(element("option", { value: one }, one));
    other.value = tie?.other ?? "";
    const slope = element("input", { type: "number", step: "any", "aria-label": `${name} follows by` });
    slope.value = String(tie && !tie.frozen ? tie.slope : 1);
    slope.disabled = !other.value;
    const couple = () => this.edit({ kind: "Couple", coordinate: name, other: other.value, slope: other.value ? Number(slope.value) : 0 });
    other.addEventListener("change", couple);
    slope.addEventListener("change", couple);
    return element("div", { class: "tie" }, element("span", {}, name), element("label", { class: "toggle" }, box, "frozen"), other, slope);
  }
}
