// The page in headless Chromium, used as a person uses it: loads without a word on the console, a
// sentence is typed, d_model changed, for which heads learn, a session kept, a small model trained, a
// link opened twice and embedded, the page loaded again without a network. Writes what the program
// saved, and screenshots, into a folder.
// Usage: page_test.mjs <address> <folder> [--no-threads]
import {chromium} from 'playwright-core';
import {execFileSync} from 'node:child_process';
import {readFileSync, writeFileSync} from 'node:fs';

const [, , address, folder, option] = process.argv;
const threads = option !== '--no-threads';
const timeout = 600000;  // ends a test that hangs; on a busy machine all takes long
const browser = await chromium.launch({
  executablePath: '/usr/bin/chromium',
  args: ['--no-sandbox', '--use-angle=swiftshader', '--enable-unsafe-swiftshader', '--no-first-run',
         '--disable-background-networking', '--disable-component-update', '--disable-sync'],
});
const said = [];

async function open(url, {width = 1280, height = 720, scale = 1, touch = false} = {}) {
  const context = await browser.newContext({
    viewport: {width, height}, deviceScaleFactor: scale, isMobile: touch, hasTouch: touch, permissions: ['clipboard-write', 'clipboard-read'],
  });
  // without service workers the page cannot isolate itself
  if (!threads) await context.addInitScript(() => delete Navigator.prototype.serviceWorker);
  const page = await context.newPage();
  page.on('console', (message) => said.push(`${message.type()}: ${message.text()}`));
  page.on('pageerror', (error) => said.push(`error: ${error.message}`));
  await page.goto(url);
  await started(page);
  await rest(page);
  return page;
}

// The program runs, after the page has loaded itself again where it isolates itself.
const started = (page) =>
  page.waitForFunction(() => typeof program !== 'undefined' && program !== 0, null, {timeout});

// The picture stays the same for two seconds.
async function rest(page, most = 1200) {
  let before = null, same = 0;
  for (let i = 0; i < most; ++i) {
    const now = await page.screenshot();
    same = before !== null && now.equals(before) ? same + 1 : 0;
    if (same === 4) return now;
    before = now;
    await page.waitForTimeout(500);
  }
  throw new Error('the picture does not come to rest');
}

async function savedTrace(page) {
  const saved = page.waitForEvent('download', {timeout});
  await page.keyboard.press('Control+Shift+T');
  return readFileSync(await (await saved).path());
}

function expect(what, holds) {
  if (!holds) throw new Error(`not so: ${what}`);
  console.log(`holds: ${what}`);
}

const page = await open(address);
await page.screenshot({path: `${folder}/start.png`});
await page.keyboard.press('Escape');

await page.keyboard.press('Control+e');
await page.keyboard.press('Control+a');
await page.keyboard.type('The small bird sings.', {delay: 30});
await page.keyboard.press('Enter');
await rest(page);
writeFileSync(`${folder}/sentence.safetensors`, await savedTrace(page));

await page.mouse.click(87, 25);  // the page Flow
await page.waitForTimeout(1000);
await page.mouse.click(521, 25);  // the field d_model
await page.keyboard.press('Control+a');
await page.keyboard.type('256', {delay: 30});
await page.evaluate(() => {
  window.framesDrawn = 0;
  const count = () => { ++window.framesDrawn; requestAnimationFrame(count); };
  requestAnimationFrame(count);
});
await page.keyboard.press('Enter');
await page.waitForTimeout(2000);
const drawn = await page.evaluate(() => framesDrawn);
expect(`frames are drawn while heads learn (${drawn} in two seconds)`, drawn > 5);  // without threads a step of learning stands between two
await rest(page);
await page.keyboard.press('Escape');
const narrow = await savedTrace(page);
const header = JSON.parse(narrow.subarray(8, 8 + Number(narrow.readBigUInt64LE(0))).toString());
expect(threads ? 'it has isolated itself and has threads' : 'it has no threads',
       await page.evaluate(() => crossOriginIsolated) === threads);
expect('d_model is 256 now', header.output.shape.at(-1) === 256);

