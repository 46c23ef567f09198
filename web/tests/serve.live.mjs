// The playground in a real browser, with the program behind it: `cyclescope serve`.
//
// CYCLESCOPE_PROGRAM is the program. Times are not looked at: a busy machine may take long.
import assert from 'node:assert/strict';
import {spawn} from 'node:child_process';
import {readFileSync} from 'node:fs';
import {after, before, test} from 'node:test';
import {accessibilityTroubles, startBrowser, stopBrowser} from './browser.mjs';

const TIMEOUT_MS = 300_000;
const kIsX86 = process.arch === 'x64';
const kLoop = kIsX86
  ? '1: imul rax, rcx\nadd rdi, 8\ncmp rdi, rsi\njne 1b'
  : '1: mul x0, x0, x2\nadd x3, x3, #8\ncmp x3, x1\nb.ne 1b';
const kFaster = kLoop.split('\n').toSpliced(0, 1, '1: nop').join('\n');
const kSource =
  'long f(long n, long x) {\n  for (long i = 0; i < n; ++i)\n    x = x * i + 1;\n  return x;\n}\n';

let server;
let address;
let browser;

before(async () => {
  browser = await startBrowser();
  server = spawn(process.env.CYCLESCOPE_PROGRAM, ['serve'], {stdio: ['ignore', 'pipe', 'inherit']});
  address = await new Promise((resolve, reject) => {
    let text = '';
    server.stdout.on('data', (part) => {
      text += part;
      const found = text.match(/http:\S+/);
      if (found) resolve(found[0]);
    });
    server.on('exit', (code) => reject(new Error(`the server ended with ${code}`)));
  });
});

after(async () => {
  const ended = new Promise((resolve) => server.on('exit', resolve));
  server.kill('SIGINT');
  assert.equal(await ended, 0);
  await stopBrowser();
});

/** A page with storage of its own, that must say nothing on its console. */
async function withPlayground(options, run) {
  const context = await browser.newContext({viewport: {width: 1300, height: 900}, ...options});
  const page = await context.newPage();
  page.setDefaultTimeout(TIMEOUT_MS);
  const troubles = [];
  page.on('console', (message) => troubles.push(`console: ${message.text()}`));
  page.on('pageerror', (error) => troubles.push(`error: ${error.message}`));
  page.on('request', (request) => {
    if (!request.url().startsWith(new URL(address).origin) && !request.url().startsWith('blob:'))
      troubles.push(`request: ${request.url()}`);
  });
  try {
    await page.goto(options.address ?? address);
    await page.locator('.cm-content').first().waitFor();
    await run(page, context);
    assert.deepEqual(troubles, []);
  } finally {
    await context.close();
  }
}

async function type(page, text, side = 'A') {
  const editor = page.getByRole('textbox', {name: `Code of version ${side}`});
  await editor.click();
  await page.keyboard.press('ControlOrMeta+a');
  await page.keyboard.insertText(text);
}

const panel = (page, side = 'A') => page.getByRole('region', {name: `Version ${side}`});

async function chooseAssembly(page, side = 'A') {
  await panel(page, side).getByLabel('Language').selectOption('assembly');
}

/** The cycles that were measured, when all that there is to say is said. */
async function measuredCycles(page, index = 0) {
  const card = page.locator('.answer').nth(index);
  await card.locator('.answer-tiles').waitFor();
  await finished(page);
  const text = await card.locator('.answer-tiles .big').first().innerText();
  return Number(text.replace('≤', ''));
}

async function finished(page) {
  await page.waitForFunction(() => document.querySelector('.status')?.textContent === '');
}

async function hasCompiler(page) {
  return page.evaluate(() => [...document.querySelectorAll('.version select')].length > 1);
}

test('a loop is typed, and its cycles are seen', async () => {
  await withPlayground({}, async (page) => {
    await chooseAssembly(page);
    await type(page, kLoop);
    await page.locator('.answer .bounds').waitFor();
    const cycles = await measuredCycles(page);
    // A multiplication that needs its own result takes more than two cycles everywhere.
    assert.ok(cycles > 2 && cycles < 20, String(cycles));
    assert.match(await page.locator('.answer').innerText(), /It cannot be faster than/);
    assert.match(await page.locator('.answer').innerText(), /Instruction by instruction/);
    assert.deepEqual(await accessibilityTroubles(page), []);
  });
});

test('what is wrong stands at its line', async () => {
  await withPlayground({}, async (page) => {
    await chooseAssembly(page);
    await type(page, 'nop\nnop\nnonsense rax, rbx\nnop');
    const message = panel(page).locator('.messages .error', {hasText: 'line 3'});
    await message.waitFor();
    await message.getByRole('button').click();
    assert.ok(await page.locator('.cm-lint-marker-error').count());
    await type(page, 'nop');
    await message.waitFor({state: 'detached'});
    await measuredCycles(page);
  });
});

