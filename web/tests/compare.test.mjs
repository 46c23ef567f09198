// The report of two results.
import assert from 'node:assert/strict';
import {after, before, test} from 'node:test';
import {hoverPair, openTab, says, startBrowser, stopBrowser, withReport} from './browser.mjs';

before(startBrowser);
after(stopBrowser);

const both = ['survey', 'later-survey'];

test('says what was compared and what changed', async () => {
  await withReport(both, {}, async (page) => {
    const text = await page.getByRole('main').innerText();
    assert.match(text, /something got worse/);
    assert.match(text, /survey\.json/);
    assert.match(text, /later-survey\.json/);
    const summary = page.getByRole('table', {name: 'How many values changed'});
    await says(summary.getByRole('row', {name: /^latency/}), /B\s+1\s+1/);
  });
});

test('values stand side by side, and can be filtered', async () => {
  await withReport(both, {}, async (page) => {
    const table = page.locator('.compare-table');
    const first = table.locator('.tabulator-row').first();
    await says(first, /mul x0, x1, x2.*2\.000 ±.*3\.000 ±.*\+50\.0 % worse/s);
    await page.getByRole('combobox', {name: 'Kind'}).selectOption('throughput');
    await says(first, /fdiv.*−33\.3 % better/s);
    await page.getByRole('combobox', {name: 'Verdict'}).selectOption('same');
    await page.getByLabel('Search').fill('fadd');
    await says(first, /fadd.*same/s);
    await page.getByRole('combobox', {name: 'Kind'}).selectOption('latency');
    await page.getByLabel('Search').fill('fmla');
    await page.getByRole('combobox', {name: 'Verdict'}).selectOption('only in first');
    await says(first, /fmla.*only in A/s);
  });
});

test('the difference between cores is drawn', async () => {
  await withReport(both, {}, async (page) => {
    assert.match(await hoverPair(page, 16, 0, 8), /CPU 0 → CPU 8[\s\S]*ns → [\s\S]*\+18\.0 %/);
    assert.match(await hoverPair(page, 16, 0, 1), /0\.0 %/);
    await page.getByRole('combobox', {name: 'Matrices'}).selectOption({index: 1});
    assert.match(await hoverPair(page, 16, 0, 8), /\+18\.0 %/);
  });
});

test('matrices stand side by side, with a verdict in words', async () => {
  await withReport(both, {}, async (page) => {
    const card = page.getByRole('region', {name: /^Between cores, side by side/});
    assert.equal(await card.getByRole('img', {name: /^Heat map/}).count(), 2);
    // One scale: both legends end alike, although B is slower.
    const ends = await card
      .locator('svg')
      .evaluateAll((drawings) =>
        drawings.map((drawing) =>
          [...drawing.querySelectorAll('text')].slice(-2).map((e) => e.textContent),
        ),
      );
    assert.deepEqual(ends[0], ends[1]);
    const text = await page.getByRole('region', {name: 'Results', exact: true}).innerText();
    assert.match(text, /B against A: \d+ values? worse, \d+ better, \d+ the same/);
  });
});

test('each result can be looked at alone', async () => {
  await withReport(both, {}, async (page) => {
    await page.getByRole('combobox', {name: 'Result'}).selectOption({index: 1});
    await openTab(page, 'Machine');
    await says(page.getByRole('main'), /6\.1\.1/);
    await openTab(page, 'Instructions');
    await says(page.locator('output').first(), /^39 of 40 forms/);
  });
});

test('a phone has what changed in view', async () => {
  await withReport(both, {viewport: {width: 420, height: 900}}, async (page) => {
    const wide = await page.evaluate(() => document.documentElement.scrollWidth);
    assert.ok(wide <= 420, `${wide} pixels`);
    const table = page.locator('.compare-table');
    await table.locator('.tabulator-row').first().waitFor();
    const {clientWidth, scrollWidth} = await table
      .locator('.tabulator-tableholder')
      .evaluate(({clientWidth, scrollWidth}) => ({clientWidth, scrollWidth}));
    assert.ok(scrollWidth <= clientWidth, `${scrollWidth} of ${clientWidth} pixels`);
    await says(table.locator('.tabulator-row').first(), /A [\s\S]*B [\s\S]*%/);
  });
});

test('what is the same has no opposite colours', async () => {
  await withReport(['near-cpus', 'later-near-cpus'], {}, async (page) => {
    const map = page.getByRole('region', {name: 'Difference between cores'});
    const ticks = await map.locator('.legend-ticks span').allInnerTexts();
    assert.deepEqual(ticks, ['−5.0 %', 'same', '+5.0 %']);
    // Side by side, on one scale: 42 and 44 ns stand in its middle.
    const card = page.getByRole('region', {name: /^Between cores, side by side/});
    const fills = await card.locator('svg rect').evaluateAll((parts) =>
      parts
        .filter((part) => Number(part.getAttribute('width')) > 20) // not those of the legend
        .map((part) => part.getAttribute('fill'))
        .filter((fill) => fill.startsWith('rgb')),
    );
    assert.equal(fills.length, 4);
    const [a, b] = [fills[0], fills[3]].map((fill) => fill.match(/\d+/g).map(Number));
    const apart = Math.max(...a.map((channel, i) => Math.abs(channel - b[i])));
    assert.ok(apart > 0 && apart < 32, `${a} and ${b}`);
  });
});

test('a cache that became smaller is worse', async () => {
  await withReport(both, {}, async (page) => {
    const summary = page.getByRole('table', {name: 'How many values changed'});
    await summary.getByRole('row', {name: /^caches/}).waitFor();
  });
});
