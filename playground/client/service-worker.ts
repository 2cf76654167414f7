/// <reference lib="webworker" />
/** Keeps the page's files, so that it opens without a network. Written anew by each build: its files and version are filled in. */
declare const self: ServiceWorkerGlobalScope
declare const FILES: readonly string[]
declare const VERSION: string

const OURS = 'memorymark-playground-'
const CACHE = OURS + VERSION

self.addEventListener('install', event => {
  // Past the browser's own cache, which may hold the page of an earlier build.
  const requests = FILES.map(file => new Request(file, { cache: 'reload' }))
  event.waitUntil(caches.open(CACHE).then(cache => cache.addAll(requests)))
})

/** Once no page of an earlier build is open, which might still ask for one of its files. */
self.addEventListener('activate', event => {
  const isOld = (name: string) => name.startsWith(OURS) && name !== CACHE
  event.waitUntil(caches.keys().then(names => Promise.all(names.filter(isOld).map(name => caches.delete(name)))))
})

self.addEventListener('fetch', event => {
  const { request } = event
  if (request.method !== 'GET' || new URL(request.url).origin !== self.location.origin) return
  event.respondWith(
    caches
      .open(CACHE)
      .then(cache => cache.match(request, { ignoreSearch: true, ignoreVary: true }))
      .then(kept => kept ?? fetch(request)),
  )
})
