import { screen } from "@testing-library/svelte";
import { tick } from "svelte";
import { expect, test } from "vitest";
import { OWN, OWN_IDLE, update } from "../testing/tableFrames";
import { Socket, renderScenario, useTablePage } from "../testing/tablePage";

useTablePage();

test("a panel that was shown before is there again at once, without a gap", async () => {
  await renderScenario("turn");
  for (const [frame, words] of [
    [update({ turn: 1, turn_id: 101 }, OWN_IDLE, {}, 101), "'s turn"],
    [update({ turn: 0, turn_id: 102 }, OWN, {}, 102), "Your turn"],
  ] as const) {
    Socket.latest?.onmessage?.({ data: JSON.stringify(frame) });
    await tick();
    expect(screen.getByRole("region", { name: "Your move" }).textContent).toContain(words);
  }
});
