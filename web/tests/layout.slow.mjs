// What tests of texts do not see: overlaps, what is cut off, and what axe finds, at every width, light and dark.
import assert from 'node:assert/strict';
import {join} from 'node:path';
import {after, before, test} from 'node:test';
import {fileURLToPath} from 'node:url';
import {
  accessibilityTroubles,
  allColumns,
  diagramTroubles,
  layoutTroubles,
  openTab,
  siteAddress,
  startBrowser,
  stopBrowser,
  withPage,
  withReport,
} from './browser.mjs';

before(startBrowser);
after(stopBrowser);

const kWidths = [420, 1000, 1600];
const kThemes = ['light', 'dark'];

for (const name of ['two-cpus', 'survey', 'server']) {
  test(`${name}: nothing overlaps or is cut off, and axe finds nothing, at any width`, async () => {
    for (const width of kWidths) {
      for (const colorScheme of kThemes) {
        const options = {viewport: {width, height: 900}, colorScheme};
        await withReport([name], options, async (page) => {
          const what = `${name}, ${width} pixels, ${colorScheme}`;
          assert.deepEqual(await page.evaluate(layoutTroubles), [], what);
          assert.deepEqual(await accessibilityTroubles(page), [], what);
        });
      }
    }
  });
}

for (const name of ['many-cpus', 'sweep']) {
  test(`${name}: the same where a result is largest`, async () => {
    for (const [width, colorScheme] of [
      [420, 'light'],
      [1000, 'dark'],
      [1600, 'light'],
    ]) {
      await withReport([name], {viewport: {width, height: 900}, colorScheme}, async (page) => {
        assert.deepEqual(await page.evaluate(layoutTroubles), [], `${name}, ${width} pixels`);
        await openTab(page, 'Machine');
        assert.deepEqual(await page.evaluate(layoutTroubles), [], `${name}, ${width} pixels`);
        assert.deepEqual(await accessibilityTroubles(page, '.glance'), [], name);
      });
    }
  });
}

for (const name of ['anatomy', 'windows']) {
  test(`${name}: the diagram of a core at any width`, async () => {
    for (const width of kWidths) {
      for (const colorScheme of kThemes) {
        const options = {viewport: {width, height: 900}, colorScheme};
        await withReport([name], options, async (page) => {
          const what = `${name}, ${width} pixels, ${colorScheme}`;
          await page.locator('.core-diagram svg').waitFor();
          assert.deepEqual(await page.evaluate(diagramTroubles), [], what);
          assert.deepEqual(await page.evaluate(layoutTroubles), [], what);
          assert.deepEqual(await accessibilityTroubles(page), [], what);
        });
      }
    }
  });
}

test('the diagram of a core at every width between', async () => {
  const options = {viewport: {width: 320, height: 900}};
  await withReport(['anatomy'], options, async (page) => {
    for (let width = 320; width <= 1700; width += 60) {
      await page.setViewportSize({width, height: 900});
      await page.waitForFunction(() => {
        const place = document.querySelector('.core-diagram');
        const box = place.querySelector('svg')?.getAttribute('viewBox').split(' ');
        return Number(box?.[2]) === Math.floor(place.clientWidth) + 2;
      });
      assert.deepEqual(await page.evaluate(diagramTroubles), [], `${width} pixels`);
    }
    await page.setViewportSize(options.viewport);
  });
});

/** Every view of a report, and what axe finds there. */
async function checkViews(names, options) {
  await withReport(names, options, async (page) => {
    for (const tab of await page.getByRole('tab').allInnerTexts()) {
      await openTab(page, tab);
      const what = `${names}, ${tab}, ${JSON.stringify(options)}`;
      assert.deepEqual(await page.evaluate(layoutTroubles), [], what);
      assert.deepEqual(await accessibilityTroubles(page), [], what);
    }
  });
}

for (const colorScheme of kThemes) {
  test(`every other view, ${colorScheme}`, async () => {
    for (const names of [['survey'], ['full'], ['ports'], ['hasty'], ['survey', 'later-survey']]) {
      await checkViews(names, {colorScheme});
    }
    for (const name of ['fleet', 'rack', 'hosts']) await checkViews([name], {colorScheme});
  });
}

test('the page of a form', async () => {
  for (const width of kWidths) {
    await withReport(['survey'], {viewport: {width, height: 900}}, async (page) => {
      await openTab(page, 'Instructions');
      await page.locator('.tabulator-row button').first().click();
      const panel = page.locator('dialog.panel');
      await panel.waitFor();
      const isWide = await panel.evaluate((element) => element.scrollWidth > element.clientWidth);
      assert.ok(!isWide, `${width} pixels`);
      assert.deepEqual(await accessibilityTroubles(page, 'dialog.panel'), [], `${width} pixels`);
    });
  }
});

test('a long text wraps and does not push its table out of view', async () => {
  // Of the outliers of a fleet the cause is what people came for.
  for (const width of kWidths) {
    await withReport(['fleet'], {viewport: {width, height: 900}}, async (page) => {
      const outliers = page.getByRole('region', {name: 'Nodes that are not normal'});
      const cut = await outliers.evaluate((element) => element.scrollWidth - element.clientWidth);
      assert.ok(cut <= 1, `${cut} of ${width} pixels are cut off`);
    });
  }
});

const address = siteAddress(20, 15_000);
const own = join(fileURLToPath(address), '..');

for (const width of kWidths) {
  test(`a site: nothing is cut off and axe finds nothing at ${width} pixels`, async () => {
    for (const colorScheme of kThemes) {
      const options = {viewport: {width, height: 900}, colorScheme, own};
      await withPage(address, options, async (page) => {
        await allColumns(page);
        await page.getByLabel('Search').fill('fmadd');
        assert.deepEqual(await page.evaluate(layoutTroubles), []);
        assert.deepEqual(await accessibilityTroubles(page), []);
      });
    }
  });
}
