// The first visit: three steps, each beside what it speaks of; it covers nothing and takes no keys but Escape.
import { element, textButton } from "./dom";

const SEEN = "myodyne-tour-seen";
const STEPS = [
  "Each curve on the left drives one muscle. Drag a round handle up or down, or focus it and use the arrow keys: the movement is recomputed at once.",
  "The body on the right plays the movement. Space plays and stops, the slider goes to any time, dragging turns the view; muscles turn red as they are activated.",
  "The table below says what changed: height, speed, energy. Pin a run to compare with it, undo as often as you like, and copy the script that gives the same numbers.",
];

/** Return the tour, or null if this browser has seen it. */
export function tour(): HTMLElement | null {
  try {
    if (localStorage.getItem(SEEN)) return null;
  } catch {
    // Without storage nothing can be remembered; a tour at every visit would annoy.
    return null;
  }
  let step = 0;
  const text = element("p", { "aria-live": "polite" });
  const next = textButton("");
  const skip = textButton("Close");
  const root = element("section", { class: "tour", role: "region", "aria-label": "First steps", "data-testid": "tour" }, text, next, skip);
  const close = () => {
    localStorage.setItem(SEEN, "yes");
    document.removeEventListener("keydown", onKey);
    root.remove();
  };
  const onKey = (event: KeyboardEvent) => {
    if (event.key === "Escape") close();
  };
  const show = () => {
    text.textContent = `${step + 1} of ${STEPS.length}: ${STEPS[step]}`;
    next.textContent = step + 1 < STEPS.length ? "Next" : "Done";
  };
  next.addEventListener("click", () => {
    step += 1;
    if (step < STEPS.length) show();
    else close();
  });
  skip.addEventListener("click", close);
  document.addEventListener("keydown", onKey);
  show();
  return root;
}
