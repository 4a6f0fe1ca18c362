/** Client-side routing: the page of a URL, and navigation without a reload. */
import type { Component } from "svelte";
import pages from "../words/pages.json";
import { requireWords, type WordFile } from "./i18n.svelte";

/** URL patterns by the name of the file in `pages/`, one or several. The page gets each `:segment` as a prop. */
const ROUTES = {
  Landing: "/",
  NewTable: "/new",
  Table: "/t/:code",
  Presets: "/rules",
  Rules: "/rules/:name",
  Strategy: "/strategy",
  Lobby: "/lobby",
  QuickMatch: "/quick",
  Verify: "/verify",
  Replay: "/replay/:code/:match",
  Review: ["/review", "/review/:code", "/review/:code/:match"],
  HabitCoach: "/coach",
  Matches: "/matches",
  Puzzles: "/puzzles",
  Cup: "/cup",
  TableCup: "/t/:code/cup",
  Tv: "/t/:code/tv",
  Group: ["/g", "/g/:code"],
} as const;

type PageName = keyof typeof ROUTES | "NotFound";
type Params = Record<string, string>;

interface Module {
  default: Component<Params>;
}

/** The words files that each page needs at its first render. */
const WORDS = pages as Record<PageName, WordFile[]>;

const files = import.meta.glob<Module>("../pages/*.svelte");

/** The page of a path, with the props taken from it. */
export function matchRoute(path: string): { name: PageName; params: Params } {
  for (const [name, patterns] of Object.entries<string | readonly string[]>(ROUTES)) {
    for (const pattern of [patterns].flat()) {
      const params = matchPattern(pattern, path);
      if (params) return { name: name as PageName, params };
    }
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

/** Loads the code and the words of the page of a path. Throws if they cannot be fetched. */
export async function loadPage(path: string): Promise<{ Page: Component<Params>; params: Params }> {
  const { name, params } = matchRoute(path);
  const load = files[`../pages/${name}.svelte`] ?? files["../pages/NotFound.svelte"];
  if (!load) throw new Error(`no page ${name}`);
  const [page] = await Promise.all([load(), requireWords(WORDS[name])]);
  return { Page: page.default, params };
}

class Route {
  /** The path of the current page. */
  path = $state(location.pathname);
  /** The query parameters of the current page. */
  query = $state.raw(new URLSearchParams(location.search));

  /** Reads path and query from the location of the browser. */
  update = (): void => {
    this.path = location.pathname;
    this.query = new URLSearchParams(location.search);
  };
}

/** The current location, reactive. */
export const route = new Route();

/** Shows another page. `replace` replaces the current history entry. */
export function navigate(url: string, { replace = false } = {}): void {
  if (replace) history.replaceState(null, "", url);
  else history.pushState(null, "", url);
  route.update();
  scrollTo(0, 0);
}

/** Click handler that navigates to internal links without a reload. It ignores all other links and modified clicks. */
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