const fresh = await open(address);
await fresh.keyboard.press('Escape');
await fresh.waitForTimeout(1000);
await fresh.mouse.click(87, 25);  // the page Flow
await fresh.waitForTimeout(1000);
await fresh.mouse.click(1141, 25);  // Export
await fresh.waitForTimeout(1500);
await fresh.mouse.click(985, 131);  // a script for PyTorch
await fresh.waitForTimeout(1500);
const script = fresh.waitForEvent('download', {timeout});
await fresh.keyboard.press('Enter');
const listed = execFileSync('tar', ['-tf', await (await script).path()]).toString().split('\n');
expect(`a script comes with its tensors (${listed.length} files)`,
       listed.includes('headscope-pytorch/check_attention.py') && listed.includes('headscope-pytorch/tensors/weights.npy'));
await fresh.close();

const link = await page.evaluate(() => new Promise((copied) => {
  Module.host.copy = copied;
  Module._headscope_copy_link(program);
}));
expect('a link is the address and what is on the screen', link.startsWith(`${address}#s1.`));
// without the status bar, which tells how long the pass took
const above = {clip: {x: 0, y: 0, width: 1280, height: 690}};
const pictureOf = async (url) => {
  const opened = await open(url);
  await rest(opened);
  return opened.screenshot(above);
};
const once = await pictureOf(link);
const twice = await pictureOf(link);
writeFileSync(`${folder}/link.png`, once);
writeFileSync(`${folder}/link_again.png`, twice);
expect('a link opened twice gives the same picture', once.equals(twice));
const damaged = await open(`${address}#s1.nonsense`);
await damaged.screenshot({path: `${folder}/damaged.png`});

const isSession = (download) => download.suggestedFilename() === 'kept.headscope.json';
const session = page.waitForEvent('download', {predicate: isSession, timeout});
await page.keyboard.press('Control+s');
await page.waitForFunction(() => wantsText, null, {timeout});  // the name's field is there
await page.keyboard.press('Control+a');
await page.keyboard.type('kept', {delay: 30});
await page.keyboard.press('Enter');
expect('a session is a file to take along', readFileSync(await (await session).path()).length > 0);
await page.waitForTimeout(1500);
await page.reload();
await started(page);
expect('the browser keeps a session',
       await page.evaluate(() => Module.FS.analyzePath('/files/kept.headscope.json').exists));
await rest(page);
await page.screenshot({path: `${folder}/again.png`});

await page.keyboard.press('Escape');
await page.mouse.click(183, 25);  // the page Train
await page.waitForTimeout(1000);
await page.keyboard.press('Enter');
await page.waitForTimeout(20000);
await page.screenshot({path: `${folder}/train.png`});
await page.mouse.click(392, 25);  // Export
await page.waitForTimeout(800);
await page.mouse.click(458, 154);  // the run's curves
await page.waitForTimeout(1500);
const curves = page.waitForEvent('download', {timeout});
await page.keyboard.press('Enter');
const lines = readFileSync(await (await curves).path(), 'utf8').trim().split('\n');
const columns = lines[0].split(','), last = lines.at(-1).split(',');
const masses = columns.flatMap((column, i) => (column.startsWith('mass_') ? [Number(last[i])] : []));
expect(`heads have found their roles (${masses})`, masses.length >= 3 && masses.every((mass) => mass > 0.9));
await page.keyboard.press('Escape');

await (await open(address, {scale: 2})).screenshot({path: `${folder}/sharp.png`});
const phone = await open(address, {width: 390, height: 844, scale: 2, touch: true});
await phone.touchscreen.tap(348, 754);  // Numbers
await phone.waitForTimeout(1000);
await phone.touchscreen.tap(69, 60);  // Your sentence
await phone.waitForFunction(() => wantsText, null, {timeout});
expect('a phone shows its keyboard', await phone.evaluate(() => document.activeElement === field));
await phone.screenshot({path: `${folder}/phone.png`});
const embedded = await open(link.replace('#', 'embed.html#'), {width: 640, height: 400});
await embedded.screenshot({path: `${folder}/embedded.png`});
const article = await embedded.context().newPage();
await article.setContent(`<iframe src="${link.replace('#', 'embed.html#')}" width="640" height="400"></iframe>`);
const frame = article.frames()[1];
await started(frame);
expect('in a frame of another page it runs without threads', !await frame.evaluate(() => crossOriginIsolated));
expect(`nothing on the console (${said.join('; ')})`, said.length === 0);

if (threads) {
  const away = await open(address);
  await away.waitForFunction(
      async () => (await (await caches.open('headscope')).keys()).some(({url}) => url.endsWith('.webmanifest')),
      null, {timeout});
  await away.context().setOffline(true);
  await away.reload();
  await started(away);
  expect('it opens again without a network', await away.evaluate(() => crossOriginIsolated));
}
await browser.close();
