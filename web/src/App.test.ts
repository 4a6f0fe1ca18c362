import { render, screen } from "@testing-library/svelte";
import userEvent from "@testing-library/user-event";
import { expect, test } from "vitest";
import App from "./App.svelte";
import { route } from "./lib/router.svelte";
import { theme } from "./lib/theme.svelte";

test("the start page offers quick play", async () => {
  render(App);
  expect(await screen.findByRole("button", { name: "Play now against 3 bots" })).toBeTruthy();
  expect(document.title).toBe("Liar's Dice");
});

test("a code leads to its table in any spelling", async () => {
  const user = userEvent.setup();
  render(App);
  await user.type(await screen.findByLabelText("Have a code?"), " k7 p4{Enter}");
  expect(route.path).toBe("/t/K7P4");
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

test("the language changes at once and is saved", async () => {
  const user = userEvent.setup();
  render(App);
  await user.selectOptions(await screen.findByLabelText("Language"), "es");
  expect(await screen.findByRole("button", { name: "Jugar ya contra 3 bots" })).toBeTruthy();
  expect(localStorage.getItem("liarsdice.language")).toBe("es");
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
