/** What every test starts from: English words, nothing remembered, the first page. */
import { beforeEach } from "vitest";
import { speak } from "./i18n.svelte";
import { go } from "./router.svelte";

beforeEach(async () => {
  localStorage.clear();
  window.scrollTo = () => undefined; // jsdom has none
  go("/", { replace: true });
  await speak("en");
});
