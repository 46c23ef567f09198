// A site over many machines: `cyclescope report --site`.
import assert from 'node:assert/strict';
import {statSync} from 'node:fs';
import {join} from 'node:path';
import {after, before, test} from 'node:test';
import {fileURLToPath} from 'node:url';
import {
  allColumns,
  openTab,
  says,
  siteAddress,
  startBrowser,
  stopBrowser,
  withPage,
} from './browser.mjs';

before(startBrowser);
after(stopBrowser);

const kMachines = 20;
const kForms = 15_000;
const address = siteAddress(kMachines, kForms);
const folder = join(fileURLToPath(address), '..');

const withSite = (options, run) => withPage(address, {...options, own: folder}, run);

test('the first page is small, and has every machine and form', async () => {
  assert.ok(statSync(fileURLToPath(address)).size < 150_000);
  await withSite({}, async (page) => {
    assert.equal(await page.title(), '20 machines · cyclescope');
    const machines = page.getByRole('region', {name: 'All machines'});
    assert.equal(await machines.getByRole('row').count(), kMachines + 1);
    await says(machines, /node-7\s+Granite Rapids|node-7/);
    await allColumns(page);
    assert.equal(await page.locator('output').innerText(), '15,000 forms');
    // Only what is in view has elements.
    assert.equal(await page.locator('.site-forms tbody tr').count(), 100);
  });
});

test('a search finds forms on all machines', async () => {
  await withSite({}, async (page) => {
    await allColumns(page);
    await page.getByLabel('Search').fill('fmadd21 x3, x4,');
    await says(page.locator('output'), /^1 of 15,000 forms/);
    const row = page.locator('.site-forms tbody tr');
    assert.equal(await row.count(), 1);
    const cells = (await row.locator('td').allInnerTexts()).map((text) => text.trim());
    assert.equal(cells.length, kMachines);
    for (const cell of cells) assert.match(cell, /^$|^[45]\.00$/);
    await page.getByText('throughput', {exact: true}).click();
    await says(row.locator('td').nth(1), /^(≤ )?0\.25$/);
    await page.getByLabel('Search').fill('mul2 x29');
    const names = await page.locator('.site-forms tbody th').allInnerTexts();
    const isNamed = names.map((name) => name.startsWith('mul2'));
    assert.ok(isNamed[0] && isNamed.includes(false), names.join());
    assert.deepEqual(isNamed, [...isNamed].sort().reverse());
    await page.getByLabel('Search').fill('no such form');
    await says(page.locator('output'), /^0 of/);
  });
});

test('a form has an address, and leads to each machine’s own report', async () => {
  await withSite({}, async (page) => {
    await allColumns(page);
    await page.getByLabel('Search').fill('fmadd21 x3, x4,');
    await page.locator('.site-forms tbody a').click();
    const machines = page.getByRole('region', {name: /^fmadd21 x3, x4, .* on every machine/});
    assert.equal(await machines.getByRole('row').count(), kMachines + 1);
    const link = await machines.getByRole('link').first().getAttribute('href');
    assert.match(link, /^machines\/1\.html#form=fmadd21/);
    await page.getByRole('link', {name: 'Back to all forms'}).click();
    await machines.waitFor({state: 'detached'});
  });
  await withPage(`${address.replace('index.html', 'machines/2.html')}`, {}, async (page) => {
    // What a sweep is about.
    await says(page.getByRole('main'), /^Instructions/);
    await openTab(page, 'Machine');
    assert.equal(
      await page.locator('.glance h1').first().innerText(),
      'Granite Rapids (Redwood Cove)',
    );
  });
});

test('words may be of the extension, and a form has pairs, ports and LLVM’s figures', async () => {
  await withSite({}, async (page) => {
    await allColumns(page);
    await page.getByLabel('Search').fill('fmadd fp');
    await says(page.locator('output'), /^[1-9].* of 15,000 forms/);
    await page.getByLabel('Search').fill('fmadd21 x3, x4,');
    await page.locator('.site-forms tbody a').click();
    const machines = page.getByRole('region', {name: /on every machine/});
    await machines.getByText('→').first().waitFor();
    await says(machines, /By operand/);
  });
});

test('block diagrams stand beside each other, and are loaded when they are looked at', async () => {
  await withSite({}, async (page) => {
    await allColumns(page);
    const scripts = () =>
      page.locator('script[src*="data/core-"]').evaluateAll((all) => all.map(({src}) => src));
    assert.deepEqual(await scripts(), []);
    const diagrams = page.getByRole('group', {name: 'Block diagram of the core'});
    await page.getByRole('heading', {name: 'Block diagrams'}).scrollIntoViewIfNeeded();
    await diagrams.nth(1).waitFor();
    assert.equal(await diagrams.count(), 2);
    assert.equal((await scripts()).length, 2);
    assert.match(await diagrams.first().textContent(), /Reorder buffer/);
    const [first, second] = [
      await diagrams.nth(0).boundingBox(),
      await diagrams.nth(1).boundingBox(),
    ];
    assert.ok(second.x > first.x + first.width / 2, 'they stand below each other');
    // One more, and one less.
    const boxes = page.getByRole('group', {name: 'Beside each other'}).getByRole('checkbox');
    await boxes.nth(2).check();
    await diagrams.nth(2).waitFor();
    await boxes.nth(0).uncheck();
    assert.equal(await diagrams.count(), 2);
  });
});

test('loops have what was measured and what the models say', async () => {
  await withSite({}, async (page) => {
    await allColumns(page);
    const loops = page.getByRole('region', {name: 'Loops by machine'});
    await loops.scrollIntoViewIfNeeded();
    await loops.getByText('predicted 1.75').first().waitFor();
    const row = loops.getByRole('row').filter({hasText: 'subs x3, x3, #1'});
    assert.equal(await row.getByRole('cell').count(), kMachines);
    await says(row.getByRole('cell').first(), /^1\.50\s+predicted 1\.75$/);
    await says(row.getByRole('cell').nth(1), /^1\.50$/);
    await page.getByLabel('Find loops').fill('store to');
    await says(page.getByText(/1 of 2 loops and snippets/), /^1 of 2/);
  });
});

test('two results of one host are one machine', async () => {
  const twice = siteAddress(3, 40, 2);
  await withPage(twice, {own: join(fileURLToPath(twice), '..')}, async (page) => {
    await allColumns(page);
    assert.equal(
      await page.getByRole('heading', {level: 1}).innerText(),
      '3 results of 2 machines',
    );
    assert.match(await page.title(), /^3 results of 2 machines/);
    // Each is told from the other.
    const names = await page.locator('.site-machines tbody th').allInnerTexts();
    assert.equal(new Set(names).size, 3, names.join());
  });
});
