// The page in Debian's Firefox, which needs a display for WebGL 2 (Xvfb): it loads without a message
// on the console, a sentence is typed, and the trace that it saves is compared by same_trace.py.
// Usage: firefox_test.mjs <address> <folder>
import puppeteer from 'puppeteer-core';
import {renameSync, rmSync, statSync} from 'node:fs';

const [, , address, folder] = process.argv;
const timeout = 600000;  // ends a test that hangs; on a busy machine all takes long
const saved = `${folder}/headscope-trace.safetensors`;
rmSync(saved, {force: true});
const browser = await puppeteer.launch({
  browser: 'firefox',
  executablePath: '/usr/bin/firefox-esr',
  headless: false,
  // a processor draws, and root may not begin what the sandbox needs
  env: {...process.env, LIBGL_ALWAYS_SOFTWARE: '1', MOZ_DISABLE_CONTENT_SANDBOX: '1', MOZ_DISABLE_GPU_SANDBOX: '1'},
  extraPrefsFirefox: {'webgl.force-enabled': true, 'browser.download.folderList': 2, 'browser.download.dir': folder},
});
const messages = [];
const page = await browser.newPage();
page.on('console', (message) => messages.push(`${message.type()}: ${message.text()}`));
page.on('pageerror', (error) => messages.push(`error: ${error.message}`));
await page.setViewport({width: 1280, height: 720});

const until = async (what, holds) => {
  const end = Date.now() + timeout;
  while (!await holds()) {
    if (Date.now() > end) throw new Error(`not so: ${what}`);
    await new Promise((ready) => setTimeout(ready, 200));
  }
  console.log(`holds: ${what}`);
};
const press = async (...keys) => {
  for (const key of keys) await page.keyboard.down(key);
  for (const key of keys.reverse()) await page.keyboard.up(key);
};

await page.goto(address);
// the page loads itself again where it isolates itself, so each question is a new one
const now = (question) => page.evaluate(question).catch(() => false);
await until('it starts in Firefox, with threads',
            () => now(() => crossOriginIsolated && typeof program !== 'undefined' && program !== 0));
await page.keyboard.press('Escape');
await press('Control', 'e');
await until('a sentence can be typed', () => now(() => wantsText));
await press('Control', 'a');
await page.keyboard.type('The small bird sings.', {delay: 30});
await page.keyboard.press('Enter');
await until('the sentence is typed', () => now(() => !wantsText));
await page.screenshot({path: `${folder}/firefox.png`});
await press('Control', 'Shift', 't');
// Firefox writes beside an empty file of that name, which it then replaces
await until('it saves a trace', () => statSync(saved, {throwIfNoEntry: false})?.size > 0);
renameSync(saved, `${folder}/firefox.safetensors`);
if (messages.length > 0) throw new Error(`on the console: ${messages.join('; ')}`);
console.log('holds: nothing on the console');
await browser.close();
