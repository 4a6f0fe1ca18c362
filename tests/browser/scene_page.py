"""A page that shows states of a table, and what of it cannot be seen or reached in a window."""

import json
import re

from playwright.async_api import Page, Route, WebSocketRoute

from tests.browser.screen_steps import open_page
from tests.browser.table_states import Scene

NEXT_FRAME = "() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done())))"
MAX_SETTLING_FRAMES = 3
"""A window that has changed its size may need some frames until everything is in place."""
SETTLED = """async () => {
  for (let before = "", calm = 0; calm < 4; ) {
    await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
    const now = document.querySelector(".game").innerHTML;
    calm = now === before ? calm + 1 : 0;
    before = now;
  }
}"""
LOOK = r"""(facts) => {
  const faults = [];
  const page = document.scrollingElement;
  const name = (element) => {
    const label = element.getAttribute("aria-label") ?? element.textContent;
    return label.trim().replace(/\s+/g, " ").slice(0, 40) || element.id || element.localName;
  };
  const styles = new Map();
  const styleOf = (element) => {
    if (!styles.has(element)) {
      const { position, overflow, overflowX, overflowY, textOverflow } = getComputedStyle(element);
      const scrolls = element === page || /auto|scroll/.test(`${overflowX} ${overflowY}`);
      const dots = textOverflow === "ellipsis"; // which tell that the text goes on
      const clips = overflow !== "visible" && !dots && element !== page && element !== document.body;
      styles.set(element, { position, scrolls, dots, clips });
    }
    return styles.get(element);
  };
  /** By how much a box is not in the part of the window that shows it, or "". */
  const cut = (element, { left, top, right, bottom }) => {
    const part = { left: 0, top: 0, right: innerWidth, bottom: innerHeight };
    let { position } = styleOf(element);
    for (let above = element.parentElement; above && position !== "fixed"; above = above.parentElement) {
      const style = styleOf(above);
      if (position === "absolute" && style.position === "static") continue;
      position = style.position;
      if (!style.clips) continue;
      const frame = above.getBoundingClientRect();
      const [x, y] = [frame.left + above.clientLeft, frame.top + above.clientTop];
      part.left = Math.max(part.left, x);
      part.top = Math.max(part.top, y);
      part.right = Math.min(part.right, x + above.clientWidth);
      part.bottom = Math.min(part.bottom, y + above.clientHeight);
    }
    if (Math.min(right, part.right) <= Math.max(left, part.left)) return "out of sight";
    if (Math.min(bottom, part.bottom) <= Math.max(top, part.top)) return "out of sight";
    const lost = Math.max(part.left - left, right - part.right, part.top - top, bottom - part.bottom);
    return lost > 2 ? `cut by ${Math.round(lost)} pixels` : "";
  };
  /** What covers a box, or "". */
  const covered = (element, { left, top, width, height }) => {
    const isOne = element.matches("a, button, input, select, .die");
    for (const [x, y] of isOne ? [[0.5, 0.5]] : [[0.5, 0.5], [0.1, 0.2], [0.9, 0.8]]) {
      const [pointX, pointY] = [left + x * width, top + y * height];
      const hit = document.elementFromPoint(pointX, pointY);
      if (!hit) return "covered by nothing";
      const related = element.contains(hit) || hit.contains(element) || hit.closest("label")?.contains(element);
      if (related || hit.parentElement === element.parentElement) continue;
      const box = hit.getBoundingClientRect();
      const isInside = pointX >= box.left && pointX <= box.right && pointY >= box.top && pointY <= box.bottom;
      if (isInside || !hit.matches("a, button")) return `covered by ${hit.localName}.${hit.classList[0] ?? ""}`;
      // else the area around a small control that reacts to a finger
    }
    return "";
  };
  /** The boxes of the lines of a text. */
  const linesOf = (element) => {
    if (element.matches(".die, svg") || styleOf(element).dots) return [element.getBoundingClientRect()];
    const above = [element.parentElement, element.parentElement.parentElement].find((other) => styleOf(other).dots);
    const end = above?.getBoundingClientRect().right ?? Infinity;
    const range = document.createRange();
    const texts = [...element.childNodes].filter((node) => node.nodeType === Node.TEXT_NODE);
    return texts.flatMap((node) => {
      range.selectNodeContents(node);
      return [...range.getClientRects()].filter((box) => box.width > 1 && box.height > 1 && box.right <= end);
    });
  };

  const chart = document.querySelector(".chart");
  if (chart) {
    if (chart.clientHeight < 44) faults.push("the chart shows no row");
    const wide = [...chart.querySelectorAll(".bid")].some((bid) => bid.scrollWidth > bid.clientWidth);
    if (wide) faults.push("a bid is wider than its cell in the chart");
    const rows = [...chart.querySelectorAll(".row")];
    const frame = chart.getBoundingClientRect();
    for (const row of rows) row.style.removeProperty("content-visibility");
    const boxes = rows.map((row) => row.getBoundingClientRect());
    for (const [index, { top, bottom }] of boxes.entries()) // many hidden rows make every hit test slow
      if (bottom < frame.top || top > frame.bottom) rows[index].style.setProperty("content-visibility", "hidden");
  }
  const panel = document.querySelector(".action-panel:has(.training .scroll)");
  if (panel?.scrollHeight > panel?.clientHeight + 1) faults.push("estimates scroll inside a panel that scrolls");
  const seat = document.querySelector(".seats .seat");
  const isRound = innerWidth >= 760 && innerHeight >= 600;
  if (seat && isRound && styleOf(seat).position !== "absolute") faults.push("the seats are not around a table");
  if (page.scrollWidth > innerWidth) faults.push(`the page is ${page.scrollWidth - innerWidth} pixels too wide`);
  if (page.scrollHeight > innerHeight) faults.push(`the page is ${page.scrollHeight - innerHeight} pixels too high`);

  for (const [fact, [selector, text]] of Object.entries(facts)) {
    const found = [...document.querySelectorAll(selector)].filter((element) => element.checkVisibility());
    if (!found.some((element) => element.textContent.includes(text))) faults.push(`${fact} is missing`);
    for (const element of found)
      for (const box of linesOf(element)) {
        const fault = cut(element, box) || covered(element, box);
        if (fault) faults.push(`${fact} is ${fault}`);
      }
  }

  const inSight = (selector) => [...document.querySelectorAll(`.board :is(${selector})`)].flatMap((element) => {
    const faded = getComputedStyle(element.closest(".name-tag, .mark") ?? element).opacity === "0";
    if (faded || !element.checkVisibility()) return [];
    const range = document.createRange();
    range.selectNodeContents(element);
    const boxes = element.matches(".bid-text") ? [...range.getClientRects()] : [element.getBoundingClientRect()];
    return boxes.filter((box) => cut(element, box) !== "out of sight").map((box) => [element, box]);
  });
  const told = inSight(".seats .name, .seats .count, .bid-text, .bid-dice .die, .facts span, .scores b, .slots > *");
  const hands = document.querySelector(".seats.reveal"); // rows of a list that scrolls may lie over each other
  for (const [over, a] of inSight(".bubble, .voice, .emote, .mark, .arrow, .own-dice .die"))
    for (const [element, b] of told) {
      if (hands?.contains(over) && hands.contains(element) && styleOf(hands).scrolls) continue;
      const wide = Math.min(a.right, b.right) - Math.max(a.left, b.left);
      const high = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
      if (wide > 2 && high > 2) faults.push(`${name(over)} lies over ${name(element)}`);
    }

  const announcement = document.querySelector("section.banner"); // lies above the board until it is closed
  const isOffered = (element) =>
    (!announcement || announcement.contains(element) || !element.closest(".board")) &&
    element.checkVisibility({ visibilityProperty: true }) && !element.closest("[aria-hidden=true], .sr-only");
  const find = (selector) => [...document.querySelectorAll(selector)].filter(isOffered);
  const hasText = (element) =>
    !element.closest("button, svg") && [...element.childNodes].some((node) => node.nodeType === Node.TEXT_NODE);
  const controls = find(":is(.game, dialog[open]) :is(a[href], button:not([data-bid]), input, select)");
  const bids = find(".row:not([style*=content-visibility]) > [data-bid]");
  const parts = ":is(.action-panel, .training) > .panel > :not(.chart)";
  const texts = ["header", ".banner", ".board", ".training > :not(.panel)", parts].flatMap((part) =>
    find(`.game ${part} :is(p, h2, h3, li, b, small, span, legend, label)`).filter(hasText));
  const boxOf = (element) => () => element.getBoundingClientRect();
  const items = [
    ...[...controls, ...bids.slice(0, 1)].map((element) => ({ element, kind: "control", box: boxOf(element) })),
    ...find(".seats .hand .die").map((element) => ({ element, kind: "die", box: boxOf(element) })),
    ...texts.flatMap((element) =>
      linesOf(element).map((_, line) => ({ element, kind: "text", box: () => linesOf(element)[line] }))),
  ];
  const faultOf = ({ element, box }) => cut(element, box()) || covered(element, box());
  const scrollers = [page, ...document.querySelectorAll(".game *")].filter((element) => styleOf(element).scrolls);
  const places = scrollers.map((element) => [element.scrollLeft, element.scrollTop]);
  /** Scrolls so that an item is in the middle of whatever scrolls (place 0.5), or near its start or end. */
  const scrollTo = ({ element, box }, place) => {
    for (let above = element.parentElement; above; above = above.parentElement) {
      if (!styleOf(above).scrolls) continue;
      const [inner, outer] = [box(), above === page ? { left: 0, top: 0 } : above.getBoundingClientRect()];
      above.scrollTop += inner.top - outer.top - place * (above.clientHeight - inner.height);
      above.scrollLeft += inner.left - outer.left - place * (above.clientWidth - inner.width);
    }
  };
  for (let pending = items.filter(faultOf); pending.length > 0; pending = pending.slice(1).filter(faultOf)) {
    const [first] = pending;
    const isReached = [0.5, 0.1, 0.9].some((place) => (scrollTo(first, place), !faultOf(first)));
    if (!isReached) faults.push(`the ${first.kind} "${name(first.element)}" is ${faultOf(first)}`);
  }
  for (const [index, element] of scrollers.entries()) [element.scrollLeft, element.scrollTop] = places[index];
  const inPanel = (element) => element.closest(".action-panel") && !element.closest(".minimum-bids");
  return [[...new Set(faults)], controls.filter(inPanel).map(name)];
}"""
"""Returns what is hidden, and the names of the controls in the panel.

The `facts` by which a player decides are to be in sight at once. Every control, every line of text and every revealed
die is to be in sight once whatever can be scrolled by hand is scrolled. Nothing may cover them.
"""


