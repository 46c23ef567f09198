// The core as a diagram: its numbers, what is grey, the evidence behind a block. How it looks at any width is in
// layout.slow.mjs.
import assert from 'node:assert/strict';
import {after, before, test} from 'node:test';
import {
  accessibilityTroubles,
  diagramTroubles,
  layoutTroubles,
  madeDocument,
  openTab,
  says,
  startBrowser,
  stopBrowser,
  withReport,
} from './browser.mjs';

before(startBrowser);
after(stopBrowser);

const {anatomy, port_map: map, memory} = madeDocument('anatomy');

const blockOf = (page, id) => page.locator(`.core-diagram [data-block="${id}"]`);

/** The texts of a block, line by line. The diagram is drawn once its place has a width. */
async function wordsOf(page, id) {
  await blockOf(page, id).first().waitFor();
  return blockOf(page, id).locator('text').allTextContents();
}

const rowOf = (name, filler) =>
  anatomy.rows.find((row) => row.name === name && row.filler === filler);

test('a result of `anatomy` opens on its core; others have a tab', async () => {
  await withReport(['anatomy'], {}, async (page) => {
    assert.equal((await page.getByRole('tab').allInnerTexts())[0], 'Core');
    await page.getByRole('tabpanel', {name: 'Core'}).waitFor();
    assert.equal(await page.getByRole('heading', {level: 1}).first().innerText(), 'Made Cove');
  });
  await withReport(['full'], {}, async (page) => {
    assert.notEqual((await page.getByRole('tab').allInnerTexts())[0], 'Core');
    await openTab(page, 'Core');
    await page.locator('.core-diagram svg').waitFor();
  });
  await withReport(['survey'], {}, async (page) => {
    assert.equal(await page.getByRole('tab', {name: 'Core', exact: true}).count(), 0);
  });
});

test('each block has the number of the document, and that of a shared core', async () => {
  const {value, shared} = rowOf('reorder buffer', 'nop');
  await withReport(['anatomy'], {}, async (page) => {
    assert.deepEqual(await wordsOf(page, 'reorder-buffer'), [
      'Reorder buffer',
      String(value.value),
      'entries',
      `${shared.value} while shared`,
    ]);
    assert.ok((await wordsOf(page, 'loads')).includes('192'));
    assert.ok((await wordsOf(page, 'stores')).includes('57 while shared'));
    // Two fillers agree, a third does not: two sizes, each with what it was measured with.
    const vectors = (await wordsOf(page, 'vector-registers')).join(' ');
    assert.match(vectors, /295 paddd x, x 139 while shared 210 vpaddd z, z, z 98 while shared/);
    // A bound, where a size is known, tells nothing; where it is all, it is marked.
    assert.ok((await wordsOf(page, 'integer-registers')).includes('247'));
    assert.ok((await wordsOf(page, 'targets-2')).includes('≥ 11,600'));
    assert.ok((await wordsOf(page, 'first-code-cache')).includes('32 KB'));
    assert.ok((await wordsOf(page, 'decode')).includes('5.96'));
    assert.equal(await blockOf(page, 'dispatch').locator('rect[rx="2"]').count(), 6, 'lanes');
    assert.ok((await wordsOf(page, 'scheduler-2')).includes('mov r, [m + r]'));
    assert.ok((await wordsOf(page, 'other-cores')).includes('8.4 ns'));
    for (const [i, {name, capacity_bytes: capacity}] of memory[0].levels.entries()) {
      const words = (await wordsOf(page, `level-${i}`)).join(' ');
      assert.match(words, capacity ? /[KM]B/ : /92 ns/, name);
    }
    assert.equal(await page.locator('.core-block.grey').count(), 0);
  });
});

