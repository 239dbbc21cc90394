// The line to the server: hello with the token, then messages; it connects again when the server comes back.
import type { FileMessage } from "./exports";
import type { LibraryMessage } from "./library";
import type { SceneData } from "./scene";

const PROTOCOL = 5;

export interface CurveData {
  control: string;
  kind: string;
  handles: [number, number][];
  line: number[];
  range: [number, number];
  /** Of a course: how far (s), at most, from the time of a dragged pose it changes. */
  reach?: number;
}

export interface SessionData {
  kind: "session";
  name: string;
  from: number;
  duration: number;
  /** Whether all curves come, or those that changed; the connection adds the others. */
  whole: boolean;
  curves: CurveData[];
  /** Wanted courses of coordinates, which the curves follow; none where curves are free. */
  courses: CurveData[];
  /** Coordinates that were given a motor. */
  motors: string[];
  /** Why the forces cannot follow the angles; empty where they can. */
  unfollowed: string;
  start: { name: string; value: number; unit: string; low: number; high: number }[];
  ties: { coordinate: string; frozen: boolean; other: string; slope: number }[];
  /** Coordinates of arms that can be coupled to the opposite legs. */
  arms: string[];
  gains: SliderData[];
  numbers: Record<string, number>;
  bodies: string[];
  muscles: Record<string, number>;
  earlier: number[];
  script: string;
  undo: number;
  redo: number;
}

export interface SliderData {
  name: string;
  value: number;
  low: number;
  high: number;
}

export interface TaskData {
  kind: "task";
  name: string;
  speed: { value: number; low: number; high: number } | null;
  weights: SliderData[];
  strengths: SliderData[];
  script: string;
  undo: number;
  redo: number;
}

export interface IterateMessage {
  kind: "iterate";
  iteration: number;
  objective: number | null;
  infeasibility: number | null;
  parts: Record<string, number | null>;
  seconds: number;
}

export interface FoundMessage {
  kind: "found";
  words: string;
  numbers: SliderData[];
  more: number;
}

export interface EigenvaluesMessage {
  kind: "eigenvalues";
  time: number;
  values: [number, number][];
}

export interface FootMessage {
  kind: "foot";
  body: string;
  from: number;
  to: number;
  radius: number;
  x: number;
  y: number;
  anchor: number;
  /** Standard error of the radius (m); 0 where a hand chose it. */
  error: number;
  rms: number;
  ankle: [number, number][];
  arc: [number, number][];
  code: string;
}

export interface SceneMessage {
  kind: "scene";
  status: string;
  header: SceneData;
  summary: { name: string; label: string; value: number | null; unit: string; pinned: number | null }[];
  notes: string[];
}

export interface Listener {
  onSession(session: SessionData): void;
  onTask(task: TaskData): void;
  onFound(message: FoundMessage): void;
  onIterate(message: IterateMessage): void;
  onScene(message: SceneMessage, block: ArrayBuffer): void;
  onStatus(status: string): void;
  onFile(message: FileMessage): void;
  onLibrary(message: LibraryMessage): void;
  onOpened(): void;
  onFoot(message: FootMessage): void;
  onEigenvalues(message: EigenvaluesMessage): void;
  onRefused(reason: string): void;
}

export class Connection {
  private socket: WebSocket | null = null;
  private curves: CurveData[] = [];

  constructor(
    private readonly token: string,
    private readonly listener: Listener,
  ) {
    this.connect();
  }

  send(message: object): void {
    if (this.socket?.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify(message));
  }

  private connect(): void {
    const socket = new WebSocket(`ws://${location.host}/socket`);
    socket.binaryType = "arraybuffer";
    socket.onopen = () => socket.send(JSON.stringify({ token: this.token, protocol: PROTOCOL }));
    socket.onmessage = (event) => this.receive(event.data as string | ArrayBuffer);
    socket.onclose = (event) => {
      if (event.code === 1008) {
        this.listener.onStatus("failed: this page is not known to the studio; open the address that it printed");
        return;
      }
      this.listener.onStatus("failed: the studio is not running; the page waits for it to come back");
      setTimeout(() => this.connect(), 1000);
    };
    this.socket = socket;
  }

  private receive(data: string | ArrayBuffer): void {
    if (typeof data !== "string") {
      const length = new DataView(data).getUint32(0, true);
      const head = JSON.parse(new TextDecoder().decode(new Uint8Array(data, 4, length))) as SceneMessage;
      this.listener.onScene(head, data.slice(4 + length));
      return;
    }
    const message = JSON.parse(data) as SessionData | TaskData | IterateMessage | FoundMessage | FileMessage | LibraryMessage | EigenvaluesMessage | FootMessage | { kind: "opened" } | { kind: "status"; status: string } | { kind: "refused"; reason: string };
    if (message.kind === "session") this.listener.onSession(this.completed(message));
    else if (message.kind === "task") this.listener.onTask(message);
    else if (message.kind === "found") this.listener.onFound(message);
    else if (message.kind === "iterate") this.listener.onIterate(message);
    else if (message.kind === "file") this.listener.onFile(message);
    else if (message.kind === "library") this.listener.onLibrary(message);
    else if (message.kind === "eigenvalues") this.listener.onEigenvalues(message);
    else if (message.kind === "foot") this.listener.onFoot(message);
    else if (message.kind === "opened") this.listener.onOpened();
    else if (message.kind === "status") this.listener.onStatus(message.status);
    else this.listener.onRefused(message.reason);
  }

  private completed(session: SessionData): SessionData {
    const changed = new Map(session.curves.map((curve) => [curve.control, curve]));
    this.curves = session.whole ? session.curves : this.curves.map((curve) => changed.get(curve.control) ?? curve);
    return { ...session, curves: this.curves };
  }
}
