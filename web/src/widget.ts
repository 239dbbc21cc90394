// The viewer in Jupyter, by anywidget.
import type { SceneData } from "./scene";
import { Viewer } from "./viewer";

interface WidgetModel {
  get(name: "header"): SceneData;
  get(name: "block"): DataView;
}

function render({ model, el }: { model: WidgetModel; el: HTMLElement }): () => void {
  const holder = document.createElement("div");
  holder.className = "notebook";
  el.append(holder);
  const view = model.get("block");
  const buffer = view.buffer.slice(view.byteOffset, view.byteOffset + view.byteLength) as ArrayBuffer;
  const viewer = new Viewer(holder, model.get("header"), buffer);
  return () => viewer.dispose();
}

export default { render };
