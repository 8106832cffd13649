// Service worker of the page. It adds the two headers that isolate a page to what the server sends,
// since browsers give threads to isolated pages alone and few web spaces let one set headers. It
// keeps a copy of each of the page's files, and answers with the copy where the server cannot be
// reached, so that the page works offline. Other files of the folder are left as they are.
'use strict';
const COPIES = 'headscope';
const PAGES = ['', 'index.html', 'embed.html'];
const ISOLATED = [...PAGES, 'headscope-threads.js'];
const FILES = [...ISOLATED, 'headscope.js', 'headscope.wasm', 'headscope-threads.wasm', 'icon.svg',
               'manifest.webmanifest'];

const nameOf = (url) => {
  const address = url.split(/[?#]/)[0];
  return address.startsWith(self.registration.scope)
      ? address.slice(self.registration.scope.length) : null;
};

self.addEventListener('install', () => self.skipWaiting());
self.addEventListener('activate', (event) => event.waitUntil(self.clients.claim()));
self.addEventListener('fetch', (event) => {
  const name = nameOf(event.request.url);
  if (event.request.method === 'GET' && name !== null &&
      (FILES.includes(name) || name.startsWith('models/'))) {
    event.respondWith(answered(event.request, name));
  }
});
// The page sends the addresses of what it has loaded before this worker was there.
self.addEventListener('message', (event) => {
  const loaded = event.data.filter((address) => FILES.includes(nameOf(address)));
  event.waitUntil(keepAll(loaded));
});

async function keepAll(addresses) {
  const copies = await caches.open(COPIES);
  for (const address of addresses) {
    if (!await copies.match(address, {ignoreSearch: true})) await copies.add(address);
  }
}

async function answered(request, name) {
  const copies = await caches.open(COPIES);
  let answer;
  try {
    answer = await fetch(request);
  } catch (error) {
    answer = await copies.match(request, {ignoreSearch: true});
    if (!answer) throw error;
    return isolated(answer, name);
  }
  if (answer.ok) await copies.put(request.url.split(/[?#]/)[0], answer.clone());
  return isolated(answer, name);
}

function isolated(answer, name) {
  // status 0: a redirection, which the browser follows
  if (answer.status === 0 || !ISOLATED.includes(name)) return answer;
  const headers = new Headers(answer.headers);
  headers.set('Cross-Origin-Opener-Policy', 'same-origin');
  headers.set('Cross-Origin-Embedder-Policy', 'require-corp');
  return new Response(answer.body, {status: answer.status, statusText: answer.statusText, headers});
}
