// A result file from an untrusted source: its texts are shown, whatever they hold, and never obeyed.
import assert from 'node:assert/strict';
import {after, before, test} from 'node:test';
import {madeDocument, openTab, says, startBrowser, stopBrowser, withReport} from './browser.mjs';

before(startBrowser);
after(stopBrowser);

async function expectUnharmed(page) {
  assert.equal(await page.evaluate(() => window.hacked), undefined);
  assert.equal(await page.locator('main img, main script, header img, dialog img').count(), 0);
}

test('texts of a hostile result stay texts in every view', async () => {
  const hostile = madeDocument('hostile');
  await withReport(['hostile'], {}, async (page) => {
    const heading = await page.getByRole('heading', {level: 1}).first().innerText();
    assert.ok(heading.startsWith('</script><script>window.hacked=1'), heading);
    assert.ok(hostile.host.cpu_model.includes('\u202e'));
    assert.ok(!heading.includes('\u202e'), 'no text turns what stands around it');
    await expectUnharmed(page);

    await openTab(page, 'Cores');
    const box = await page.locator('.heatmap canvas').boundingBox();
    await page.mouse.move(box.x + 200, box.y + 200);
    await expectUnharmed(page);

    await openTab(page, 'Instructions');
    await page.locator('.tabulator-row button').first().click();
    assert.match(await page.locator('dialog pre').first().textContent(), /hacked/);
    await expectUnharmed(page);
    await page.keyboard.press('Escape');
    const scatter = page.locator('.scatter-latency canvas');
    await scatter.scrollIntoViewIfNeeded();
    const place = await scatter.boundingBox();
    for (let x = 60; x < place.width; x += 12) await page.mouse.move(place.x + x, place.y + 200);
    await expectUnharmed(page);

    await openTab(page, 'Fleet');
    const fleet = page.locator('#view-fleet');
    await says(fleet, /hacked/);
    assert.equal(await fleet.getByRole('link').count(), 0, 'only a plain path is a link');
    await fleet.getByRole('application').focus();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await expectUnharmed(page);
    await openTab(page, 'Hosts');
    await expectUnharmed(page);
  });
});

test('a hostile result in a comparison', async () => {
  await withReport(['survey', 'hostile'], {}, async (page) => {
    await page.locator('.compare-table .tabulator-row').first().waitFor();
    await expectUnharmed(page);
  });
});
