// The page in headless Chromium, used as a person uses it: loads without a word on the console, a
// sentence is typed, d_model changed, a small model trained, a link opened twice. Writes what the
// program saved, and screenshots, into a folder. Usage: page_test.mjs <address> <folder>
import {chromium} from 'playwright-core';
import {writeFileSync} from 'node:fs';

const [, , address, folder] = process.argv;
const browser = await chromium.launch({
  executablePath: '/usr/bin/chromium',
  args: ['--no-sandbox', '--use-angle=swiftshader', '--enable-unsafe-swiftshader', '--no-first-run',
         '--disable-background-networking', '--disable-component-update', '--disable-sync'],
});
const said = [];

async function open(url, {width = 1280, height = 720, scale = 1} = {}) {
  const context = await browser.newContext({
    viewport: {width, height}, deviceScaleFactor: scale, permissions: ['clipboard-write', 'clipboard-read'],
  });
  const page = await context.newPage();
  page.on('console', (message) => said.push(`${message.type()}: ${message.text()}`));
  page.on('pageerror', (error) => said.push(`error: ${error.message}`));
  await page.goto(url);
  await page.waitForFunction(() => program !== 0, null, {timeout: 60000});
  await rest(page);
  return page;
}

// The picture stays the same for two seconds.
async function rest(page, most = 60) {
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
  await page.keyboard.press('Control+Shift+T');
  await page.waitForFunction(() => Module.FS.analyzePath('/files/headscope-trace.safetensors').exists,
                             null, {timeout: 20000});
  await page.waitForTimeout(500);
  const bytes = await page.evaluate(() => {
    const path = '/files/headscope-trace.safetensors';
    const all = [...Module.FS.readFile(path)];
    Module.FS.unlink(path);
    return all;
  });
  return Buffer.from(bytes);
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

await page.mouse.click(462, 25);  // the field d_model
await page.keyboard.press('Control+a');
await page.keyboard.type('256', {delay: 30});
await page.keyboard.press('Enter');
await rest(page);
await page.keyboard.press('Escape');
const narrow = await savedTrace(page);
const header = JSON.parse(narrow.subarray(8, 8 + Number(narrow.readBigUInt64LE(0))).toString());
expect('d_model is 256 now', header.output.shape.at(-1) === 256);

const link = await page.evaluate(async () => {
  let copied = '';
  Module.host.copy = (text) => { copied = text; };
  Module._headscope_copy_link(program);
  return copied;
});
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

await page.mouse.click(160, 25);  // the page Train
await page.waitForTimeout(1000);
await page.keyboard.press('Enter');
await page.waitForTimeout(20000);
await page.screenshot({path: `${folder}/train.png`});

for (const [name, size] of Object.entries({
  phone: {width: 390, height: 844, scale: 3}, sharp: {width: 1280, height: 720, scale: 2},
})) {
  await (await open(address, size)).screenshot({path: `${folder}/${name}.png`});
}
expect(`nothing on the console (${said.join('; ')})`, said.length === 0);
await browser.close();
