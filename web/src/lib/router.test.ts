import { expect, test } from "vitest";
import { navigate, route, matchRoute, loadPage } from "./router.svelte";

test.each([
  ["/", "Landing", {}],
  ["/new", "NewTable", {}],
  ["/new/", "NewTable", {}],
  ["/t/K7P4", "Table", { code: "K7P4" }],
  ["/rules/perudo", "Rules", { name: "perudo" }],
  ["/rules/a%20house", "Rules", { name: "a house" }],
  ["/rules/%E0%A4%A", "Rules", { name: "%E0%A4%A" }],
  ["/replay/K7P4/3", "Replay", { code: "K7P4", match: "3" }],
  ["/t/", "NotFound", {}],
  ["/t/K7P4/more", "NotFound", {}],
  ["/nowhere", "NotFound", {}],
])("%s is the page %s", (path, name, params) => {
  expect(matchRoute(path)).toEqual({ name, params });
});

test("an unknown path loads the page for it", async () => {
  const { default: NotFound } = await import("../pages/NotFound.svelte");
  expect((await loadPage("/nowhere")).Page).toBe(NotFound);
});

test("navigating changes the path and the query", () => {
  navigate("/new?bots=3");
  expect(location.pathname).toBe("/new");
  expect(route.path).toBe("/new");
  expect(route.query.get("bots")).toBe("3");
});
