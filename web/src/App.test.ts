import { render, screen } from "@testing-library/svelte";
import userEvent from "@testing-library/user-event";
import { expect, test } from "vitest";
import App from "./App.svelte";
import { route, navigate, matchRoute, loadPage } from "./lib/router.svelte";
import { theme } from "./lib/browserState.svelte";

test("the start page offers quick play", async () => {
  render(App);
  expect(await screen.findByRole("button", { name: "Play now against 3 bots" })).toBeTruthy();
  expect(document.title).toBe("Liar's Dice");
});

test("an empty code shows an error, and the field gets the focus", async () => {
  const user = userEvent.setup();
  render(App);
  await user.click(await screen.findByRole("button", { name: "Join" }));
  const field = screen.getByLabelText("Have a code?");
  expect(document.activeElement).toBe(field);
  expect(field).toBe(screen.getByRole("textbox", { description: /^Type the code/ }));
  expect(route.path).toBe("/");
});

test("the theme button cycles through system, light and dark", async () => {
  const user = userEvent.setup();
  theme.set("system");
  render(App);
  const applied = [];
  for (const name of ["system setting", "light", "dark"]) {
    await user.click(await screen.findByRole("button", { name: `Theme: ${name}` }));
    applied.push(document.documentElement.dataset.theme);
  }
  expect(applied).toEqual(["light", "dark", undefined]);
});

test("an internal link is followed without a reload", async () => {
  const user = userEvent.setup();
  history.replaceState(null, "", "/nowhere");
  route.update();
  render(App);
  await user.click(await screen.findByRole("link", { name: "Go to the start" }));
  expect(await screen.findByRole("button", { name: "Join" })).toBeTruthy();
  expect(route.path).toBe("/");
});

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
])("%s is the page %s", (path, name, params) => expect(matchRoute(path)).toEqual({ name, params }));

test("an unknown path loads the page for it", async () => {
  const { default: NotFound } = await import("./pages/NotFound.svelte");
  expect((await loadPage("/nowhere")).Page).toBe(NotFound);
});

test("navigating changes the path and the query", () => {
  navigate("/new?bots=3");
  expect(location.pathname).toBe("/new");
  expect(route.path).toBe("/new");
  expect(route.query.get("bots")).toBe("3");
});
