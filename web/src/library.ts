// What can be opened: a dialog with a search, groups and their items. Tab and arrow keys go through it, Escape closes it.
import { element, textButton } from "./dom";

export interface LibraryItem {
  name: string;
  about: string;
  label?: string;
  saved?: number;
}

export interface LibraryMessage {
  kind: "library";
  groups: { name: string; items: LibraryItem[] }[];
}

export class LibraryPanel {
  readonly button = element("button", { type: "button", class: "text", "aria-haspopup": "dialog" }, "Open …");
  readonly root = element("dialog", { class: "library", "aria-label": "Open" });
  private readonly search = element("input", { type: "search", placeholder: "Search", "aria-label": "Search the library" });
  private readonly list = element("div", { class: "library-list" });
  private groups: LibraryMessage["groups"] = [];

  constructor(private readonly send: (message: object) => void) {
    this.button.addEventListener("click", () => {
      this.root.showModal();
      this.search.value = "";
      this.search.focus();
      this.list.replaceChildren(element("p", { class: "more" }, "Loading …"));
      this.send({ kind: "library" });
    });
    this.search.addEventListener("input", () => this.arrange());
    this.root.addEventListener("keydown", (event) => this.onKey(event));
    const close = textButton("Close", () => this.root.close());
    this.root.append(element("div", { class: "library-head" }, element("h2", {}, "Open"), this.search, close), this.list);
  }

  show(message: LibraryMessage): void {
    if (!this.root.open) return;
    this.groups = message.groups;
    this.arrange();
  }

  private arrange(): void {
    const words = this.search.value.toLowerCase().split(/\s+/).filter(Boolean);
    const fits = (item: LibraryItem) => words.every((word) => `${item.name} ${item.about}`.toLowerCase().includes(word));
    const sections = this.groups.map(({ name, items }) => ({ name, items: items.filter(fits), all: items.length }));
    const shown = sections.filter(({ items, all }) => items.length || !(words.length || all));
    this.list.replaceChildren(...shown.map(({ name, items }) => this.section(name, items)));
    if (!shown.length) this.list.append(element("p", { class: "more" }, "Nothing of that name."));
  }

  private section(group: string, items: LibraryItem[]): HTMLElement {
    const rows = items.map((item) => element("li", {}, this.entry(group, item)));
    const content = rows.length ? element("ul", {}, ...rows) : element("p", { class: "more" }, "None yet: changes are saved here automatically.");
    return element("section", { role: "group", "aria-label": group }, element("h3", {}, group), content);
  }

  private entry(group: string, item: LibraryItem): HTMLButtonElement {
    const label = item.label ?? item.name;
    const when = item.saved === undefined ? "" : ` · ${new Date(1000 * item.saved).toLocaleString()}`;
    const made = element("button", { type: "button", class: "entry-button" }, element("strong", {}, label), element("span", {}, item.about + when));
    made.addEventListener("click", () => {
      this.send({ kind: "open", group, name: item.name });
      this.root.close();
    });
    return made;
  }

  private onKey(event: KeyboardEvent): void {
    // A search field takes Escape to empty itself.
    if (event.key === "Escape") this.root.close();
    if (event.key !== "ArrowDown" && event.key !== "ArrowUp") return;
    const stops = [this.search, ...this.list.querySelectorAll<HTMLElement>("button")];
    const now = stops.indexOf(document.activeElement as HTMLElement);
    stops[Math.min(Math.max(now + (event.key === "ArrowDown" ? 1 : -1), 0), stops.length - 1)]!.focus();
    event.preventDefault();
  }
}
