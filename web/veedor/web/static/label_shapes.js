// Outlines of four corners in picture coordinates: (0, 0) is the outer corner of the top left pixel.
const FARTHEST = 65535;
const tidy = (value) => Math.round(value * 100) / 100;
const map = (corners, change) => corners.map(([x, y]) => change(x, y).map(tidy));

export const centre = (corners) => [0, 1].map((axis) => corners.reduce((sum, each) => sum + each[axis], 0) / 4);
export const distance = (a, b) => Math.hypot(a[0] - b[0], a[1] - b[1]);
export const moved = (corners, dx, dy) => map(corners, (x, y) => [x + dx, y + dy]);

export function turned(corners, radians) {
  const [cx, cy] = centre(corners), cos = Math.cos(radians), sin = Math.sin(radians);
  return map(corners, (x, y) => [cx + (x - cx) * cos - (y - cy) * sin, cy + (x - cx) * sin + (y - cy) * cos]);
}

// Wider along the first edge, higher along the second, about the middle.
export function resized(corners, wider, higher) {
  const [p, q, , s] = corners;
  const along = unit(p, q), across = unit(p, s);
  const signs = [[-1, -1], [1, -1], [1, 1], [-1, 1]];
  return corners.map(([x, y], i) => [0, 1].map((axis) =>
    tidy([x, y][axis] + (signs[i][0] * wider * along[axis] + signs[i][1] * higher * across[axis]) / 2)));
}
function unit(from, to) {
  const length = distance(from, to) || 1;
  return [(to[0] - from[0]) / length, (to[1] - from[1]) / length];
}

export const withCorner = (corners, which, point) => corners.map((each, i) => (i === which ? point.map(tidy) : each));
export const nextEdgeFirst = (corners) => [...corners.slice(1), corners[0]];
export const box = (a, b) => {
  const [left, right] = [a[0], b[0]].sort((x, y) => x - y), [top, bottom] = [a[1], b[1]].sort((x, y) => x - y);
  return [[left, top], [right, top], [right, bottom], [left, bottom]].map((each) => each.map(tidy));
};
// A card's first edge is a short one.
export const shortEdgeFirst = (corners) => distance(corners[0], corners[1]) > distance(corners[1], corners[2]) ? nextEdgeFirst(corners) : corners;

// As the label store wants it: clockwise as seen, not crossing itself, not dented, not a line.
export function possible(corners) {
  if (corners.some((each) => each.some((part) => !Number.isFinite(part) || Math.abs(part) > FARTHEST))) return false;
  const area = (points) => points.reduce((sum, [x, y], i) => {
    const [u, v] = points[(i + 1) % points.length];
    return sum + (x - points[0][0]) * (v - points[0][1]) - (u - points[0][0]) * (y - points[0][1]);
  }, 0) / 2;
  return area(corners) > 0.5 && [0, 1, 2, 3].every((turn) => area([0, 1, 2].map((step) => corners[(turn + step) % 4])) >= 0);
}

export const clockwise = (corners) => (possible(corners) ? corners : [corners[0], corners[3], corners[2], corners[1]]);

// Rows from the top, each from the left: the order in which objects are gone through.
export function readingOrder(objects) {
  const at = new Map(objects.map((each) => [each.id, centre(each.corners_px)]));
  const heights = objects.map((each) => distance(each.corners_px[1], each.corners_px[2])).sort((a, b) => a - b);
  const row = Math.max(20, (heights[Math.floor(heights.length / 2)] ?? 40) * 1.2);
  const key = (each) => { const [x, y] = at.get(each.id); return [Math.floor(y / row), x]; };
  return [...objects].sort((a, b) => { const [m, n] = [key(a), key(b)]; return m[0] - n[0] || m[1] - n[1]; });
}
