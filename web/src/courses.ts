// Angles over time: the user draws them, and the forces of the motors follow.
import type { SessionData } from "./connection";
import { COURSES, Curves } from "./curves";
import { element, textButton } from "./dom";

export class Courses {
  readonly root = element("details", { class: "courses" }, element("summary", {}, "Draw the angles"));
  private readonly follow: HTMLButtonElement;
  private readonly hint = element("p", { class: "more" });
  private readonly curves: Curves;

  constructor(edit: (edit: object, dragging: boolean) => void, send: (message: object) => void) {
    this.curves = new Curves(
      {
        onHandle: (coordinate, number, value, dragging) => edit({ kind: "SetCourseHandle", coordinate, number, value }, dragging),
        onFit: (coordinate, curve, points) => edit({ kind: "FitCourse", coordinate, curve, points }, false),
      },
      COURSES,
    );
    this.follow = textButton("Let the forces follow the angles", () => send({ kind: "follow" }));
    this.root.append(this.hint, this.follow, this.curves.root);
  }

  update(session: SessionData): void {
    const following = session.courses.length > 0;
    this.follow.hidden = following;
    this.curves.root.hidden = !following;
    this.hint.textContent = following
      ? "The motors follow these curves. Drag a force or the start to take over; undo goes back."
      : "Every coordinate gets a curve near the present movement, and a motor where it has none.";
    this.curves.update({ curves: session.courses, from: session.from, duration: session.duration });
    if (following) (this.root as HTMLDetailsElement).open = true;
  }

  showTime(time: number): void {
    this.curves.showTime(time);
  }
}
