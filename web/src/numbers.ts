// All numbers of the model, found by its name: the server knows thousands, the page shows a few.
import type { FoundMessage } from "./connection";
import { element } from "./dom";
import { Slider } from "./slider";

export class Numbers {
  readonly root = element("div", {});
  private readonly search = element("input", { type: "search", placeholder: "mass, stiffness, gravity ...", "aria-label": "Search numbers" });
  private readonly list = element("div", {});
  private readonly more = element("p", { class: "more" });
  private sliders = new Map<string, Slider>();

  constructor(
    private readonly onChange: (name: string, value: number) => void,
    private readonly onSearch: (words: string) => void,
  ) {
    this.search.addEventListener("input", () => this.renew());
    this.root.append(this.search, this.list, this.more);
  }

  /** Asks for the numbers again: for other words, or because their values changed. */
  renew(): void {
    if (this.search.value.trim()) this.onSearch(this.search.value);
    else this.list.replaceChildren();
  }

  show(found: FoundMessage): void {
    if (found.words !== this.search.value) return;
    const before = this.sliders;
    this.sliders = new Map();
    for (const data of found.numbers) {
      const slider = before.get(data.name) ?? new Slider(data.name, data.name, false, (value) => this.onChange(data.name, value));
      slider.update(data);
      this.sliders.set(data.name, slider);
    }
    const rows = [...this.sliders.values()].map((slider) => slider.root);
    // Elements that stay in place keep the focus.
    if (rows.length !== this.list.children.length || rows.some((row, place) => row !== this.list.children[place])) this.list.replaceChildren(...rows);
    this.more.textContent = found.more ? `${found.more} more: narrow the search` : rows.length ? "" : "No number of that name.";
  }
}
