// Results that hold little, or all there can be.
import assert from 'node:assert/strict';
import {after, before, test} from 'node:test';
import {hoverPair, openTab, says, startBrowser, stopBrowser, withReport} from './browser.mjs';

before(startBrowser);
after(stopBrowser);

test('a result with nothing but its common part', async () => {
  await withReport(['bare'], {}, async (page) => {
    assert.deepEqual(await page.getByRole('tab').allInnerTexts(), ['Machine']);
    await says(page.getByRole('main'), /Neoverse-V1/);
  });
});

test('a result with every field', async () => {
  await withReport(['full'], {}, async (page) => {
    await says(page.getByRole('main'), /Interrupted/);
    await openTab(page, 'Cores');
    assert.match(await hoverPair(page, 3, 0, 2), /not measured.*no answer in time/s);
    assert.match(await hoverPair(page, 3, 0, 1), /clock offset −?-?1\.88 ns/);
    await openTab(page, 'Instructions');
    await page.getByRole('button', {name: 'madd x0, x1, x2, x3'}).click();
    const text = await page.getByRole('dialog').innerText();
    assert.match(text, / or \d+\.\d\d \(60 : 40\), disturbed: a best estimate only, time ran out/);
    assert.match(text, /upper bound/);
    assert.match(text, /Connector: csel x0, x1, x2, eq/);
  });
});

test('a bare matrix, alone and beside a survey', async () => {
  await withReport(['bare-matrix'], {}, async (page) => {
    await openTab(page, 'Machine');
    await says(page.getByRole('main'), /Unknown CPU.*bare matrix/s);
    await openTab(page, 'Cores');
    assert.match(await hoverPair(page, 3, 0, 2), /CPU 0 → CPU 2\n45\.0 ns\nback: 45\.0 ns$/);
    // Neither a core's rate nor the counter's is known, so that there is no other unit.
    assert.equal(await page.getByRole('radio', {name: 'cycles'}).isDisabled(), true);
    assert.equal(await page.getByRole('radio', {name: 'ticks'}).isDisabled(), true);
  });
  await withReport(['survey', 'bare-matrix'], {}, async (page) => {
    await says(page.getByRole('main'), /13 CPUs of the first are not in/);
    assert.match(await hoverPair(page, 3, 0, 1), /ns → 44\.1 ns/);
  });
});
