import { mount } from "svelte";
import App from "./App.svelte";
import { preferredLanguage, setLanguage } from "./lib/i18n.svelte";
import { theme } from "./lib/browserState.svelte";
import "./styles/page.css";

theme.apply();
await setLanguage(preferredLanguage());
mount(App, { target: document.body });
if (import.meta.env.PROD && "serviceWorker" in navigator) void navigator.serviceWorker.register("/sw.js");
