import { expect, test } from "vitest";
import { doubtAbout } from "./challenge.svelte";

test("a challenge is confirmed where hints are on or in a first match, if the bid is proven or nearly certain", () => {
  expect(doubtAbout({ counts: [0, 1], standing_odds: null }, [2, 5], true)).toBe("proven");
  expect(doubtAbout({ counts: [0, 1], standing_odds: 40 }, [3, 5], true)).toBeNull();
  expect(doubtAbout({ counts: [0, 1], standing_odds: 95 }, [3, 5], true)).toBe("likely");
  expect(doubtAbout({ counts: [0, 1], standing_odds: 100 }, [2, 5], false)).toBeNull();
  expect(doubtAbout({ counts: [], standing_odds: null }, undefined, true)).toBeNull();
});
