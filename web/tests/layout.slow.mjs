// What nobody sees by asking for texts: overlaps, what is cut off, and what axe finds, at every width, light and dark.
import assert from 'node:assert/strict';
import {join} from 'node:path';
import {after, before, test} from 'node:test';
import {fileURLToPath} from 'node:url';
import {
  accessibilityTroubles,
  allColumns,
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
        assert.deepEqual(await accessibilityTroubles(page, '.glance'), [], name);
      });
    }
  });
}

test('axe finds nothing in the other views', async () => {
  for (const colorScheme of kThemes) {
    await withReport(['survey'], {colorScheme}, async (page) => {
      for (const tab of ['Cores', 'Instructions', 'Memory']) {
        await openTab(page, tab);
        assert.deepEqual(await accessibilityTroubles(page), [], `${tab}, ${colorScheme}`);
      }
    });
    await withReport(['ports'], {colorScheme}, async (page) => {
      await openTab(page, 'Ports');
      assert.deepEqual(await accessibilityTroubles(page), [], `Ports, ${colorScheme}`);
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
