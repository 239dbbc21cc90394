// A page of its own: the scene stands in it as JSON and base64.
import type { SceneData } from "./scene";
import { Viewer } from "./viewer";

function text(id: string): string {
  return document.getElementById(id)?.textContent ?? "";
}

const root = document.getElementById("viewer")!;
try {
  const bytes = Uint8Array.from(atob(text("block")), (letter) => letter.charCodeAt(0));
  new Viewer(root, JSON.parse(text("scene")) as SceneData, bytes.buffer);
} catch (error) {
  const message = document.createElement("p");
  message.className = "failure";
  message.textContent = `The movement cannot be shown: ${error instanceof Error ? error.message : error}`;
  root.append(message);
}
