// The playground in a real browser, with the program behind it: `cyclescope serve`.
//
// CYCLESCOPE_PROGRAM is the program. Times are not looked at: a busy machine may take long.
import assert from 'node:assert/strict';
import {spawn} from 'node:child_process';
import {mkdtempSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {after, before, describe, it} from 'node:test';
import {deflateRawSync} from 'node:zlib';
import {accessibilityTroubles, says, startBrowser, stopBrowser} from './browser.mjs';

// Only a hang takes so long, on a busy machine too.
const TIMEOUT_MS = 120_000;
const kIsX86 = process.arch === 'x64';
const kLoop = kIsX86
  ? '1: imul rax, rcx\nadd rdi, 8\ncmp rdi, rsi\njne 1b'
  : '1: mul x0, x0, x2\nadd x3, x3, #8\ncmp x3, x1\nb.ne 1b';
const kWithNop = kLoop.split('\n').toSpliced(0, 1, '1: nop').join('\n');
const kSource =
  'long f(long n, long x) {\n  for (long i = 0; i < n; ++i)\n    x = x * i + 1;\n  return x;\n}\n';

let server;
let address;
let browser;
const tests = [];

function test(name, run) {
  tests.push([name, run]);
}

/** The program with its page; it ends with this process, however that ends. */
class Server {
  async start(...options) {
    this.process = spawn(process.env.CYCLESCOPE_PROGRAM, ['serve', ...options], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    // The end of its input tells the shell that this process is gone, killed or not.
    this.guard = spawn('sh', ['-c', `read line; kill -KILL ${this.process.pid} 2>/dev/null`], {
      stdio: ['pipe', 'ignore', 'ignore'],
    });
    this.ended = new Promise((resolve) => this.process.on('exit', resolve));
    this.address = await new Promise((resolve, reject) => {
      let text = '';
      this.process.stdout.on('data', (part) => {
        text += part;
        const found = text.match(/http:\S+/);
        if (found) resolve(found[0]);
      });
      this.process.on('exit', (code) => reject(new Error(`the server ended with ${code}`)));
    });
    return this;
  }

  async end() {
    this.process.kill('SIGINT');
    assert.equal(await this.ended, 0);
    this.guard.kill();
  }
}

/** Those of tests that are over, for the next ones: a new one takes a process of its own. */
const idle = [];

/** A page as one who comes for the first time has it. It must say nothing on its console. */
async function withPlayground({at = address}, run) {
  const context = idle.pop() ?? (await browser.newContext());
  const page = context.pages()[0] ?? (await context.newPage());
  await page.setViewportSize({width: 1300, height: 900});
  page.setDefaultTimeout(TIMEOUT_MS);
  const troubles = [];
  page.on('console', (message) => troubles.push(`console: ${message.text()}`));
  page.on('pageerror', (error) => troubles.push(`error: ${error.message}`));
  page.on('request', (request) => {
    if (!request.url().startsWith(new URL(at).origin) && !request.url().startsWith('blob:'))
      troubles.push(`request: ${request.url()}`);
  });
  try {
    await page.goto(at);
    await page.locator('.cm-content').first().waitFor();
    await run(page, context);
    assert.deepEqual(troubles, []);
  } catch (error) {
    await context.close();
    throw error;
  }
  await page.evaluate(() => localStorage.clear());
  page.removeAllListeners();
  await page.mouse.move(0, 0);
  await page.emulateMedia({colorScheme: null});
  await page.goto('about:blank');
  for (const other of context.pages().slice(1)) await other.close();
  idle.push(context);
}

async function type(page, text, side = 'A') {
  const editor = page.getByRole('textbox', {name: `Code of version ${side}`});
  await editor.click();
  await page.keyboard.press('ControlOrMeta+a');
  await page.keyboard.insertText(text);
}

/** As a clipboard brings it: the browser takes minutes to type thousands of lines. */
async function paste(page, text, side = 'A') {
  const editor = page.getByRole('textbox', {name: `Code of version ${side}`});
  await editor.click();
  await page.keyboard.press('ControlOrMeta+a');
  await editor.evaluate((element, pasted) => {
    const clipboardData = new DataTransfer();
    clipboardData.setData('text/plain', pasted);
    element.dispatchEvent(
      new ClipboardEvent('paste', {clipboardData, bubbles: true, cancelable: true}),
    );
  }, text);
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
  return (await page.getByLabel('Compiler').count()) > 0;
}

test('a loop is typed, and its cycles are seen', async () => {
  await withPlayground({}, async (page) => {
    await chooseAssembly(page);
    await type(page, kLoop);
    await page.locator('.answer .bounds').waitFor();
    const cycles = await measuredCycles(page);
    // A multiplication that needs its own result takes more than two cycles everywhere.
    assert.ok(cycles > 2 && cycles < 20, String(cycles));
    await says(page.locator('.answer'), /It cannot be faster than/);
    const told = await page.locator('.answer').innerText();
    assert.match(told, /Instruction by instruction/);
    if (told.includes('llvm-mca')) {
      assert.match(told, /In the pipeline, by llvm-mca/);
      assert.ok((await page.locator('.pipeline-runs').count()) >= 4);
    }
    assert.deepEqual(await accessibilityTroubles(page), []);
  });
});

test('a loop in AT&T syntax', async (t) => {
  if (!kIsX86) return t.skip('x86-64 alone has two syntaxes');
  await withPlayground({}, async (page) => {
    await chooseAssembly(page);
    await panel(page).getByLabel('Syntax').selectOption('att');
    await type(page, '1: imulq %rcx, %rax\naddq $8, %rdi\ncmpq %rsi, %rdi\njne 1b');
    const cycles = await measuredCycles(page);
    assert.ok(cycles > 2 && cycles < 20, String(cycles));
    const link = page.locator('.answer').getByRole('link', {name: 'imulq %rcx, %rax'});
    await link.click();
    await page.getByText('Measure it again').waitFor();
    await panel(page).getByLabel('Syntax').selectOption('intel');
    await panel(page).locator('.messages .error', {hasText: 'line 1'}).waitFor();
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

test('what is wrong within a loop of a file stands at its line', async () => {
  await withPlayground({}, async (page) => {
    await chooseAssembly(page);
    const loop = kLoop.replace('1:', '.L1:').replace('1b', '.L1').split('\n');
    await type(page, ['\t.text', 'f:', loop[0], 'nonsense x0', ...loop.slice(1)].join('\n'));
    const message = panel(page).locator('.messages .error', {hasText: 'line 4'});
    await message.waitFor();
    await finished(page);
    assert.ok(await page.locator('.cm-lint-marker-error').count());
    await type(page, ['\t.text', 'f:', ...loop].join('\n'));
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
    await panel(page).getByText('is not allowed here').waitFor();
    await panel(page).getByLabel('Flags').fill('-O2');
    await type(page, kSource.replace('x * i + 1;', 'x * i +;'));
    await panel(page).locator('.messages .error', {hasText: 'line 3'}).waitFor();
  });
});

test('a line is made a comment, and the search box is a key away', async () => {
  await withPlayground({}, async (page) => {
    await chooseAssembly(page);
    await type(page, 'nop');
    await page.keyboard.press('Control+/');
    await page.locator('.cm-line', {hasText: kIsX86 ? '# nop' : '// nop'}).waitFor();
    await page.keyboard.press('Control+/');
    await page.waitForFunction(() => document.querySelector('.cm-line')?.textContent === 'nop');
    await page.keyboard.press('Control+k');
    assert.equal(await page.evaluate(() => document.activeElement?.id), 'instruction-search');
    assert.equal(await page.locator('.cm-line').first().innerText(), 'nop');
  });
});

test('two versions are compared in words', async () => {
  await withPlayground({}, async (page) => {
    await chooseAssembly(page);
    await type(page, kLoop);
    await page.getByRole('button', {name: 'Compare with a second version'}).click();
    await type(page, kWithNop, 'B');
    const difference = page.getByRole('region', {name: 'The difference'});
    await difference.waitFor();
    await finished(page);
    // On a busy machine it says why it does not compare them.
    await says(difference, /\bA\b.*\bB\b|\bB\b.*\bA\b/s);
    assert.equal(await page.locator('.answer').count(), 2);
    assert.deepEqual(await accessibilityTroubles(page), []);
    await page.getByRole('button', {name: 'Remove'}).click();
    await difference.waitFor({state: 'detached'});
  });
});

/** In the page: presses Cancel as soon as the status begins so, before anything else can happen. */
function cancelWhen(beginning) {
  const status = document.querySelector('.status');
  new MutationObserver((_, observer) => {
    if (!status.textContent.startsWith(beginning)) return;
    observer.disconnect();
    [...document.querySelectorAll('button')].find((each) => each.textContent === 'Cancel').click();
  }).observe(status, {childList: true});
}

test('a question is cancelled', async () => {
  await withPlayground({}, async (page) => {
    await chooseAssembly(page);
    await page.evaluate(cancelWhen, 'measuring');
    await type(page, kIsX86 ? 'forever: jmp forever' : 'forever: b forever');
    const cancelled = page.locator('.status', {hasText: 'cancelled'});
    await cancelled.waitFor();
    assert.ok(await page.getByRole('button', {name: 'Cancel'}).isHidden());
    await type(page, 'nop');
    await measuredCycles(page);
    // Before it is asked, too.
    await page.evaluate(cancelWhen, 'waiting');
    await type(page, 'nop # again');
    await cancelled.waitFor();
    await page.keyboard.press('Control+Enter');
    await finished(page);
  });
});

test('two tabs of a browser ask at the same time', async () => {
  await withPlayground({}, async (page, context) => {
    const other = await context.newPage();
    other.setDefaultTimeout(TIMEOUT_MS);
    await other.goto(address);
    for (const each of [page, other]) await chooseAssembly(each);
    await Promise.all([type(page, kLoop), type(other, kWithNop)]);
    const [slow, fast] = await Promise.all([measuredCycles(page), measuredCycles(other)]);
    assert.ok(slow > 0 && fast > 0);
    await says(page.locator('.answer'), /\bi?mul\b/);
    assert.doesNotMatch(await other.locator('.answer').innerText(), /\bi?mul\b/);
  });
});

test('a reload keeps the text, and a link opens the same', async () => {
  let link;
  await withPlayground({}, async (page) => {
    await chooseAssembly(page);
    await type(page, `${kWithNop}\n# kept`);
    await measuredCycles(page);
    await page.reload();
    await page.locator('.cm-content', {hasText: '# kept'}).waitFor();
    await page.getByRole('button', {name: 'Copy link'}).click();
    await page.waitForFunction(() => location.hash.startsWith('#code='));
    link = await page.evaluate(() => location.hash);
    // What is typed after that is what a reload shows.
    await type(page, `${kWithNop}\n# changed`);
    await measuredCycles(page);
    assert.equal(await page.evaluate(() => location.hash), '');
    await page.reload();
    await page.locator('.cm-content', {hasText: '# changed'}).waitFor();
  });
  await withPlayground({at: address + link}, async (page) => {
    await page.locator('.cm-content', {hasText: '# kept'}).waitFor();
    assert.equal(await panel(page).getByLabel('Language').inputValue(), 'assembly');
  });
  // One's own text is there again without the link, as long as nothing was typed into what it shows.
  await withPlayground({}, async (page) => {
    await chooseAssembly(page);
    await type(page, `${kWithNop}\n# own`);
    await page.evaluate((hash) => {
      location.hash = hash;
    }, link);
    await page.locator('.cm-content', {hasText: '# kept'}).waitFor();
    await page.goto('about:blank');
    await page.goto(address);
    await page.locator('.cm-content', {hasText: '# own'}).waitFor();
  });
  await withPlayground({at: `${address}#code=damaged`}, async (page) => {
    await page.locator('.cm-content').waitFor();
  });
});

test('a link of a machine with another compiler', async (t) => {
  await withPlayground({}, async (page, context) => {
    if (!(await hasCompiler(page))) return t.skip('no compiler may be run here');
    const state = {
      versions: [{language: 'c', att: false, compiler: 'gcc-99', flags: '-O1', text: kSource}],
    };
    const packed = deflateRawSync(JSON.stringify(state)).toString('base64url');
    const other = await context.newPage();
    other.setDefaultTimeout(TIMEOUT_MS);
    await other.goto(`${address}#code=${packed}`);
    await panel(other).getByText('gcc-99 is not here').waitFor();
    assert.ok((await measuredCycles(other)) > 0);
    assert.equal(await panel(other).getByLabel('Flags').inputValue(), '-O1');
  });
});

test('any instruction is found and measured', async () => {
  await withPlayground({}, async (page) => {
    await page.keyboard.press('Control+k');
    await page.keyboard.insertText(kIsX86 ? 'imul r' : 'madd');
    const first = page.locator('.found-forms a').first();
    await first.waitFor();
    const text = await first.innerText();
    // By the keyboard alone.
    await page.keyboard.press('ArrowDown');
    assert.equal(await page.evaluate(() => document.activeElement?.textContent), text);
    await page.keyboard.press('ArrowUp');
    assert.equal(await page.evaluate(() => document.activeElement?.id), 'instruction-search');
    await first.press('Enter');
    await page.getByText('Measure it again').waitFor();
    assert.equal(await page.locator('.right h3.mono').innerText(), text);
    // Its neighbours, each with an address of its own.
    const other = page.locator('.neighbours a').first();
    await other.waitFor();
    const next = await other.innerText();
    await other.click();
    await page.locator('.right h3.mono', {hasText: next}).waitFor();
    await page.goBack();
    await page.locator('.right h3.mono').getByText(text, {exact: true}).waitFor();
    await page.getByText('Measure it again').waitFor();
    assert.deepEqual(await accessibilityTroubles(page), []);
  });
});

test('what is known of an instruction of the loop', async () => {
  await withPlayground({}, async (page) => {
    await chooseAssembly(page);
    await type(page, kLoop);
    const name = kIsX86 ? 'imul rax, rcx' : 'mul x0, x0, x2';
    const link = page.locator('.answer').getByRole('link', {name});
    await link.waitFor();
    await finished(page);
    await link.focus();
    const tip = page.getByRole('tooltip');
    await tip.getByText('throughput').waitFor();
    await says(tip, /→.*cycles/);
    assert.deepEqual(await accessibilityTroubles(page), []);
    await page.keyboard.press('Escape');
    await tip.waitFor({state: 'detached'});
    await link.hover();
    await tip.waitFor();
    await link.click();
    await page.getByText('Measure it again').waitFor();
    assert.equal(await page.locator('.right h3.mono').innerText(), name);
  });
});

/** A row of a model of a core with three ports. */
function modelRow(text, opcode, cycles, ports) {
  const mnemonic = text.split(' ')[0];
  const registers = [...new Set(text.match(/\b(r[a-z]+|x\d)\b/g))];
  const time = (value) => ({cycles: value, low: value, high: value});
  return {
    text,
    opcode,
    mnemonic,
    status: 'measured',
    throughput: time(1 / ports.length),
    latency: registers.map((from) => ({from, to: registers[0], kind: 'exact', ...time(cycles)})),
    slots: 1,
    ports: [{uops: 1, ports}],
    port_finding: {},
  };
}

const kModelPorts = ['p0', 'p1', 'p2'];
const kModelRows = {
  x86_64: [
    modelRow('add rax, rbx', 'ADD64rr', 1, kModelPorts),
    modelRow('imul rax, rbx', 'IMUL64rr', 3, ['p1']),
    modelRow('dec rax', 'DEC64r', 1, kModelPorts),
  ],
  aarch64: [
    modelRow('add x0, x0, x1', 'ADDXrr', 1, kModelPorts),
    modelRow('madd x0, x0, x1, x2', 'MADDXrrr', 4, ['p1']),
  ],
};

/** A page of a server that has the model of such a machine, and nothing to measure it with. */
async function withModel(architecture, run) {
  const folder = mkdtempSync(join(tmpdir(), 'cyclescope-serve-'));
  const model = {
    schema: 'cyclescope/1',
    tool: {version: '0.3.0', commit: ''},
    host: {architecture, cpu_model: 'Made CPU', microarchitecture: 'Made Cove'},
    clock: {tick_hz: 2e9, cycle_source: 'reference'},
    config: {command: 'model', started: '2026-11-18T10:00:00Z', confidence: 0.95},
    warnings: [],
    instructions: kModelRows[architecture],
    port_map: {dispatch: 4, ports: kModelPorts, classes: [], mixes: 1, seconds: 1},
  };
  writeFileSync(join(folder, 'model.json'), JSON.stringify(model));
  const other = await new Server().start('--machine', join(folder, 'model.json'));
  try {
    await withPlayground({at: other.address}, run);
  } finally {
    await other.end();
    rmSync(folder, {recursive: true, force: true});
  }
}

test('without that CPU all but measuring works', async () => {
  await withModel('x86_64', async (page) => {
    await page.getByText('predicted for Made Cove; nothing is measured').waitFor();
    await chooseAssembly(page);
    await type(page, '1: imul rdx, rcx\nadd rdx, rsi\ndec rdi\njne 1b');
    const answer = page.locator('.answer', {hasText: 'add rdx, rsi'});
    await answer.getByText('Instruction by instruction').waitFor();
    await finished(page);
    const told = await answer.innerText();
    assert.match(told, /predicted\s+4\.00/);
    assert.doesNotMatch(told, /measured/);
    assert.match(told, /Pressure on each port/);
    // Of another form's registers, by the model.
    assert.match(told, /imul rdx, rcx\s+3\.00\s+1\.00\s+1 × p1/);
    assert.ok(await answer.locator('.pipeline-runs').count());
    assert.deepEqual(await accessibilityTroubles(page), []);
    await answer.getByRole('link', {name: 'imul rdx, rcx'}).click();
    await page.getByText('Measure it again').waitFor();
    // Two versions, in words, and by whom.
    await page.getByRole('button', {name: 'Compare with a second version'}).click();
    await type(page, '1: add rdx, rsi\ndec rdi\njne 1b', 'B');
    await page
      .getByRole('region', {name: 'The difference'})
      .getByText('by the model, B takes 0.25 times the cycles per iteration of A')
      .waitFor();
  });
});

test('code of another architecture is compiled and predicted', async () => {
  const other = kIsX86 ? 'aarch64' : 'x86_64';
  await withModel(other, async (page) => {
    await page.getByText('predicted for Made Cove; nothing is measured').waitFor();
    await finished(page);
    if (await hasCompiler(page)) {
      await type(page, kSource);
      await panel(page).locator('.assembly').getByText('mul').first().waitFor();
      await finished(page);
      assert.ok(await panel(page).locator('.assembly li.in-loop').count());
    } else {
      await panel(page).getByLabel('Language').selectOption('c');
      await panel(page).getByText('are not compiled here').waitFor();
    }
    await chooseAssembly(page);
    const add = kModelRows[other][0].text;
    await type(page, `${add}\n${add}`);
    await page.locator('.answer', {hasText: 'predicted'}).waitFor();
    await type(page, `${add}\nnonsense`);
    await panel(page).locator('.messages .error', {hasText: 'line 2'}).waitFor();
  });
});

test('ports are found where no model has them', async () => {
  await withPlayground({}, async (page) => {
    await chooseAssembly(page);
    await type(page, kLoop);
    await measuredCycles(page);
    const answer = page.locator('.answer');
    if (await answer.getByText('Pressure on each port').count()) {
      await says(answer.locator('table').first(), /ports/);
    } else {
      // A busy core, or another page that asked meanwhile: who wants them gets them or is told why not.
      await answer.getByRole('link').first().click();
      const button = page.getByRole('button', {name: 'Find its ports'});
      const found = page.getByRole('heading', {name: 'Ports', exact: true});
      await found.or(button).first().waitFor();
      if (await button.count()) await button.click();
      await found.or(page.locator('.right .callout.note')).first().waitFor();
    }
  });
});

test('what was found is saved as one page', async () => {
  await withPlayground({}, async (page, context) => {
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
    await says(saved.locator('main'), /cycles per iteration/);
    await says(saved.locator('main'), /# <script>/);
    // It looks as the page does.
    const layout = await saved.locator('main').evaluate((main) => getComputedStyle(main).display);
    assert.equal(layout, 'grid');
  });
});

test('a saved page has what the compiler made', async (t) => {
  await withPlayground({}, async (page, context) => {
    if (!(await hasCompiler(page))) return t.skip('no compiler may be run here');
    await type(page, kSource);
    await panel(page).locator('.assembly').getByText('mul').first().waitFor();
    await measuredCycles(page);
    const saving = page.waitForEvent('download');
    await page.getByRole('button', {name: 'Save as HTML'}).click();
    // Browsers tell what a file is by the end of its name.
    const folder = mkdtempSync(join(tmpdir(), 'cyclescope-saved-'));
    t.after(() => rmSync(folder, {recursive: true}));
    const file = join(folder, 'saved.html');
    await (await saving).saveAs(file);
    const saved = await context.newPage();
    await context.setOffline(true);
    await saved.goto(`file://${file}`);
    await context.setOffline(false);
    const told = await saved.locator('main').innerText();
    assert.match(told, /x \* i \+ 1/);
    assert.match(told, /What the compiler made of it[\s\S]*mul/);
    assert.match(told, /c, (gcc|Debian clang|clang)/);
    assert.deepEqual(await accessibilityTroubles(saved), []);
  });
});

test('it fits every window, light and dark', async () => {
  await withPlayground({}, async (page) => {
    await page.getByRole('button', {name: 'Compare with a second version'}).click();
    await page.getByRole('region', {name: 'The difference'}).waitFor();
    await finished(page);
    for (const [width, colorScheme] of [
      [1600, 'light'],
      [1000, 'dark'],
      [420, 'light'],
      [420, 'dark'],
    ]) {
      await page.emulateMedia({colorScheme});
      await page.setViewportSize({width, height: 900});
      const wide = await page.evaluate(() => document.documentElement.scrollWidth);
      assert.ok(wide <= width, `the page is ${wide} pixels wide in a window of ${width}`);
      assert.deepEqual(await accessibilityTroubles(page), []);
    }
  });
});

test('a file of 5,000 lines', async () => {
  await withPlayground({}, async (page) => {
    await chooseAssembly(page);
    // With the ends of lines that Windows has.
    const lines = Array.from({length: 5000}, (_, i) => `# line ${i}`);
    const loop = kLoop.replace('1:', '.L1:').replace('1b', '.L1');
    await paste(page, [...lines, '\t.text', 'f:', ...loop.split('\n'), ''].join('\r\n'));
    await page.locator('.cm-content', {hasText: 'f:'}).waitFor();
    await page.locator('.answer h2', {hasText: 'line 5003'}).waitFor();
    assert.ok((await measuredCycles(page)) > 0);
    // Typing into it changes no more than is typed.
    await page.keyboard.press('ControlOrMeta+Home');
    await page.keyboard.type('# first ');
    await page.locator('.cm-line', {hasText: '# first # line 0'}).waitFor();
    await finished(page);
    await says(page.locator('.answer h2'), /line 5003/);
  });
});

test('a text without code is no error', async () => {
  await withPlayground({}, async (page) => {
    await type(page, ' ');
    await panel(page).locator('.trouble').waitFor();
    await chooseAssembly(page);
    await panel(page).getByText('there is no instruction yet').waitFor();
    await finished(page);
    assert.equal(await page.locator('.answer').count(), 0);
    assert.equal(await panel(page).locator('.error').count(), 0);
  });
});

// Most of their time the pages wait, for measurements that the program makes one after the other.
describe('the playground', {concurrency: 3}, () => {
  before(async () => {
    browser = await startBrowser();
    server = await new Server().start();
    address = server.address;
  });
  after(async () => {
    await stopBrowser();
    await server.end();
  });
  for (const [name, run] of tests) it(name, run);
});
