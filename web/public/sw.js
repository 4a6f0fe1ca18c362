/*
 * The service worker, which lets the page open offline. It caches the document and the hashed files of its build.
 * Responses of /api and /ws are never cached, and the cached document is used only without a network.
 */
const DOCUMENT = "shell"; // an old name, kept because browsers have this cache
const ASSETS = "files";
const GROUPS = "groups";
const SOON_MS = 65 * 60_000;

self.addEventListener("install", (event) => {
  event.waitUntil(
    fetch("/", { cache: "no-cache" })
      .then(cacheDocument)
      .then(() => self.skipWaiting()),
  );
});

self.addEventListener("activate", (event) => {
  event.waitUntil(self.clients.claim());
});

self.addEventListener("fetch", (event) => {
  const { request } = event;
  const url = new URL(request.url);
  if (request.method !== "GET" || url.origin !== location.origin) return;
  if (request.mode === "navigate" && !url.pathname.startsWith("/api/")) event.respondWith(fetchDocument(event));
  else if (url.pathname.startsWith("/assets/")) event.respondWith(fetchAsset(request));
});

/** Says that a group meets, or else that it is the player's turn. A push has no content: its service learns nothing. */
self.addEventListener("push", (event) => event.waitUntil(tell()));

async function tell() {
  const spanish = self.navigator.language.startsWith("es");
  const { path, name, isOpen } = (await meetingGroup()) ?? {};
  let notice = spanish ? ["Dudo", "Te toca jugar"] : ["Liar's Dice", "It is your turn"];
  if (isOpen) notice = [name, spanish ? "La mesa está abierta" : "The table is open"];
  else if (path) notice = [name, spanish ? "Os veis dentro de una hora" : "You meet within the hour"];
  const options = { body: notice[1], tag: path ?? "turn", icon: "/icon-192.png", data: path ?? "/matches" };
  await self.registration.showNotification(notice[0], options);
}

/** The first of the browser's groups that meets and was not told of that yet, null for none. The page lists them. */
async function meetingGroup() {
  const groups = await caches.open(GROUPS);
  for (const request of await groups.keys()) {
    const { pathname } = new URL(request.url);
    try {
      const { inside } = await (await fetch(pathname.replace(/^\/g\//, "/api/groups/"))).json();
      const table = inside.tables.find(({ seated }) => !seated);
      const isSoon = inside.next_ms !== null && Math.abs(inside.next_ms - Date.now()) < SOON_MS;
      const meeting = table?.code ?? (isSoon ? `${inside.next_ms}` : "");
      if (meeting === "" || (await (await groups.match(request)).text()) === meeting) continue;
      await groups.put(request, new Response(meeting));
      return { path: pathname, name: inside.name, isOpen: table !== undefined };
    } catch {
      // one that cannot be asked tells nothing
    }
  }
  return null;
}

/** Opens the table of a notification, in the tab that shows it already if there is one. */
self.addEventListener("notificationclick", (event) => {
  event.notification.close();
  const path = typeof event.notification.data === "string" ? event.notification.data : "/matches";
  event.waitUntil(showPage(path));
});

async function showPage(path) {
  const pages = await self.clients.matchAll({ type: "window" });
  const open = pages.find((page) => new URL(page.url).pathname === path);
  if (open) await open.focus();
  else await self.clients.openWindow(path);
}

/** The document from the network, else from the cache. A new document is cached. */
async function fetchDocument(event) {
  try {
    const response = await fetch(event.request);
    if (isDocument(response)) event.waitUntil(cacheDocument(response.clone()));
    return response;
  } catch {
    return (await caches.match("/", { cacheName: DOCUMENT })) ?? Response.error();
  }
}

/** A file from the cache, else from the network. The content of a hashed name never changes. */
async function fetchAsset(request) {
  const cached = await caches.match(request, { cacheName: ASSETS });
  if (cached) return cached;
  const response = await fetch(request);
  if (response.ok) await (await caches.open(ASSETS)).put(request, response.clone());
  return response;
}

/** Caches a document and all files of its build, and deletes the files of other builds. */
async function cacheDocument(response) {
  if (!isDocument(response)) return;
  const documents = await caches.open(DOCUMENT);
  const text = await response.clone().text();
  if (text === (await (await documents.match("/"))?.text())) return;
  const paths = await buildFiles();
  const assets = await caches.open(ASSETS);
  await Promise.all(paths.map((path) => fetchAsset(new Request(path))));
  if (paths.length > 0) {
    const urls = new Set(paths.map((path) => new URL(path, location.origin).href));
    for (const request of await assets.keys()) if (!urls.has(request.url)) await assets.delete(request);
  }
  await documents.put("/", new Response(text, { headers: response.headers }));
}

/** The paths of all files of the current build, empty if the server does not list them. */
async function buildFiles() {
  try {
    const chunks = await (await fetch("/chunks.json", { cache: "no-cache" })).json();
    const names = Object.values(chunks).flatMap(({ file, css = [], assets = [] }) => [file, ...css, ...assets]);
    return [...new Set(names)].map((name) => `/${name}`);
  } catch {
    return [];
  }
}

/** Whether a response is the HTML document of the page. */
function isDocument(response) {
  return response.ok && !response.redirected && (response.headers.get("content-type") ?? "").startsWith("text/html");
}
