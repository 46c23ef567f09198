// How fast the report is where it is largest: node benchmark.mjs, with CYCLESCOPE_SIMULATED as in browser.mjs.
// The limits are what readers were promised; a machine that is busy with something else may break them.
import {openTab, reportAddress, siteAddress, startBrowser, stopBrowser} from './browser.mjs';

const kFirstPaintLimit = 1500;
const kKeystrokeLimit = 200;

const browser = await startBrowser();
let failed = false;

function tell(what, milliseconds, limit) {
  const verdict = milliseconds <= limit ? 'ok' : 'TOO SLOW';
  failed ||= milliseconds > limit;
  console.log(
    `${what.padEnd(44)} ${milliseconds.toFixed(0).padStart(6)} ms  (limit ${limit})  ${verdict}`,
  );
}

async function open(name) {
  const page = await browser.newPage({viewport: {width: 1300, height: 900}});
  await page.goto(reportAddress(name));
  await page.locator('#content').waitFor();
  const paint = await page.evaluate(
    () =>
      new Promise((resolve) => {
        new PerformanceObserver((list) => {
          const [entry] = list.getEntriesByName('first-contentful-paint');
          if (entry) resolve(entry.startTime);
        }).observe({type: 'paint', buffered: true});
      }),
  );
  return {page, paint};
}

for (const name of ['sweep', 'many-cpus']) {
  const {page, paint} = await open(name);
  tell(`first paint, ${name}`, paint, kFirstPaintLimit);
  await page.close();
}

/** From the press of a key to the picture that shows what it did, at worst. */
async function slowestKeystroke(page, keys) {
  let slowest = 0;
  for (const key of keys) {
    await page.getByLabel('Search').focus();
    await page.evaluate(() => {
      const search = document.activeElement;
      window.painted = new Promise((resolve) => {
        search.addEventListener(
          'keydown',
          () => {
            const pressed = performance.now();
            // A message posted in a frame's callback arrives after that frame is painted.
            requestAnimationFrame(() => {
              const channel = new MessageChannel();
              channel.port1.onmessage = () => resolve(performance.now() - pressed);
              channel.port2.postMessage(null);
            });
          },
          {once: true},
        );
      });
    });
    await page.keyboard.press(key === ' ' ? 'Space' : key);
    slowest = Math.max(slowest, await page.evaluate(() => window.painted));
  }
  return slowest;
}

const {page} = await open('sweep');
await openTab(page, 'Instructions');
await page.locator('.tabulator-row').first().waitFor();
const slowest = await slowestKeystroke(page, 'fmla v0');
tell('slowest keystroke of a search, 20,000 forms', slowest, kKeystrokeLimit);

const site = await browser.newPage({viewport: {width: 1300, height: 900}});
await site.goto(siteAddress(20, 15_000));
await site.locator('.site-forms td').filter({hasText: '…'}).first().waitFor({state: 'detached'});
tell(
  'slowest keystroke, 20 machines × 15,000 forms',
  await slowestKeystroke(site, 'fmadd21 x'),
  kKeystrokeLimit,
);

await stopBrowser();
process.exitCode = failed ? 1 : 0;
