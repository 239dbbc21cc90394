// Runs the script of an animation page without a browser: a canvas that notes what is drawn on it, and elements
// that can be clicked. Usage: node page_harness.js page.html '[["key", " "], ["frame", 16]]'
// Prints what the page shows at the end, as JSON.
"use strict";
const fs = require("fs");
const vm = require("vm");

const [, , file, actionsText] = process.argv;
const page = fs.readFileSync(file, "utf8");
const scripts = [...page.matchAll(/<script([^>]*)>([\s\S]*?)<\/script>/g)];
const data = scripts.find(found => found[1].includes("application/json"))[2];
const code = scripts.find(found => !found[1].includes("json"))[2];

class Pen {
  constructor() { this.drawn = []; this.path = []; this.dashes = []; }
  setTransform() {}
  clearRect() { this.drawn = []; }
  setLineDash(dashes) { this.dashes = dashes; }
  beginPath() { this.path = []; }
  moveTo(x, y) { this.path.push([x, y]); }
  lineTo(x, y) { this.path.push([x, y]); }
  arc(x, y, radius) { this.path = [[x, y, radius]]; }
  stroke() { this.drawn.push({ what: "line", points: this.path, colour: this.strokeStyle, width: this.lineWidth, dashes: this.dashes }); }
  fill() { this.drawn.push({ what: "dot", points: this.path, colour: this.fillStyle }); }
  fillText(text, x, y) { this.drawn.push({ what: "text", text, points: [[x, y]], colour: this.fillStyle }); }
}

class Element {
  constructor(width, height) {
    Object.assign(this, { clientWidth: width, clientHeight: height, handlers: {}, children: [], textContent: "", value: "0", checked: false, hidden: false, tagName: "DIV" });
    this.pen = new Pen();
  }
  getContext() { return this.pen; }
  addEventListener(name, handler) { (this.handlers[name] ||= []).push(handler); }
  append(child) { this.children.push(child); }
  setPointerCapture() {}
  getBoundingClientRect() { return { left: 0, top: 0 }; }
  fire(name, event) { for (const handler of this.handlers[name] || []) handler({ preventDefault() {}, target: this, ...event }); }
}

const elements = { stage: new Element(800, 500), strip: new Element(800, 160) };
for (const id of ["title", "clock", "play", "scrub", "speed", "follow", "hint"]) elements[id] = new Element(100, 20);
elements.animation = { textContent: data };
const documentElement = new Element(0, 0);
const waiting = [];
const media = { matches: false, addEventListener() {} };
const world = {
  document: Object.assign(new Element(0, 0), { getElementById: id => elements[id], createElement: () => new Element(0, 0), documentElement }),
  window: Object.assign(new Element(0, 0), { devicePixelRatio: 2, matchMedia: () => media }),
  getComputedStyle: () => ({ getPropertyValue: name => name.slice(2) }),
  requestAnimationFrame: handler => waiting.push(handler),
};
vm.createContext(world);
vm.runInContext(code, world);

let clock = 0;
for (const [kind, value] of JSON.parse(actionsText || "[]")) {
  if (kind === "key") world.document.fire("keydown", { key: value, target: elements.stage });
  else if (kind === "frame") { clock += value; for (const handler of waiting.splice(0)) handler(clock); }
  else if (kind === "scrub") { elements.scrub.value = String(value); elements.scrub.fire("input", {}); }
  else if (kind === "speed") elements.speed.fire("change", { target: { value: String(value) } });
  else if (kind === "follow") { elements.follow.checked = value; elements.follow.fire("change", {}); }
  else if (kind === "drag") {
    elements.stage.fire("pointerdown", { clientX: 0, clientY: 0, pointerId: 1 });
    elements.stage.fire("pointermove", { clientX: value[0], clientY: value[1], shiftKey: false });
    elements.stage.fire("pointerup", {});
  } else if (kind === "wheel") elements.stage.fire("wheel", { deltaY: value, clientX: 400, clientY: 250 });
  else if (kind === "strip") { elements.strip.fire("pointerdown", { clientX: value, pointerId: 1 }); elements.strip.fire("pointerup", {}); }
  else if (kind === "dblclick") elements.stage.fire("dblclick", {});
  else throw new Error("unknown action " + kind);
}
process.stdout.write(JSON.stringify({
  clock: elements.clock.textContent,
  title: elements.title.textContent,
  play: elements.play.textContent,
  scrub: Number(elements.scrub.value),
  follow: elements.follow.checked,
  speeds: elements.speed.children.map(option => option.value),
  stripHidden: elements.strip.hidden,
  stage: elements.stage.pen.drawn,
  strip: elements.strip.pen.drawn,
}));
