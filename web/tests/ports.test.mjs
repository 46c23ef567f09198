// Ports in the report: the diagram of the core and the pressure of snippets.
import assert from 'node:assert/strict';
import {after, before, test} from 'node:test';
import {madeDocument, openTab, says, startBrowser, stopBrowser, withReport} from './browser.mjs';

before(startBrowser);
after(stopBrowser);

const {port_map: map, blocks} = madeDocument('ports');

test('Ports: a column for each port, a row for each class', async () => {
  await withReport(['ports'], {}, async (page) => {
    await openTab(page, 'Ports');
    const diagram = page.getByRole('region', {name: 'Ports of each class of instructions'});
    assert.equal(await diagram.locator('thead th').count(), map.ports.length + 2);
    const rows = diagram.locator('tbody tr');
    assert.equal(await rows.count(), map.classes.length);
    for (const [i, each] of map.classes.entries()) {
      assert.equal(
        await rows.nth(i).locator('.port-dot').count(),
        each.ports.length,
        each.forms[0],
      );
    }
    await says(page.locator('#view-ports'), /Other ports explain the times/);
  });
});

test('Ports: a snippet has a bar for each port, and what binds it', async () => {
  await withReport(['ports'], {}, async (page) => {
    await openTab(page, 'Ports');
    const pressure = page.getByRole('region', {name: 'Pressure on each port'});
    assert.equal(await pressure.locator('.bar').count(), blocks[0].ports.pressure.length);
    assert.equal(await pressure.locator('.bar-value.off').count(), 1, 'the port that binds');
    const text = await page.locator('#view-ports').innerText();
    assert.match(text, /largest: ports, p1/);
    assert.match(text, /Counted as a slot only: jne 5/);
  });
});
