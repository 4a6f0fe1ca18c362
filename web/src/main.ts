import { mount } from "svelte";
import App from "./App.svelte";
import { preferredLanguage, setLanguage } from "./lib/i18n.svelte";
import { theme } from "./lib/browserState.svelte";
import "./styles/page.css";

/** Applies a style sheet that is being loaded. */
function apply(sheet: HTMLLinkElement): Promise<unknown> {
  return new Promise((done) => {
    sheet.onload = sheet.onerror = done;
    sheet.rel = "stylesheet";
  });
}

const sheets = [...document.querySelectorAll<HTMLLinkElement>('link[rel="preload"][as="style"]')].map(apply);
theme.apply();
await Promise.all([setLanguage(preferredLanguage()), ...sheets]);
document.getElementById("opening")?.remove();
mount(App, { target: document.body });
if (import.meta.env.PROD && "serviceWorker" in navigator) void navigator.serviceWorker.register("/sw.js");