test('ports that run the same are one block, with what runs on them', async () => {
  await withReport(['anatomy'], {}, async (page) => {
    await page.locator('[data-block^="ports-"]').first().waitFor();
    const titles = await page
      .locator('[data-block^="ports-"] text:first-of-type')
      .allTextContents();
    assert.deepEqual(
      titles.flatMap((title) => title.split(' · ')).sort(),
      [...map.ports].sort(),
      'every port once',
    );
    const loads = page.locator('[data-block^="ports-"]').filter({hasText: 'p2 · p3 · p11'});
    assert.match(await loads.textContent(), /mov rax, \[m\]\s*$/);
    const stores = page.locator('[data-block^="ports-"]').filter({hasText: 'p7 · p8'});
    assert.match(await stores.textContent(), /mov \[m\], rax \?\s*$/, 'a store, and not for sure');
  });
});

test('what was not measured is grey, and what showed nothing clear says why', async () => {
  await withReport(['windows'], {}, async (page) => {
    const grey = async (id) => (await blockOf(page, id).getAttribute('class')).includes('grey');
    for (const id of ['decode', 'dispatch', 'ports', 'l2', 'other-cores', 'branches', 'stores'])
      assert.ok(await grey(id), id);
    for (const id of ['reorder-buffer', 'flags', 'loads']) assert.ok(!(await grey(id)), id);
    assert.deepEqual(await wordsOf(page, 'decode'), ['Decode', 'not measured']);
    assert.equal(await blockOf(page, 'decode').getAttribute('role'), null, 'nothing to open');
    assert.ok((await wordsOf(page, 'loads')).includes('≥ 143'));
    // Fillers that disagree are both there, but for nop of which several share an entry.
    const vectors = (await wordsOf(page, 'vector-registers')).join(' ');
    assert.match(vectors, /125 add v.4s, v.4s, v.4s 160 fadd d, d, d/);
    const buffer = (await wordsOf(page, 'reorder-buffer')).join(' ');
    assert.match(buffer, /249/);
    assert.doesNotMatch(buffer, /512|nop/);
    assert.equal(await blockOf(page, 'mask-registers').count(), 0, 'this CPU has none');
    await blockOf(page, 'stores').click();
    await says(page.getByRole('dialog'), /no clear step/);
  });
});

test('a click or a key opens the evidence', async () => {
  await withReport(['anatomy'], {}, async (page) => {
    await blockOf(page, 'reorder-buffer').click();
    const panel = page.getByRole('dialog', {name: 'Reorder buffer'});
    const text = await panel.innerText();
    assert.match(text, /512 entries/);
    assert.match(text, /510 to 514/);
    assert.match(text, /256 while shared/);
    assert.match(text, /≥ 488 entries/);
    assert.match(text, /Two loads that miss every cache/);
    assert.match(text, /cyclescope anatomy --parts windows/);
    await panel.getByRole('img', {name: 'overlap by fillers'}).first().locator('canvas').waitFor();
    assert.deepEqual(await accessibilityTroubles(page, 'dialog.panel'), []);
    await page.keyboard.press('Escape');
    await panel.waitFor({state: 'hidden'});

    const decode = page.getByRole('button', {name: 'Decode 5.96 a cycle'});
    await decode.focus();
    await page.keyboard.press('Enter');
    await says(page.getByRole('dialog', {name: 'Decode'}), /5\.90 to 6\.02/);
    await page.keyboard.press('Escape');
    await decode.focus();
    await page.keyboard.press(' ');
    await page.getByRole('dialog', {name: 'Decode'}).waitFor();
    await page.keyboard.press('Escape');

    await blockOf(page, 'level-1').click();
    await page.getByRole('link', {name: 'The curve'}).click();
    await page.getByRole('tabpanel', {name: 'Memory'}).waitFor();
  });
});

