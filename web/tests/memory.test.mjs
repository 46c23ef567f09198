// Caches and memory in the report.
import assert from 'node:assert/strict';
import {after, before, test} from 'node:test';
import {madeDocument, openTab, says, startBrowser, stopBrowser, withReport} from './browser.mjs';

before(startBrowser);
after(stopBrowser);

const [row] = madeDocument('survey').memory;

test('Memory shows levels, findings and a chart', async () => {
  await withReport(['survey'], {}, async (page) => {
    await openTab(page, 'Memory');
    const view = page.locator('#view-memory');
    const text = await view.innerText();
    for (const level of row.levels) assert.ok(text.includes(level.name), level.name);
    const [finding] = row.findings;
    assert.ok(text.includes(finding.text.slice(1)), finding.text); // with a capital
    assert.ok(text.includes('1.17 MB'), 'where the second level ends');
    assert.ok(text.includes('L3: the curve has no step for it'), 'what single loads tell');
    // They are drawn once the view has a size.
    const charts = view.locator('.chart canvas');
    await charts.nth(1).waitFor();
    assert.equal(await charts.count(), 2);
  });
});

test('Memory shows accesses by where they lie', async () => {
  await withReport(['survey'], {}, async (page) => {
    await openTab(page, 'Memory');
    const forwarding = page.getByRole('region', {name: 'Store forwarding'});
    assert.equal(await forwarding.locator('tbody tr').count(), 2);
    const splits = await page.getByRole('region', {name: 'Splits'}).innerText();
    assert.match(splits, /0\.33\s+0\.67\s+1\.33/);
  });
});

test('Memory: no two parts have one name', async () => {
  await withReport(['survey'], {}, async (page) => {
    await openTab(page, 'Memory');
    const regions = page.locator('#view-memory').getByRole('region');
    const names = await regions.evaluateAll((all) =>
      all.map(
        (each) =>
          each.getAttribute('aria-label') ??
          document.getElementById(each.getAttribute('aria-labelledby')).textContent,
      ),
    );
    assert.ok(names.length > 4, names.join());
    assert.deepEqual(names, [...new Set(names)]);
  });
});

test('Memory: every footprint stands in a table', async () => {
  await withReport(['survey'], {}, async (page) => {
    await openTab(page, 'Memory');
    await page.getByText('Every footprint').click();
    const table = page.getByRole('region', {name: 'Footprints, random, huge pages'});
    await table.waitFor();
    assert.equal(await table.locator('tbody tr').count(), row.curves[0].points.length);
  });
});

test('Memory: the curves of other results are drawn over those of the first', async () => {
  await withReport(['survey', 'later-survey'], {}, async (page) => {
    await openTab(page, 'Memory');
    const text = await page.locator('#view-memory').innerText();
    assert.match(text, /B: random, huge pages/);
  });
});

test('Memory: what is not clear is marked, and says how often the core was shared', async () => {
  await withReport(['two-cpus'], {}, async (page) => {
    await openTab(page, 'Memory');
    const view = page.locator('#view-memory');
    await says(view, /not clear: the core was shared in up to 62 % of the visits/);
    await says(view, /too little time for nodes, accesses; .*--budget/);
    const levels = page.getByRole('region', {name: 'Levels', exact: true});
    const marked = await levels.locator('.contended').allInnerTexts();
    assert.deepEqual(marked, [
      '13.0',
      '5.00',
      '≥ 1.17 MB',
      '90.0',
      '34.6',
      '≥ 8 MB',
      '330.0',
      '126.9',
    ]);
    await openTab(page, 'Machine');
    const tile = page.locator('.strip li').filter({hasText: /^L2/});
    assert.equal(await tile.locator('.contended').count(), 1);
  });
});

test('Memory: what rests on too few visits is not said to be another thread’s doing', async () => {
  await withReport(['hasty'], {}, async (page) => {
    await says(page.locator('.glance'), /virtual machine · hasty/);
    const tile = page.locator('.strip li').filter({hasText: /^L2/});
    assert.match(
      await tile.getAttribute('title'),
      /Not clear: too few footprints of a level were visited/,
    );
    const all = () => page.locator('main').innerHTML();
    assert.doesNotMatch(await all(), /another thread|unnamed/i);
    await openTab(page, 'Memory');
    const levels = page.getByRole('region', {name: 'Levels', exact: true});
    const title = await levels.locator('.contended').first().getAttribute('title');
    assert.equal(
      title,
      'Not clear: too few footprints of a level were visited three times or more; loads may take less; where ≥ stands, a level may hold more.',
    );
    assert.doesNotMatch(await all(), /another thread/i);
  });
});
