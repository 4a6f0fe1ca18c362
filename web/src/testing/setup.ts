/**
 * The state before each test: English texts, empty storage, the start page, real timers. Files of tests share a document
 * and modules, since making them takes longer than the tests.
 */
import { configure } from "@testing-library/svelte";
import { afterEach, beforeEach, vi } from "vitest";
import { files, requireWords, setLanguage, type WordFile } from "../lib/i18n.svelte";
import { navigate } from "../lib/router.svelte";
import { requests } from "../setup/presets";

configure({ asyncUtilTimeout: 30_000 }); // the first render of a page loads its code

beforeEach(async () => {
  localStorage.clear();
  sessionStorage.clear();
  requests.clear();
  window.scrollTo = () => undefined; // jsdom has none
  navigate("/", { replace: true });
  await requireWords(Object.keys(files).map((name) => name.split("/").at(-1) as WordFile));
  await setLanguage("en");
});

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
  Reflect.deleteProperty(navigator, "clipboard"); // jsdom has none; user-event adds one
});
