// How soon the playground answers: from the last key that is typed to the cycles on the page.
//
//   CYCLESCOPE_PROGRAM=build/benchmark/cyclescope node web/tests/serve_benchmark.mjs [--machine FILE]
//
// The limit is what readers were promised of a quiet machine; one that is busy may break it. Where --machine is of
// another kind of CPU, the cycles are predicted.
import {spawn} from 'node:child_process';
import {startBrowser, stopBrowser} from './browser.mjs';

const kLimit = 1500;
const kRounds = 9;
const kIsX86 = process.arch === 'x64';
const kAssembly = kIsX86
  ? '1: imul rax, rcx\nadd rdi, 8\ncmp rdi, rsi\njne 1b'
  : '1: mul x0, x0, x2\nadd x3, x3, #8\ncmp x3, x1\nb.ne 1b';
const kSource =
  'long f(long n, long x) {\n  for (long i = 0; i < n; ++i) x = x * i + 1;\n  return x;\n}\n';

const server = spawn(process.env.CYCLESCOPE_PROGRAM, ['serve', ...process.argv.slice(2)], {
  stdio: ['ignore', 'pipe', 'inherit'],
});
process.on('exit', () => server.kill());
const address = await new Promise((resolve, reject) => {
  let text = '';
  server.stdout.on('data', (part) => {
    text += part;
    const found = text.match(/http:\S+/);
    if (found) resolve(found[0]);
  });
  server.on('exit', (code) => reject(new Error(`the server ended with ${code}`)));
});
const browser = await startBrowser();
const page = await browser.newPage({viewport: {width: 1300, height: 900}});
await page.goto(address);
await page.locator('.cm-content').waitFor();
const predicts = (await page.locator('.subject').innerText()).includes('nothing is measured');
const kTile = predicts ? 'predicted' : 'measured';
const idle = () => page.waitForFunction(() => document.querySelector('.status').textContent === '');
let failed = false;

/** From each key to the next drawing of cycles, and to the end of all that is answered. */
async function measure(what, language, text) {
  await page.getByLabel('Language').selectOption(language);
  await page.locator('.cm-content').click();
  await page.keyboard.press('ControlOrMeta+a');
  await page.keyboard.insertText(text);
  await idle();
  const cycles = [];
  const all = [];
  for (let round = 0; round < kRounds; round += 1) {
    await page.keyboard.press('ControlOrMeta+End');
    await idle();
    await page.evaluate((tile) => {
      window.answered = new Promise((resolve) => {
        document.addEventListener(
          'keydown',
          () => {
            const pressed = performance.now();
            let first;
            const since = () => performance.now() - pressed;
            new MutationObserver(() => {
              const tiles = document.querySelector('.answer-tiles');
              if (tiles?.textContent.includes(tile)) first ??= since();
            }).observe(document.querySelector('.answers'), {childList: true});
            const status = document.querySelector('.status');
            new MutationObserver(() => {
              if (status.textContent === '') resolve({first, last: since()});
            }).observe(status, {childList: true});
          },
          {once: true, capture: true},
        );
      });
    }, kTile);
    await page.keyboard.press('Enter');
    const {first, last} = await page.evaluate(() => window.answered);
    cycles.push(first);
    all.push(last);
  }
  const told = (times) => {
    times.sort((a, b) => a - b);
    const at = (share) => times[Math.floor(share * (times.length - 1))].toFixed(0).padStart(5);
    return `median ${at(0.5)} ms, at most ${at(1)} ms`;
  };
  const median = cycles.toSorted((a, b) => a - b)[Math.floor(cycles.length / 2)];
  const isSlow = median > kLimit;
  failed ||= isSlow;
  console.log(
    `${what.padEnd(10)} ${kTile} cycles: ${told(cycles)} (limit ${kLimit})  ${isSlow ? 'TOO SLOW' : 'ok'}; everything: ${told(all)}`,
  );
}

await measure('assembly', 'assembly', kAssembly);
await page.getByLabel('Language').selectOption('c');
if (await page.getByLabel('Compiler').count()) await measure('C', 'c', kSource);
await stopBrowser();
server.kill('SIGINT');
process.exitCode = failed ? 1 : 0;
