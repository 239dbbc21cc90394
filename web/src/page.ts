// A page of its own: the scene stands in it as JSON and deflated base64.
import type { SceneData } from "./scene";
import { Viewer } from "./viewer";

function text(id: string): string {
  return document.getElementById(id)?.textContent ?? "";
}

/** The bytes behind the page's base64, which are deflated. */
async function block(): Promise<ArrayBuffer> {
  if (!("DecompressionStream" in window)) throw new Error("this browser is too old; use one of 2023 or later");
  const bytes = Uint8Array.from(atob(text("block")), (letter) => letter.charCodeAt(0));
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"))).arrayBuffer();
}

const root = document.getElementById("viewer")!;
block()
  .then((bytes) => new Viewer(root, JSON.parse(text("scene")) as SceneData, bytes))
  .catch((error: unknown) => {
    const message = document.createElement("p");
    message.className = "failure";
    message.textContent = `The movement cannot be shown: ${error instanceof Error ? error.message : error}`;
    root.append(message);
  });
