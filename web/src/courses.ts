// Angles over time: the user draws them, and the forces of the motors follow.
import type { SessionData } from "./connection";
import { COURSES, Curves } from "./curves";
import { element, textButton } from "./dom";

export class Courses {
  readonly root = element("details", { class: "courses" }, element("summary", {}, "Draw the angles"));
  private readonly follow: HTMLButtonElement;
  private readonly hint = element("p", { class: "more" });
  private readonly reach = element("p", { class: "more", "data-testid": "reach" });
  private session: SessionData | null = null;
  private time = 0;
  private readonly curves: Curves;

  constructor(edit: (edit: object, dragging: boolean) => void, send: (message: object) => void) {
    this.curves = new Curves(
      {
        onHandle: (coordinate, number, value, dragging) => edit({ kind: "SetCourseHandle", coordinate, number, value }, dragging),
        onFit: (coordinate, curve, points) => edit({ kind: "FitCourse", coordinate, curve, points }, false),
      },
      COURSES,
    );
    this.follow = textButton("Compute the forces from the angles", () => send({ kind: "follow" }));
    this.root.append(this.hint, this.reach, this.follow, this.curves.root);
  }

  update(session: SessionData): void {
    this.session = session;
    const following = session.courses.length > 0;
    const added = session.motors.length ? ` These had no motor and were given one: ${session.motors.join(", ")}.` : "";
    this.follow.hidden = following;
    this.curves.root.hidden = !following;
    this.hint.textContent = following
      ? `The motors follow these curves. Drag a force or slide the start to take over; undo goes back.${added}`
      : "Every coordinate gets a curve near the present movement, and a motor where it has none.";
    this.curves.update({ curves: session.courses, from: session.from, duration: session.duration });
    this.showReach();
    if (following) (this.root as HTMLDetailsElement).open = true;
  }

  showTime(time: number): void {
    this.curves.showTime(time);
    this.time = time;
    this.showReach();
  }

  private showReach(): void {
    this.reach.textContent = this.session?.courses.length ? reached(this.session, this.time) : "";
  }
}

/** What a drag of the body at a time changes. */
function reached({ courses, from, duration }: SessionData, time: number): string {
  const reach = Math.max(...courses.map((course) => course.reach ?? duration));
  const [first, last] = [Math.max(time - reach, from), Math.min(time + reach, from + duration)];
  return `Drag the body at ${time.toFixed(3)} s: the angles change from ${first.toFixed(3)} to ${last.toFixed(3)} s, most where you drag. More handles keep the change nearer.`;
}
