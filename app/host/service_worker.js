// Service worker of the page: adds the two headers that isolate a page to what the server sends,
// since browsers give threads to isolated pages alone and few web spaces let one set headers. It
// leaves all other files of the folder as they are, and stores nothing.
'use strict';
const FILES = ['', 'index.html', 'embed.html', 'headscope-threads.js'];

self.addEventListener('install', () => self.skipWaiting());
self.addEventListener('fetch', (event) => {
  const address = event.request.url.split(/[?#]/)[0];
  if (FILES.some((name) => address === self.registration.scope + name)) {
    event.respondWith(isolated(event.request));
  }
});

async function isolated(request) {
  const answer = await fetch(request);
  if (answer.status === 0) return answer;  // a redirection, which the browser follows
  const headers = new Headers(answer.headers);
  headers.set('Cross-Origin-Opener-Policy', 'same-origin');
  headers.set('Cross-Origin-Embedder-Policy', 'require-corp');
  return new Response(answer.body, {status: answer.status, statusText: answer.statusText, headers});
}
