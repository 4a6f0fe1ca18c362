import { expect, test } from "vitest";
import { layoutChart } from "./sheetLayout";

const none = { caption: "", remarks: [], reads: [] };

test("a ladder has a column for every face, and a gap where the special face has no bid", () => {
  const layout = layoutChart({ ...none, head: ["Bids"], rows: [["1x2 1x3 1x1"], ["2x2 2x3"], ["3x2 3x3 2x1"]] });
  expect(layout).toMatchObject({ kind: "ladder", faces: [2, 3, 1] });
  expect(layout.kind === "ladder" && layout.lines[1]).toEqual([
    { quantity: 2, face: 2 },
    { quantity: 2, face: 3 },
    null,
  ]);
});

test("where the face counts first, a line is a face", () => {
  expect(layoutChart({ ...none, head: ["Bids"], rows: [["1x1 2x1"], ["1x2 2x2"]] }).kind).toBe("faces");
});

test("without one order of all bids, each line is for a standing bid", () => {
  const rows = [
    ["1x1", "2", "1"],
    ["1x2", "2", "=2"],
  ];
  expect(layoutChart({ ...none, head: ["Over", "ones", "twos"], rows })).toMatchObject({
    kind: "minimums",
    faces: [1, 2],
  });
});

test("a chart of unknown form stays as it is", () => {
  expect(layoutChart({ ...none, head: ["Bids"], rows: [["any bid"]] }).kind).toBe("text");
});
