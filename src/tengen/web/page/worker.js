// The service worker: keeps the static files, so that the installed page opens without its server.
//
// The server comes first, so that a change is visible after a reload.

const CACHE = "tengen";
const KEPT = /^\/(page\/.*)?$/;

self.addEventListener("install", () => self.skipWaiting());
self.addEventListener("activate", (event) => event.waitUntil(self.clients.claim()));

self.addEventListener("fetch", (event) => {
  const { pathname, origin, search } = new URL(event.request.url);
  const isKept = event.request.method === "GET" && origin === location.origin && KEPT.test(pathname) && !search;
  if (isKept) event.respondWith(answer(event.request));
});

async function answer(request) {
  const cache = await caches.open(CACHE);
  try {
    const response = await fetch(request);
    if (response.ok) await cache.put(request, response.clone());
    return response;
  } catch (error) {
    const kept = await cache.match(request);
    if (kept) return kept;
    throw error;
  }
}
