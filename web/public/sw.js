/*
 * Lets an installed page open without a network: keeps the document and its hashed files, and nothing else.
 * What the server says (/api, /ws) is never kept, and a document is only taken from here when the network is away.
 */
const SHELL = "shell";
const FILES = "files";

self.addEventListener("install", (event) => {
  event.waitUntil(
    fetch("/", { cache: "no-cache" })
      .then(keep)
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
  if (request.mode === "navigate" && !url.pathname.startsWith("/api/")) event.respondWith(opened(event));
  else if (url.pathname.startsWith("/assets/")) event.respondWith(file(request));
});

/** A document: from the network where there is one, and then kept if it has changed. */
async function opened(event) {
  try {
    const answer = await fetch(event.request);
    if (isDocument(answer)) event.waitUntil(keep(answer.clone()));
    return answer;
  } catch {
    return (await caches.match("/", { cacheName: SHELL })) ?? Response.error();
  }
}

/** A file by its hashed name never changes. */
async function file(request) {
  const kept = await caches.match(request, { cacheName: FILES });
  if (kept) return kept;
  const answer = await fetch(request);
  if (answer.ok) await (await caches.open(FILES)).put(request, answer.clone());
  return answer;
}

/** Keep a document for every address, with all files of its build; files of other builds go. */
async function keep(answer) {
  if (!isDocument(answer)) return;
  const shell = await caches.open(SHELL);
  const text = await answer.clone().text();
  if (text === (await (await shell.match("/"))?.text())) return;
  const files = await built();
  const cache = await caches.open(FILES);
  await Promise.all(files.map((path) => file(new Request(path))));
  if (files.length > 0) {
    const wanted = new Set(files.map((path) => new URL(path, location.origin).href));
    for (const request of await cache.keys()) if (!wanted.has(request.url)) await cache.delete(request);
  }
  await shell.put("/", new Response(text, { headers: answer.headers }));
}

/** The paths of all files of this build; none where the server does not tell. */
async function built() {
  try {
    const chunks = await (await fetch("/chunks.json", { cache: "no-cache" })).json();
    const named = Object.values(chunks).flatMap(({ file: name, css = [], assets = [] }) => [name, ...css, ...assets]);
    return [...new Set(named)].map((name) => `/${name}`);
  } catch {
    return [];
  }
}

function isDocument(answer) {
  return answer.ok && !answer.redirected && (answer.headers.get("content-type") ?? "").startsWith("text/html");
}