test('flags change what the compiler makes of a source', async (t) => {
  await withPlayground({}, async (page) => {
    if (!(await hasCompiler(page))) return t.skip('no compiler may be run here');
    await type(page, kSource);
    const assembly = panel(page).locator('.assembly');
    await assembly.getByText('mul').first().waitFor();
    await measuredCycles(page);
    const before = await assembly.innerText();
    // Lines that belong together have the same colour.
    assert.ok(await assembly.locator('li.linked.in-loop').count());
    assert.ok(await page.locator('.cm-line.linked').count());
    await panel(page).getByLabel('Flags').fill('-O0');
    await page.waitForFunction(
      (text) => document.querySelector('.assembly')?.innerText !== text,
      before,
    );
    const slower = await measuredCycles(page);
    assert.ok(slower > 0);
    await panel(page).getByLabel('Flags').fill('-O2 -o/tmp/x');
    await panel(page).getByText('is not taken here').waitFor();
    await panel(page).getByLabel('Flags').fill('-O2');
    await type(page, kSource.replace('x * i + 1;', 'x * i +;'));
    await panel(page).locator('.messages .error', {hasText: 'line 3'}).waitFor();
  });
});

test('two versions are compared in words', async () => {
  await withPlayground({}, async (page) => {
    await chooseAssembly(page);
    await type(page, kLoop);
    await page.getByRole('button', {name: 'Compare with a second version'}).click();
    await type(page, kFaster, 'B');
    const difference = page.getByRole('region', {name: 'The difference'});
    await difference.waitFor();
    await finished(page);
    // On a busy machine it says why it does not compare them.
    assert.match(await difference.innerText(), /\bA\b.*\bB\b|\bB\b.*\bA\b/s);
    assert.equal(await page.locator('.answer').count(), 2);
    assert.deepEqual(await accessibilityTroubles(page), []);
    await page.getByRole('button', {name: 'Remove'}).click();
    await difference.waitFor({state: 'detached'});
  });
});

test('a question is cancelled', async () => {
  await withPlayground({}, async (page) => {
    await chooseAssembly(page);
    await type(page, kIsX86 ? 'forever: jmp forever' : 'forever: b forever');
    await page.keyboard.press('Control+Enter');
    await page.getByRole('button', {name: 'Cancel'}).click();
    await page.locator('.status', {hasText: 'cancelled'}).waitFor();
    await type(page, 'nop');
    await measuredCycles(page);
  });
});

test('a reload keeps the text, and a link opens the same', async () => {
  let link;
  await withPlayground({}, async (page) => {
    await chooseAssembly(page);
    await type(page, `${kFaster}\n# kept`);
    await measuredCycles(page);
    await page.reload();
    await page.locator('.cm-content', {hasText: '# kept'}).waitFor();
    await page.getByRole('button', {name: 'Copy link'}).click();
    await page.waitForFunction(() => location.hash.startsWith('#code='));
    link = await page.evaluate(() => location.hash);
  });
  await withPlayground({address: address + link}, async (page) => {
    await page.locator('.cm-content', {hasText: '# kept'}).waitFor();
    assert.equal(await panel(page).getByLabel('Language').inputValue(), 'assembly');
  });
  await withPlayground({address: `${address}#code=damaged`}, async (page) => {
    await page.locator('.cm-content').waitFor();
  });
});

test('any instruction is found and measured', async () => {
  await withPlayground({}, async (page) => {
    await page.getByLabel('Search or type').fill(kIsX86 ? 'imul r' : 'madd');
    const first = page.locator('.found-forms button').first();
    await first.waitFor();
    const text = await first.innerText();
    await first.click();
    await page.getByText('Measure it again').waitFor();
    assert.ok((await page.locator('.right').innerText()).includes(text));
    assert.deepEqual(await accessibilityTroubles(page), []);
  });
});

test('what was found is saved as one page', async () => {
  await withPlayground({acceptDownloads: true}, async (page, context) => {
    await chooseAssembly(page);
    await type(page, `${kLoop}\n# <script>alert(1)</script>`);
    await measuredCycles(page);
    const saving = page.waitForEvent('download');
    await page.getByRole('button', {name: 'Save as HTML'}).click();
    const html = readFileSync(await (await saving).path(), 'utf8');
    assert.ok(!html.includes('<script'));
    assert.ok(!html.includes(new URL(address).searchParams.get('token')));
    const saved = await context.newPage();
    await saved.setContent(html);
    assert.match(await saved.locator('main').innerText(), /cycles per iteration/);
    assert.match(await saved.locator('main').innerText(), /# <script>/);
  });
});

for (const [width, colorScheme] of [
  [1600, 'light'],
  [1000, 'dark'],
  [420, 'light'],
  [420, 'dark'],
]) {
  test(`it fits a window of ${width} pixels, ${colorScheme}`, async () => {
    await withPlayground({viewport: {width, height: 900}, colorScheme}, async (page) => {
      await finished(page);
      const wide = await page.evaluate(() => document.documentElement.scrollWidth);
      assert.ok(wide <= width, `the page is ${wide} pixels wide`);
      assert.deepEqual(await accessibilityTroubles(page), []);
    });
  });
}

test('a file of 5,000 lines', async () => {
  await withPlayground({}, async (page) => {
    await chooseAssembly(page);
    const lines = Array.from({length: 5000}, (_, i) => `# line ${i}`);
    await type(
      page,
      `${lines.join('\n')}\n\t.text\nf:\n${kFaster.replace('1:', '.L1:').replace('1b', '.L1')}\n`,
    );
    await page.locator('.cm-content', {hasText: 'f:'}).waitFor();
    await finished(page);
  });
});
