// The clock of a movement: play, pause, step, scrub.

export class Player {
  time: number;
  speed = 1;
  playing = false;
  private before = 0;
  private request = 0;

  constructor(
    public start: number,
    public end: number,
    private readonly onTime: (time: number) => void,
    private readonly onState: (playing: boolean) => void,
  ) {
    this.time = start;
  }

  get duration(): number {
    return this.end - this.start;
  }

  play(): void {
    if (this.playing || this.duration <= 0) return;
    if (this.time >= this.end) this.time = this.start;
    this.playing = true;
    this.before = performance.now();
    this.onState(true);
    this.request = requestAnimationFrame((now) => this.tick(now));
  }

  pause(): void {
    if (!this.playing) return;
    this.playing = false;
    cancelAnimationFrame(this.request);
    this.onState(false);
  }

  toggle(): void {
    if (this.playing) this.pause();
    else this.play();
  }

  seek(time: number): void {
    this.time = Math.min(Math.max(time, this.start), this.end);
    this.onTime(this.time);
  }

  private tick(now: number): void {
    if (!this.playing) return;
    const step = (Math.max(now - this.before, 0) / 1000) * this.speed;
    this.before = now;
    // A movement repeats: what is short would be over before it is seen.
    this.time = this.time + step > this.end ? this.start : this.time + step;
    this.onTime(this.time);
    this.request = requestAnimationFrame((later) => this.tick(later));
  }
}
