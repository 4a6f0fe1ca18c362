/** The paths of dice that are thrown from a cup: two bounces, and a spin that dies out with the value on top. */

export interface Point {
  x: number;
  y: number;
}

/** The rotation that brings each face of the cube to the front, which is towards the viewer. */
const REST: Record<number, string> = {
  1: "",
  2: "rotateX(-90deg)",
  3: "rotateY(-90deg)",
  4: "rotateY(90deg)",
  5: "rotateX(90deg)",
  6: "rotateY(180deg)",
};
/** Where each face sits on the cube. */
export const FACE_TURNS: Record<number, string> = {
  1: "",
  2: "rotateX(90deg)",
  3: "rotateY(90deg)",
  4: "rotateY(-90deg)",
  5: "rotateX(-90deg)",
  6: "rotateY(180deg)",
};

const STEPS = 48;
/** Bounces: from and to which part of the path, and how high, in sizes of a die. */
const BOUNCES = [[0.3, 0.58, 0.62], [0.58, 0.76, 0.2], [0.76, 0.86, 0.05]] as const; // prettier-ignore
const FIRST_HEIGHT = 1.5;

/** The keyframes of a die and of its shadow. */
export interface ThrowPath {
  die: Keyframe[];
  shadow: Keyframe[];
}

/**
 * The path from the cup to where the die will lie. `size`: of the die; `index`: its place in the hand. The top of a die
 * that lies is in the plane of the page, so that it is as large as the flat die that follows it.
 */
export function throwPath(value: number, from: Point, to: Point, size: number, index: number): ThrowPath {
  const chance = (salt: number): number => fraction(Math.sin((index + 1) * 12.99 + salt * 78.23) * 43758.55);
  const axis = `${(chance(1) * 0.7 - 0.25).toFixed(2)}, 1, ${(chance(2) * 0.9 - 0.45).toFixed(2)}`;
  const degrees = 360 * (1 + Math.round(chance(3)));
  const die: Keyframe[] = [];
  const shadow: Keyframe[] = [];
  for (let step = 0; step <= STEPS; step += 1) {
    const part = step / STEPS;
    const way = 1 - (1 - part) ** 2.3;
    const spin = (1 - part) ** 2.1;
    const sway = Math.sin(Math.PI * part) * (chance(4) - 0.5) * size * 1.5 * (1 - part);
    const [x, y] = [from.x + (to.x - from.x) * way - size / 2, from.y + (to.y - from.y) * way - sway - size / 2];
    const height = heightAt(part) * size;
    die.push({
      transform: `translate3d(${px(x)}, ${px(y)}, ${px(height - size / 2)}) rotate3d(${axis}, ${(degrees * spin).toFixed(1)}deg) ${REST[value] ?? ""}`,
      offset: part,
    });
    shadow.push({
      transform: `translate3d(${px(x + height * 0.5)}, ${px(y + height * 0.6 + size * 0.08)}, ${px(-size)}) scale(${(1.1 + (0.28 * height) / size).toFixed(2)})`,
      opacity: Math.max(0.15, 0.7 - (0.4 * height) / size),
      offset: part,
    });
  }
  return { die, shadow };
}

/** How high a die is at a part of its path, in sizes of a die. */
function heightAt(part: number): number {
  if (part < BOUNCES[0][0]) return FIRST_HEIGHT * (1 - (part / BOUNCES[0][0]) ** 2);
  const bounce = BOUNCES.find(([from, to]) => part >= from && part < to);
  if (!bounce) return 0;
  const [from, to, height] = bounce;
  return (4 * height * (part - from) * (to - part)) / (to - from) ** 2;
}

function fraction(value: number): number {
  return value - Math.floor(value);
}

function px(value: number): string {
  return `${value.toFixed(1)}px`;
}
