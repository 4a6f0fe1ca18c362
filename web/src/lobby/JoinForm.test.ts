import { screen } from "@testing-library/svelte";
import { expect, test, vi } from "vitest";
import { setting } from "../testing/tableFrames";
import { receive, renderScenario, useTablePage } from "../testing/tablePage";

useTablePage();

test.each([true, false])("only whoever opened a locked table may sit down at it: %s", async (opener) => {
  vi.stubGlobal("fetch", () => Promise.resolve(Response.json({ opener })));
  await renderScenario("join");
  await receive([{ ...setting(), locked: true }]);
  expect(screen.queryByLabelText("Your name") !== null).toBe(opener);
  expect(screen.queryByText(/locked this table/) !== null).toBe(!opener);
});
