import { expect, test } from "vitest";
import { FACE_TURNS, throwPath } from "./throwPath";

const FROM = { x: 10, y: 0 };
const TO = { x: 300, y: 40 };

test.each([1, 2, 3, 4, 5, 6])(
  "a die that shows %i comes to rest in its place, flat, with that face on top",
  (value) => {
    const { die, shadow } = throwPath(value, FROM, TO, 40, 2);
    const rest = String(die.at(-1)?.transform);
    expect(rest).toMatch(/^translate3d\(280\.0px, 20\.0px, -20\.0px\) rotate3d\([^)]*, 0\.0deg\)/);
    // the turn of the cube undoes the turn of the face
    const turn = /(rotate[XY])\((-?\d+)deg\)/;
    const [face, cube] = [turn.exec(FACE_TURNS[value] ?? ""), turn.exec(rest)];
    if (face) expect([cube?.[1], (Number(cube?.[2]) + Number(face[2])) % 360]).toEqual([face[1], 0]);
    else expect(cube).toBeNull();
    expect(die.concat(shadow).some(({ transform }) => /NaN|Infinity/.test(String(transform)))).toBe(false);
  },
);

test("a thrown die bounces twice before it lies", () => {
  const heights = throwPath(3, FROM, TO, 40, 0).die.map(({ transform }) =>
    Number(/translate3d\([^,]+, [^,]+, (-?[\d.]+)px/.exec(String(transform))?.[1]),
  );
  const peaks = heights.filter(
    (height, index) => height > -19 && height > (heights[index - 1] ?? Infinity) && height >= (heights[index + 1] ?? 0),
  );
  expect(peaks.length).toBeGreaterThanOrEqual(2);
  expect(heights.every((height) => height >= -20)).toBe(true);
});
