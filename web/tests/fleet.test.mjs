// Many machines in the report.
import assert from 'node:assert/strict';
import {after, before, test} from 'node:test';
import {
  accessibilityTroubles,
  madeDocument,
  openTab,
  says,
  startBrowser,
  stopBrowser,
  withReport,
} from './browser.mjs';

before(startBrowser);
after(stopBrowser);

const {fleet} = madeDocument('fleet');

test('a fleet is what its page is about', async () => {
  await withReport(['fleet'], {}, async (page) => {
    const view = page.locator('#view-fleet');
    assert.ok(await view.isVisible());
    assert.equal(await page.getByRole('tab').count(), 1);
    const text = await view.innerText();
    for (const part of [
      '2 of 6 nodes are like the others; 1 slow, 1 different, 2 without enough data.',
      'Job 17 left no result of 1 node: n6.',
      '1 file could not be read; the first: it is empty.',
      fleet.nodes[0].cause.slice(1), // with a capital
      'Group A: 4 nodes',
      'Group B: 1 node',
    ]) {
      assert.ok(text.includes(part), part);
    }
    assert.match(await page.title(), /Fleet of 6 nodes/);
    assert.deepEqual(await accessibilityTroubles(page), []);
  });
});

test('outliers lead to their own surveys', async () => {
  await withReport(['fleet'], {}, async (page) => {
    const outliers = page.getByRole('region', {name: 'Nodes that are not normal'});
    const link = outliers.getByRole('link', {name: 'n3'});
    assert.equal(await link.getAttribute('href'), './out/n3/cyclescope.html');
    assert.equal(await outliers.getByRole('link').count(), 1);
    await says(outliers, /core clock: 3\.49 GHz, usually 3\.60 GHz \(−3\.1 %\)/);
  });
});

test('a cell of the heat map shows its node and distribution', async () => {
  await withReport(['fleet'], {}, async (page) => {
    const map = page.locator('#view-fleet').getByRole('application');
    await map.focus();
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('ArrowRight');
    await says(page.locator('.tip'), /n3: slow[\s\S]*memory: 101\.0 ns/);
    await page.keyboard.press('Enter');
    const view = page.locator('#view-fleet');
    assert.ok(await view.getByRole('heading', {name: 'Distribution of memory'}).isVisible());
    await says(view.locator('.callout.note'), /^n3: slow; its cores run at a lower frequency/);
    await view.getByLabel('Metric', {exact: true}).selectOption('core clock');
    await view.getByText('Show as a table').click();
    const shown = page.getByRole('region', {name: 'Distribution of core clock'});
    const rows = await shown.locator('tbody tr td').allInnerTexts();
    const measured = fleet.nodes.filter(({values}) => values?.length).length;
    assert.equal(
      rows.reduce((sum, number) => sum + Number(number), 0),
      measured,
    );
  });
});

test('what is usual stands in a table', async () => {
  await withReport(['fleet'], {}, async (page) => {
    await page.getByText('What is usual', {exact: true}).click();
    const usual = page.getByRole('region', {name: 'What is usual'});
    await says(usual, /core clock\s+4\s+3\.60 GHz\s+0\.30 %\s+0\.30 %\s+2\.00 %/);
  });
});

test('ten thousand nodes are drawn', async () => {
  await withReport(['large-fleet'], {}, async (page) => {
    const map = page.locator('#view-fleet').getByRole('application');
    await map.focus();
    for (let i = 0; i < 5; i += 1) await page.keyboard.press('ArrowDown');
    await says(page.locator('.tip'), /m00004: normal/);
  });
});

/** What is written on the map when it is drawn anew, and where. */
async function writtenOnMap(page) {
  await page.evaluate(() => {
    window.written = [];
    const write = CanvasRenderingContext2D.prototype.fillText;
    CanvasRenderingContext2D.prototype.fillText = function (text, x, ...rest) {
      const wide = this.measureText(text).width;
      const left = this.textAlign === 'left' ? x : x - wide;
      window.written.push({text, left, right: left + wide, room: this.canvas.clientWidth});
      return write.call(this, text, x, ...rest);
    };
  });
  await page.locator('.heatmap canvas').first().focus();
  await page.keyboard.press('ArrowRight');
  await page.waitForFunction(() => window.written.length > 20);
  return page.evaluate(() => window.written);
}

test('every node and every block of columns has its name', async () => {
  for (const width of [420, 1000, 1600]) {
    await withReport(['rack'], {viewport: {width, height: 2000}}, async (page) => {
      const written = await writtenOnMap(page);
      const texts = written.map(({text}) => text);
      const nodes = new Set(texts.filter((text) => text.startsWith('rack1-n')));
      assert.equal(nodes.size, 40, `${width} pixels`);
      for (const kind of ['clock', 'instruction']) assert.ok(texts.includes(kind), kind);
      for (const {text, right, room} of written)
        assert.ok(right <= room + 1, `'${text}' ends at ${right} of ${room} pixels`);
      if (width > 420) assert.ok(texts.includes('stolen'), `${texts}`);
    });
  }
});

test('a distribution is no finer than what matters', async () => {
  await withReport(['rack'], {}, async (page) => {
    const view = page.locator('#view-fleet');
    await view.getByText('Show as a table').click();
    const shown = page.getByRole('region', {name: /^Distribution of clock/});
    const ranges = await shown.locator('tbody tr th, tbody tr td:first-child').allInnerTexts();
    assert.ok(ranges.length >= 10, `${ranges.length} bins`);
    for (const range of ranges) assert.match(range, /^\d\.\d{1,3} to \d\.\d{1,3} GHz$|^\d+$/);
  });
});

test('a document of any command may hold a verdict', async () => {
  await withReport(['full'], {}, async (page) => {
    await openTab(page, 'Fleet');
    assert.ok(await page.locator('#view-fleet').isVisible());
  });
});

test('between hosts: every pair, sizes and groups', async () => {
  await withReport(['hosts'], {}, async (page) => {
    const view = page.locator('#view-hosts');
    const text = await view.innerText();
    for (const part of ['4 hosts, 8 visits to each pair.', 'group A', 'h1, h2'])
      assert.ok(text.includes(part), part);
    await view.getByRole('application').focus();
    await page.keyboard.press('ArrowRight');
    await says(page.locator('.tip'), /h1 → h2\s+1\.50 µs/);
    await view.getByLabel('Messages', {exact: true}).selectOption('1 MB, bandwidth');
    await view.getByRole('application').focus();
    await page.keyboard.press('ArrowRight');
    await says(page.locator('.tip'), /12\.5 GB\/s/);
    assert.deepEqual(await accessibilityTroubles(page), []);
  });
});