test('every quantity is in a table, too, and opens its evidence there', async () => {
  await withReport(['anatomy'], {}, async (page) => {
    const windows = page.getByRole('region', {name: 'Windows: what is in flight at once'});
    const expected = anatomy.rows.filter(({part}) => part === 'windows').length;
    assert.equal(await windows.locator('tbody tr').count(), expected);
    await page.getByRole('button', {name: 'mispredicted branch'}).click();
    const text = await page.getByRole('dialog').innerText();
    assert.match(text, /17\.2 cycles/);
    assert.match(text, /random bits against every other taken/);
  });
});

test('the diagram is copied with its name, its numbers and no reference to the page', async () => {
  await withReport(['anatomy'], {colorScheme: 'dark'}, async (page) => {
    await page.evaluate(() => {
      Object.defineProperty(navigator, 'clipboard', {
        value: {
          writeText: async (text) => {
            window.taken = text;
          },
        },
      });
    });
    await page.getByRole('button', {name: 'Copy as SVG'}).click();
    await page.waitForFunction(() => window.taken);
    const drawing = await page.evaluate(() => {
      const parsed = new DOMParser().parseFromString(window.taken, 'image/svg+xml');
      return {
        error: parsed.querySelector('parsererror')?.textContent,
        words: [...parsed.querySelectorAll('text')].map((each) => each.textContent),
        buttons: parsed.querySelectorAll('[role]').length,
        colours: window.taken.includes('var('),
      };
    });
    assert.equal(drawing.error, undefined);
    for (const wanted of ['Made Cove', '512', '256 while shared', 'p2 · p3 · p11'])
      assert.ok(drawing.words.includes(wanted), `${wanted} in the picture`);
    assert.equal(drawing.buttons, 0);
    assert.equal(drawing.colours, false);
  });
});

test('a width that changes draws it anew, and focus stays', async () => {
  await withReport(['anatomy'], {}, async (page) => {
    await blockOf(page, 'flags').focus();
    const before = await page.locator('.core-diagram svg').getAttribute('viewBox');
    await page.setViewportSize({width: 500, height: 900});
    await page.waitForFunction(
      (old) => document.querySelector('.core-diagram svg').getAttribute('viewBox') !== old,
      before,
    );
    assert.equal(await page.evaluate(() => document.activeElement.dataset.block), 'flags');
    assert.deepEqual(await page.evaluate(diagramTroubles), []);
    await page.setViewportSize({width: 1300, height: 900});
  });
});

test('on paper it is there, in light colours', async () => {
  await withReport(['anatomy'], {colorScheme: 'dark'}, async (page) => {
    await page.emulateMedia({media: 'print'});
    await page.evaluate(() => window.dispatchEvent(new Event('beforeprint')));
    assert.equal(await page.locator('.picture-buttons').first().isVisible(), false);
    assert.equal(await page.locator('.core-diagram svg').isVisible(), true);
    const fill = await blockOf(page, 'flags').locator('.core-ground').getAttribute('fill');
    assert.equal(fill, '#ffffff');
    assert.deepEqual(await page.evaluate(diagramTroubles), []);
    assert.deepEqual(await page.evaluate(layoutTroubles), []);
  });
});

test('hostile texts stay texts, in the diagram and in the evidence', async () => {
  await withReport(['hostile'], {}, async (page) => {
    await openTab(page, 'Core');
    const drawn = await page.locator('.core-diagram svg').textContent();
    assert.match(drawn, /<script>/);
    assert.ok(!drawn.includes('\u202e'), 'no text turns what stands around it');
    assert.deepEqual(await page.evaluate(diagramTroubles), []);
    for (const id of ['vector-registers', 'scheduler-0', 'ports-0', 'level-0', 'other-cores']) {
      await blockOf(page, id).click();
      await page.getByRole('dialog').waitFor();
      assert.equal(
        await page.locator('main img, dialog img, main script, dialog script').count(),
        0,
      );
      await page.keyboard.press('Escape');
    }
    await page
      .locator('#view-core td, #view-core th')
      .filter({hasText: 'hacked'})
      .first()
      .waitFor();
    assert.equal(await page.evaluate(() => window.hacked), undefined);
  });
});
