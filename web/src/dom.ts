// Small pieces of page: elements made by code, never from text, so that names cannot become markup.

type Attributes = Record<string, string | boolean | number>;

export function element<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: (Node | string)[]
): HTMLElementTagNameMap[K] {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === false) continue;
    made.setAttribute(name, value === true ? "" : String(value));
  }
  made.append(...children);
  return made;
}

/** An element of a drawing. */
export function shape(tag: string, attributes: Record<string, string | number> = {}): SVGElement {
  const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, String(value));
  return made;
}

/** A line through points, as a drawing writes it. */
export function path(points: number[][]): string {
  return points.map(([x, y], place) => `${place ? "L" : "M"}${x!.toFixed(1)} ${y!.toFixed(1)}`).join("");
}

/** A drawing with lines, and words for those who do not see it. */
export function drawing(width: number, height: number, words: string, ...lines: SVGElement[]): SVGElement {
  const made = shape("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": words });
  made.append(...lines);
  return made;
}

/** A button with words on it. */
export function textButton(label: string, onClick: () => void = () => {}): HTMLButtonElement {
  const made = element("button", { type: "button", class: "text" }, label);
  made.addEventListener("click", onClick);
  return made;
}

const ICONS: Record<string, string> = {
  play: "M6 4l14 8-14 8z",
  pause: "M6 4h4v16H6zM14 4h4v16h-4z",
  back: "M18 5v14l-9-7zM6 5h2v14H6z",
  forward: "M6 5v14l9-7zM16 5h2v14h-2z",
  picture: "M4 5h16v14H4zM6 17h12l-4-6-3 4-2-2z",
  theme: "M12 3a9 9 0 1 0 9 9 7 7 0 0 1-9-9z",
};

export function icon(name: string): SVGElement {
  const svg = shape("svg", { viewBox: "0 0 24 24", "aria-hidden": "true" });
  svg.append(shape("path", { d: ICONS[name] ?? "" }));
  return svg;
}

export function button(label: string, picture: string, onClick: () => void): HTMLButtonElement {
  const made = element("button", { type: "button", "aria-label": label, title: label }, icon(picture));
  made.addEventListener("click", onClick);
  return made;
}

export function toggle(label: string, on: boolean, onChange: (on: boolean) => void): HTMLLabelElement {
  const box = element("input", { type: "checkbox" });
  box.checked = on;
  box.addEventListener("change", () => onChange(box.checked));
  return element("label", { class: "toggle" }, box, label);
}

export function choice(label: string, options: [string, string][], value: string, onChange: (value: string) => void): HTMLSelectElement {
  const made = element("select", { "aria-label": label, title: label });
  for (const [key, text] of options) made.append(element("option", { value: key }, text));
  made.value = value;
  made.addEventListener("change", () => onChange(made.value));
  return made;
}
