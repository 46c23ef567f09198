// Opens reports in Chromium and watches what they do: those of simulated machines, and that of this machine.
//
// CYCLESCOPE_SIMULATED is the command that makes documents (tests/simulated), as a JSON list; CYCLESCOPE_SURVEY is the folder
// in which `cyclescope survey` left its files.
import assert from 'node:assert/strict';
import {execFileSync} from 'node:child_process';
import {existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {pathToFileURL} from 'node:url';
import axe from 'axe-core';
import {chromium} from 'playwright-core';

// Only a hang takes so long, on a busy machine too.
const TIMEOUT_MS = 300_000;
const made = JSON.parse(process.env.CYCLESCOPE_SIMULATED ?? '[]');
const folder = mkdtempSync(join(tmpdir(), 'cyclescope-browser-'));
/** One for all files that a process runs. */
let launched;
let browser;
/** Pages that wait for the next test, by their options: a new one takes a process of its own. */
const idle = new Map();

function run(...args) {
  assert.notEqual(made.length, 0, 'CYCLESCOPE_SIMULATED is not set; run this through ctest');
  const [program, ...before] = made;
  return execFileSync(program, [...before, ...args], {encoding: 'utf8', maxBuffer: 1 << 30});
}

/** The document of that name, as scripts would read it. */
export function madeDocument(name) {
  return JSON.parse(run('json', name));
}

function surveyFile(name) {
  const survey = process.env.CYCLESCOPE_SURVEY;
  assert.ok(survey, 'CYCLESCOPE_SURVEY is not set; run this through ctest');
  return join(survey, name);
}

/** What the program measured on this machine. */
export function surveyDocument() {
  return JSON.parse(readFileSync(surveyFile('cyclescope.json'), 'utf8'));
}

/** The page that it left beside that. */
export function surveyAddress() {
  return pathToFileURL(surveyFile('cyclescope.html')).href;
}

/** The address of a report of these documents. */
export function reportAddress(...names) {
  const path = join(folder, `${names.join('+')}.html`);
  if (!existsSync(path)) writeFileSync(path, run('html', ...names));
  return pathToFileURL(path).href;
}

/** The address of the first page of a simulated site, of fewer machines than results where that is told. */
export function siteAddress(results, forms, hosts = results) {
  const place = join(folder, `site-${results}-${forms}-${hosts}`);
  if (!existsSync(place)) run('site', place, String(results), String(forms), String(hosts));
  return pathToFileURL(join(place, 'index.html')).href;
}

/** Waits until a site has the columns of all its machines. */
export async function allColumns(page) {
  await page.locator('.site-forms tbody tr').first().waitFor();
  await page
    .locator('.site-forms tbody tr')
    .first()
    .locator('td')
    .filter({hasText: '…'})
    .first()
    .waitFor({state: 'detached'});
}

export async function startBrowser() {
  launched ??= chromium.launch({
    timeout: TIMEOUT_MS,
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  });
  browser = await launched;
  return browser;
}

export async function stopBrowser() {
  await (await launched)?.close();
  rmSync(folder, {recursive: true, force: true});
}

/** The report of simulated machines, as withPage has it. */
export function withReport(names, options, test) {
  return withPage(reportAddress(...names), options, test);
}

/**
 * Opens a report, hands the page to the test, and then checks what every report must keep: nothing on the
 * console, no error, no request but for the file itself, or for files in its `own` folder.
 */
export async function withPage(address, {own, ...wished}, test) {
  const options = {viewport: {width: 1300, height: 900}, ...wished};
  const kind = JSON.stringify(options);
  const page = idle.get(kind) ?? (await browser.newPage(options));
  idle.delete(kind);
  const isOwn = (url) =>
    url.split('#')[0] === address || (own && url.startsWith(`${pathToFileURL(own).href}/`));
  page.setDefaultTimeout(TIMEOUT_MS);
  const troubles = [];
  page.on('console', (message) => troubles.push(`console: ${message.text()}`));
  page.on('pageerror', (error) => troubles.push(`error: ${error.message}`));
  page.on('request', (request) => {
    if (!isOwn(request.url())) troubles.push(`request: ${request.url()}`);
  });
  try {
    await page.goto(address);
    await page.locator('#content').waitFor();
    await test(page);
    assert.deepEqual(troubles, []);
  } catch (error) {
    await page.close();
    throw error;
  }
  // As it was before: nothing remembered, nothing heard, no paper.
  await page.evaluate(() => localStorage.clear());
  page.removeAllListeners();
  await page.mouse.move(0, 0);
  await page.goto('about:blank');
  await page.emulateMedia({media: null});
  if (idle.has(kind)) await page.close();
  else idle.set(kind, page);
}

/** Waits for what the page does in its own time. */
export async function until(holds) {
  const end = Date.now() + TIMEOUT_MS;
  while (!(await holds())) {
    assert.ok(Date.now() < end, `never: ${holds}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** Waits until an element's text is what is expected, and fails with the text that it has. */
export async function says(element, expected) {
  const end = Date.now() + TIMEOUT_MS;
  for (;;) {
    const text = await element.innerText();
    if (expected.test(text)) return;
    assert.ok(Date.now() < end, `${expected} is not in: ${text}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

export async function openTab(page, name) {
  await page.getByRole('tab', {name, exact: true}).click();
  await page.getByRole('tabpanel', {name, exact: true}).waitFor();
}

/** Waits until the page has handled what the pointer did: Chromium hands moves over with the next frame. */
export function nextFrames(page) {
  return page.evaluate(
    () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))),
  );
}

/** Moves the pointer to a pair of the heat map and returns what is said about it. */
export async function hoverPair(page, size, row, column) {
  const gutter = 40;
  const canvas = page.locator('.heatmap canvas');
  await canvas.scrollIntoViewIfNeeded();
  const box = await canvas.boundingBox();
  const cell = (box.width - gutter - 1) / size;
  await page.mouse.move(
    box.x + gutter + (column + 0.5) * cell,
    box.y + gutter + (row + 0.5) * cell,
  );
  await nextFrames(page);
  return page.locator('.tip').innerText();
}

/** What axe finds wrong with what is shown, a line each. */
export async function accessibilityTroubles(page, within = 'body') {
  await page.evaluate(axe.source);
  const violations = await page.evaluate(
    async (selector) => (await window.axe.run(selector)).violations,
    within,
  );
  return violations.flatMap(({id, nodes}) =>
    nodes.slice(0, 3).map((node) => `${id}: ${node.html.slice(0, 160)} ${node.failureSummary}`),
  );
}

/** In the page: what overlaps, is cut off or makes the page wider than its window, a line each. */
export function layoutTroubles() {
  const troubles = [];
  const wide = document.documentElement.scrollWidth;
  if (wide > window.innerWidth) troubles.push(`the page is ${wide} pixels wide`);
  const isShown = (element) => element.checkVisibility() && element.getClientRects().length > 0;
  const name = (element) =>
    `${element.tagName}.${element.className} '${element.textContent.slice(0, 40)}'`;
  const texts = [...document.querySelectorAll('.glance *, header *')].filter(
    (element) =>
      isShown(element) &&
      !element.closest('svg') &&
      [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim() !== ''),
  );
  for (const element of texts) {
    const style = getComputedStyle(element);
    if (style.overflow !== 'visible' && element.scrollWidth > element.clientWidth + 1)
      troubles.push(`cut off: ${name(element)}`);
  }
  const boxes = texts.map((element) => {
    const range = document.createRange();
    range.selectNodeContents(element);
    return {element, box: range.getBoundingClientRect()};
  });
  for (let i = 0; i < boxes.length; i += 1) {
    for (let j = i + 1; j < boxes.length; j += 1) {
      const [a, b] = [boxes[i], boxes[j]];
      if (a.element.contains(b.element) || b.element.contains(a.element)) continue;
      const across = Math.min(a.box.right, b.box.right) - Math.max(a.box.left, b.box.left);
      const down = Math.min(a.box.bottom, b.box.bottom) - Math.max(a.box.top, b.box.top);
      if (across > 1 && down > 1)
        troubles.push(`overlap: ${name(a.element)} and ${name(b.element)}`);
    }
  }
  return troubles;
}

/** In the page: blocks and words of a core's diagram that overlap or leave their place, a line each. */
export function diagramTroubles() {
  const troubles = [];
  const drawing = document.querySelector('.core-diagram svg');
  const kSlackPixels = 0.75;
  const isInside = (inner, outer) =>
    inner.left >= outer.left - kSlackPixels &&
    inner.right <= outer.right + kSlackPixels &&
    inner.top >= outer.top - kSlackPixels &&
    inner.bottom <= outer.bottom + kSlackPixels;
  const overlap = (a, b) =>
    Math.min(a.right, b.right) - Math.max(a.left, b.left) > kSlackPixels &&
    Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > kSlackPixels;
  const boxOf = (element) => element.getBoundingClientRect();
  const blocks = [...drawing.querySelectorAll('.core-block')];
  // The glyphs of a text are lower than its box, which has room for every letter.
  const inkOf = (text) => {
    const box = boxOf(text);
    const cut = box.height * 0.2;
    return new DOMRect(box.x, box.y + cut, box.width, box.height - 2 * cut);
  };
  const all = boxOf(drawing);
  const pieces = [];
  for (const block of blocks) {
    const face = boxOf(block.querySelector('.core-face'));
    const name = block.dataset.block;
    if (!isInside(face, all)) troubles.push(`${name} leaves the drawing`);
    for (const text of block.querySelectorAll('text')) {
      if (!isInside(inkOf(text), face)) troubles.push(`${name}: '${text.textContent}' leaves it`);
      pieces.push({name: `${name} '${text.textContent}'`, box: inkOf(text)});
    }
    for (const lane of block.querySelectorAll('rect[rx="2"]'))
      pieces.push({name: `${name}, a lane`, box: boxOf(lane)});
  }
  for (const text of drawing.querySelectorAll(':scope > text'))
    pieces.push({name: `'${text.textContent}'`, box: inkOf(text)});
  // Arrows lie beside what they connect.
  for (const arrow of drawing.querySelectorAll(':scope > line, :scope > polygon')) {
    const box = boxOf(arrow);
    const across = new DOMRect(box.x - 1, box.y - 1, box.width + 2, box.height + 2);
    for (const block of blocks) {
      if (overlap(across, boxOf(block.querySelector('.core-face'))))
        troubles.push(`an arrow goes through ${block.dataset.block}`);
    }
    for (const {name, box: words} of pieces)
      if (overlap(across, words)) troubles.push(`an arrow goes through ${name}`);
  }
  for (let i = 0; i < pieces.length; i += 1) {
    for (let j = i + 1; j < pieces.length; j += 1) {
      if (overlap(pieces[i].box, pieces[j].box))
        troubles.push(`overlap: ${pieces[i].name} and ${pieces[j].name}`);
    }
  }
  for (let i = 0; i < blocks.length; i += 1) {
    for (let j = i + 1; j < blocks.length; j += 1) {
      const faces = [blocks[i], blocks[j]].map((each) => boxOf(each.querySelector('.core-face')));
      if (overlap(...faces))
        troubles.push(`overlap: ${blocks[i].dataset.block} and ${blocks[j].dataset.block}`);
    }
  }
  return troubles;
}
