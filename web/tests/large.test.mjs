// What large machines and whole instruction sets make of the report.
import assert from 'node:assert/strict';
import {statSync} from 'node:fs';
import {after, before, test} from 'node:test';
import {fileURLToPath} from 'node:url';
import {
  hoverPair,
  openTab,
  reportAddress,
  says,
  startBrowser,
  stopBrowser,
  until,
  withReport,
} from './browser.mjs';

before(startBrowser);
after(stopBrowser);

test('a page is small enough to be sent around', () => {
  const size = (name) => statSync(fileURLToPath(reportAddress(name))).size;
  assert.ok(size('survey') < 1_000_000, `a survey takes ${size('survey')} bytes`);
  assert.ok(size('sweep') < 3_000_000, `a sweep of 20,000 forms takes ${size('sweep')} bytes`);
});

test('768 × 768 pairs are drawn, hovered, zoomed and scrolled', async () => {
  await withReport(['many-cpus'], {}, async (page) => {
    await openTab(page, 'Cores');
    assert.match(await hoverPair(page, 768, 0, 384), /CPU 0 → CPU 384\n[89]\.\d\d ns/);
    assert.match(await hoverPair(page, 768, 5, 300), /CPU 5 → CPU 300\n2[34]\d\.\d ns/);

    await page.getByText('× 8', {exact: true}).click();
    const scroller = page.locator('.heatmap-scroller');
    assert.ok((await scroller.evaluate((e) => e.scrollHeight)) > 5000);
    for (let i = 1; i <= 20; i += 1) {
      await scroller.evaluate((e, y) => e.scrollTo(y, y), i * 200);
      await page.waitForTimeout(16);
    }
    // Only what is in view is drawn: all pairs at this size would take seconds at every step.
    const view = await scroller.evaluate((e) => e.clientHeight * window.devicePixelRatio);
    const drawn = await page.locator('.heatmap canvas').evaluate((e) => e.height);
    assert.ok(drawn <= view, `${drawn} of ${view} pixels`);
    const box = await page.locator('.heatmap canvas').boundingBox();
    // The row that is in view after scrolling, as soon as that is drawn.
    let moves = 0;
    await until(async () => {
      moves += 1;
      await page.mouse.move(box.x + 200 + (moves % 2), box.y + 300);
      const said = (await page.locator('.tip').innerText()).match(/CPU (\d+) →/);
      return said && Number(said[1]) > 500;
    });

    await page.getByText('by group').click();
    await page.getByText('Show a CPU’s row as a table').click();
    await page.getByRole('combobox', {name: 'From'}).selectOption({label: 'CPU 700'});
    const table = page.getByRole('table', {name: /Latency from CPU 700/});
    assert.equal(await table.getByRole('row').count(), 769);
  });
});

test('the machine of 768 CPUs is drawn as claimed', async () => {
  await withReport(['many-cpus'], {}, async (page) => {
    await openTab(page, 'Machine');
    assert.equal(await page.locator('.topology').first().locator('.cpu').count(), 768);
  });
});

test('20,000 forms are searched and opened', async () => {
  await withReport(['sweep'], {}, async (page) => {
    await openTab(page, 'Instructions');
    const shown = page.locator('output').first();
    await says(shown, /^20,000 forms/);
    // Only what is in view has elements.
    assert.ok((await page.locator('.tabulator-row').count()) < 200);
    await page.getByLabel('Search').pressSequentially('sha256h');
    await says(shown, /^50\d of 20,000/);
    await page.locator('.tabulator-row button').first().click();
    await page.getByRole('dialog', {name: /sha256h/}).waitFor();
    await page.keyboard.press('Escape');
    await page.getByLabel('Search').fill('');
    await page.getByRole('combobox', {name: 'Status'}).selectOption('privileged');
    await says(shown, /^869 of 20,000/);
  });
});
