/** Which page an address means, and how to go to another without loading the document anew. */
import type { Component } from "svelte";
import pages from "../words/pages.json";
import { requireWords, type WordFile } from "./i18n.svelte";

/** Addresses by the name of the page's file in `pages/`; `:word` hands that part to the page as a property. */
const ROUTES = {
  Landing: "/",
  NewTable: "/new",
  Table: "/t/:code",
  RuleSheets: "/rules",
  Rules: "/rules/:name",
  Lobby: "/lobby",
  Verify: "/verify",
  Replay: "/replay/:code/:match",
  Cup: "/cup",
  TableCup: "/t/:code/cup",
} as const;

export type PageName = keyof typeof ROUTES | "NotFound";
export type Params = Record<string, string>;

interface Module {
  default: Component<Params>;
}

/** What each page says from the start. */
const WORDS = pages as Record<PageName, WordFile[]>;

const files = import.meta.glob<Module>("../pages/*.svelte");

/** The page that an address means. */
export function matchRoute(path: string): { name: PageName; params: Params } {
  for (const [name, pattern] of Object.entries(ROUTES)) {
    const params = matchPattern(pattern, path);
    if (params) return { name: name as PageName, params };
  }
  return { name: "NotFound", params: {} };
}

function matchPattern(pattern: string, path: string): Params | null {
  const segments = pattern.split("/");
  const actual = (path.length > 1 ? path.replace(/\/$/, "") : path).split("/");
  if (segments.length !== actual.length) return null;
  const params: Params = {};
  for (const [index, segment] of segments.entries()) {
    const value = actual[index] ?? "";
    if (!segment.startsWith(":")) {
      if (segment !== value) return null;
    } else {
      if (value === "") return null;
      params[segment.slice(1)] = decode(value);
    }
  }
  return params;
}

function decode(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}

/** Load the page that an address means; its code and its words come with the first visit. */
export async function loadPage(path: string): Promise<{ Page: Component<Params>; params: Params }> {
  const { name, params } = matchRoute(path);
  const load = files[`../pages/${name}.svelte`] ?? files["../pages/NotFound.svelte"];
  if (!load) throw new Error(`no page ${name}`);
  const [page] = await Promise.all([load(), requireWords(WORDS[name])]);
  return { Page: page.default, params };
}

class Route {
  /** The address of the page shown, without what follows `?` or `#`. */
  path = $state(location.pathname);
  /** What follows `?`. */
  query = $state.raw(new URLSearchParams(location.search));

  update = (): void => {
    this.path = location.pathname;
    this.query = new URLSearchParams(location.search);
  };
}

export const route = new Route();

/** Show another page. `replace` leaves no way back to this one. */
export function navigate(url: string, { replace = false } = {}): void {
  if (replace) history.replaceState(null, "", url);
  else history.pushState(null, "", url);
  route.update();
  scrollTo(0, 0);
}

/** Follow a link of our own without loading the document anew; leave all others, and other ways to click, alone. */
export function followLink(event: MouseEvent): void {
  const link = event.target instanceof Element ? event.target.closest("a") : null;
  if (!link || event.defaultPrevented || event.button !== 0) return;
  if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
  if (link.target !== "" || link.hasAttribute("download") || link.origin !== location.origin) return;
  if (link.hash !== "" && link.pathname === location.pathname && link.search === location.search) return;
  if (/^\/(api|ws)\//.test(link.pathname)) return;
  event.preventDefault();
  navigate(link.pathname + link.search + link.hash);
}
