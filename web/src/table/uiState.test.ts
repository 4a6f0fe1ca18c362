import { expect, test } from "vitest";
import { UiState } from "./uiState.svelte";

test("a player who is hidden at a table stays hidden there after a reload, and nowhere else", () => {
  const ui = new UiState("FLEA");
  ui.setHidden(1, true);
  ui.setHidden(3, true);
  ui.setHidden(1, false);
  expect(new UiState("FLEA").hiddenPlayers).toEqual([3]);
  expect(new UiState("WREN").hiddenPlayers).toEqual([]);
  expect(new UiState().hiddenPlayers).toEqual([]);
});
