// Export: a menu of files; the server makes films and series, the page the script.
import { element } from "./dom";

const FILES: [string, string][] = [
  ["gif", "Film (.gif)"],
  ["mp4", "Film (.mp4)"],
  ["html", "Page (.html)"],
  ["sto", "Columns (.sto)"],
  ["nc", "Whole result (.nc)"],
  ["py", "Script (.py)"],
];

export interface FileMessage {
  kind: "file";
  name: string;
  data: string;
  request: string;
}

export class Exports {
  readonly root: HTMLElement;
  private readonly menu = element("select", { "aria-label": "Export" });
  // The answer goes to all pages of the studio; only the one that asked keeps it.
  private request = "";

  constructor(
    private readonly send: (message: object) => void,
    private readonly script: () => string,
  ) {
    this.menu.append(element("option", { value: "" }, "Export …"));
    for (const [ending, label] of FILES) this.menu.append(element("option", { value: ending }, label));
    this.menu.addEventListener("change", () => this.ask(this.menu.value));
    this.root = this.menu;
  }

  private ask(ending: string): void {
    this.menu.value = "";
    if (ending === "py") {
      save("movement.py", new Blob([this.script()], { type: "text/x-python" }));
    } else if (ending) {
      this.request = crypto.randomUUID();
      this.send({ kind: "export", ending, request: this.request });
    }
  }

  receive(message: FileMessage): void {
    if (message.request !== this.request) return;
    const bytes = Uint8Array.from(atob(message.data), (letter) => letter.charCodeAt(0));
    save(message.name, new Blob([bytes]));
  }
}

function save(name: string, content: Blob): void {
  const address = URL.createObjectURL(content);
  element("a", { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}