class ScenePage:
    """A page of which the tests are the server, as far as tables are concerned."""

    def __init__(self, page: Page, origin: str) -> None:
        self.page = page
        self._origin = origin
        self._scenes: dict[str, Scene] = {}

    async def open(self) -> None:
        """Loads the page."""
        await self.page.route("**/api/tables/**", self._answer)
        await self.page.route_web_socket(re.compile("/ws/"), self._connect)
        await self.page.goto(f"{self._origin}/t/START")

    async def show(self, scene: Scene) -> None:
        """Shows a scene, completely."""
        code = f"S{len(self._scenes)}"
        self._scenes[code] = scene
        await open_page(f"{self._origin}/t/{code}", shown=".panel")(self.page)
        if scene.lost:
            await self.page.evaluate("dispatchEvent(new Event('offline'))")
        if scene.click:
            await self.page.locator(scene.click).click()
        for selector, _ in scene.facts().values():
            await self.page.locator(selector).first.wait_for(state="attached")
        await self.page.evaluate(SETTLED)

    async def look(self, facts: dict[str, tuple[str, str]], size: tuple[int, int]) -> tuple[list[str], list[str]]:
        """What is hidden in a window of this size, and the names of the controls in the panel."""
        await self.page.set_viewport_size({"width": size[0], "height": size[1]})
        faults: list[str] = []
        panel: list[str] = []
        for _ in range(MAX_SETTLING_FRAMES):
            await self.page.evaluate(NEXT_FRAME)
            faults, panel = await self.page.evaluate(LOOK, facts)
            if not faults:
                break
        return faults, panel

    async def _answer(self, route: Route) -> None:
        if route.request.url.endswith("/summary"):
            await route.fulfill(json={"awards": [], "dice": [[1] * 10, [1] * 9 + [0]]})
        elif (scene := self._scenes.get(route.request.url.split("/")[-2])) is not None and scene.trains:
            await route.fulfill(json=scene.estimates())
        else:
            await route.fulfill(status=404, json={"code": "no_such_table", "text": ""})

    def _connect(self, socket: WebSocketRoute) -> None:
        scene = self._scenes.get(socket.url.rsplit("/", 1)[-1])

        def answer(message: str | bytes) -> None:
            if scene is not None and json.loads(message)["type"] == "hello":
                for frame in scene.frames():
                    socket.send(frame)

        socket.on_message(answer)
