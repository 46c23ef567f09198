// GPUs in the report.
import assert from 'node:assert/strict';
import {after, before, test} from 'node:test';
import {madeDocument, openTab, says, startBrowser, stopBrowser, withReport} from './browser.mjs';

before(startBrowser);
after(stopBrowser);

const [row] = madeDocument('full').gpu;

test('GPU shows the device, its instructions, its memory and its places', async () => {
  await withReport(['full'], {}, async (page) => {
    await openTab(page, 'GPU');
    const view = page.locator('#view-gpu');
    const text = await view.innerText();
    for (const part of [
      row.name,
      'FP16 and BF16',
      row.instructions[0].text,
      'folded by the compiler',
      'partition A: 2, partition B: 1',
      'CPU 0',
    ]) {
      assert.ok(text.includes(part), part);
    }
    assert.match(text, /Lines of L2: near ones 200[.0]* cycles, far ones 300/);
    assert.ok(await view.getByRole('application').isVisible(), 'the heat map');
  });
});

test('GPU: every pair of operands stands in a table', async () => {
  await withReport(['full'], {}, async (page) => {
    await openTab(page, 'GPU');
    await page.locator('#view-gpu').getByText('Every pair of operands').first().click();
    const table = page.getByRole('region', {name: 'Pairs, FP16 and BF16'});
    await says(table, /connected, mad\.lo\.u32/);
  });
});
