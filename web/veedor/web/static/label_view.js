// Which part of the picture is seen, and an object by itself, upright.
import { centre, distance } from "./label_shapes.js";

const LARGEST = 40, SMALLEST = 0.05, GRAINS = 3, RIM_PX = 60;

export class View {
  // `moved` is called whenever another part is seen.
  constructor(stage, picture, size, moved) {
    Object.assign(this, { stage, picture, size, moved, s: 1, x: 0, y: 0, fitted: true, before: null });
    new ResizeObserver(() => { if (this.fitted) this.fit(); else this.place(); }).observe(stage);
  }

  // Close up on one object after the other.
  get isNear() { return this.before !== null; }
  get middle() { return [this.stage.clientWidth / 2, this.stage.clientHeight / 2]; }
  toPicture([sx, sy]) { return [(sx - this.x) / this.s, (sy - this.y) / this.s]; }
  onScreen(corners) { return corners.map(([x, y]) => [x * this.s + this.x, y * this.s + this.y]); }
  points(corners) { return this.onScreen(corners).map((each) => each.map((part) => part.toFixed(1)).join(",")).join(" "); }

  place() {
    this.picture.style.transform = `translate(${this.x}px, ${this.y}px) scale(${this.s})`;
    this.picture.classList.toggle("grains", this.s > GRAINS);
    this.moved();
  }
  // So large, with that point of the picture there on the stage.
  show(s, [x, y], [sx, sy] = this.middle) {
    Object.assign(this, { s, x: sx - x * s, y: sy - y * s, fitted: false });
    this.place();
  }
  fit() {
    const { stage, size } = this;
    this.before = null;
    this.show(Math.min(stage.clientWidth / size.w, stage.clientHeight / size.h), [size.w / 2, size.h / 2]);
    this.fitted = true;
  }
  zoom(by, at = this.middle) { this.show(Math.min(LARGEST, Math.max(SMALLEST, this.s * by)), this.toPicture(at), at); }
  pan(dx, dy) { Object.assign(this, { x: this.x + dx, y: this.y + dy, fitted: false }); this.place(); }
  centreOn(point) { this.show(this.s, point); }

  near(corners) {
    if (this.isNear) { Object.assign(this, this.before, { before: null }); this.place(); return; }
    if (!corners) return;
    this.before = { s: this.s, x: this.x, y: this.y, fitted: this.fitted };
    this.closeUp(corners);
  }
  closeUp(corners) {
    const middle = centre(corners), far = Math.max(...corners.map((each) => distance(each, middle)));
    this.show(Math.min(LARGEST, Math.min(this.stage.clientWidth, this.stage.clientHeight) / (far * 4)), middle);
  }
  // Bring an object into sight, near the middle only where it was not in sight.
  reveal(corners) {
    if (this.isNear) { this.closeUp(corners); return; }
    const [[sx, sy]] = this.onScreen([centre(corners)]);
    const inSight = sx > RIM_PX && sy > RIM_PX && sx < this.stage.clientWidth - RIM_PX && sy < this.stage.clientHeight - RIM_PX;
    if (!inSight) this.centreOn(centre(corners));
  }
}

// The object upright, its first edge on top, with a rim round it.
export function drawCrop(canvas, picture, [p, q, , s]) {
  const pen = canvas.getContext("2d"), rim = 1.35;
  pen.setTransform(1, 0, 0, 1, 0, 0);
  pen.clearRect(0, 0, canvas.width, canvas.height);
  const wide = distance(p, q) || 1, high = distance(p, s) || 1;
  const scale = Math.min(canvas.width / (wide * rim), canvas.height / (high * rim));
  const [w, h] = [wide * scale, high * scale], [left, top] = [(canvas.width - w) / 2, (canvas.height - h) / 2];
  const [ax, ay, bx, by] = [q[0] - p[0], q[1] - p[1], s[0] - p[0], s[1] - p[1]], det = ax * by - bx * ay;
  if (!picture.naturalWidth || Math.abs(det) < 1e-6) return;
  const [m11, m12, m21, m22] = [(by * w) / det, (-bx * w) / det, (-ay * h) / det, (ax * h) / det];
  pen.setTransform(m11, m21, m12, m22, left - m11 * p[0] - m12 * p[1], top - m21 * p[0] - m22 * p[1]);
  pen.imageSmoothingEnabled = scale < 4;
  pen.drawImage(picture, 0, 0);
  pen.setTransform(1, 0, 0, 1, 0, 0);
  pen.lineWidth = 1.5;
  pen.strokeStyle = "#d9c48c";
  pen.strokeRect(left, top, w, h);
}
