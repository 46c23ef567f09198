// The first screen: the machine at a glance. How it looks at any width is in layout.slow.mjs.
import assert from 'node:assert/strict';
import {after, before, test} from 'node:test';
import {
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

const survey = madeDocument('survey');

test('it names the CPU, its clock, what matters and the headline numbers', async () => {
  await withReport(['survey'], {}, async (page) => {
    assert.equal(await page.title(), 'Neoverse-V1, cloud-16 · cyclescope');
    assert.equal(await page.getByRole('heading', {level: 1}).first().innerText(), 'Neoverse-V1');
    const glance = page.getByRole('region', {name: 'The machine at a glance'});
    const text = await glance.innerText();
    assert.match(text, /Arm Neoverse-V1 · 16 CPUs · virtual machine \(kvm\) · cloud-16/);
    // The range is that of all CPUs and of the steps that one of them took.
    // An Arm timer's rate is no base clock.
    assert.match(text, /2\.60 GHz\s+2\.50 to 2\.90 GHz/);
    assert.equal(await glance.getByRole('list', {name: 'What matters'}).locator('li').count(), 3);
    const tile = (label) =>
      glance.locator('.strip li').filter({has: page.getByText(label, {exact: true})});
    await says(tile('fma'), /4\.00\s+cycles\s+model 4/);
    await says(tile('store to load'), /5\.00\s+cycles/);
    await says(tile('nearest CPU'), /7\.\d+\s+ns/);
    await says(tile('memory'), /126\.9\s+ns/);
    await glance.getByRole('img', {name: /^Heat map of the latency between 16 CPUs/}).waitFor();
  });
});

test('a value that is off its model is marked, and one that is contended is not', async () => {
  await withReport(['survey'], {}, async (page) => {
    // All of the made forms that have a name agree.
    assert.equal(await page.locator('.strip .bar-value.off').count(), 0);
  });
  await withReport(['survey', 'later-survey'], {}, async (page) => {
    await openTab(page, 'Machine');
    const tile = page.locator('.strip li').filter({hasText: 'multiply'}).first();
    await says(tile, /2\.00\s+cycles\s+B 3/);
    assert.equal(await tile.locator('.bar-value.off').count(), 1);
  });
  await withReport(['two-cpus'], {}, async (page) => {
    const add = page.locator('.strip li').filter({hasText: 'add'}).first();
    assert.equal(await add.locator('.contended').innerText(), '1.00');
    await says(page.locator('.glance'), /another thread shared the core/);
  });
});

test('memory is drawn where cores leave room for it', async () => {
  const stairs = /^How long a load takes from .*: L1 .* ns/;
  // Two CPUs have a short drawing, sixteen a map that needs all the room.
  await withReport(['two-cpus'], {}, async (page) => {
    const drawing = page.locator('.glance').getByRole('img', {name: stairs});
    await drawing.waitFor();
    const drawn = await drawing.locator('path').getAttribute('d');
    assert.match(drawn, /^M[\d.]+ [\d.]+(L[\d.]+ [\d.]+)+$/);
    const words = await drawing.locator('text').allTextContents();
    for (const wanted of ['10 ns', '100 ns', 'memory 126.9 ns'])
      assert.ok(words.includes(wanted), `${wanted} among ${words}`);
    await page.getByRole('link', {name: 'Every level'}).click();
    await page.getByRole('tabpanel', {name: 'Memory'}).waitFor();
  });
  await withReport(['survey'], {}, async (page) => {
    assert.equal(await page.locator('.glance').getByRole('img', {name: stairs}).count(), 0);
  });
});

test('two CPUs that move have a spectrum instead of a map', async () => {
  await withReport(['two-cpus'], {}, async (page) => {
    await page.getByRole('img', {name: /same core 8\.10 ns, other core 83\.0 ns/}).waitFor();
    await says(page.locator('.highlights'), /Virtual CPUs move/);
  });
});

test('a document that holds little has a first screen, too', async () => {
  for (const name of ['bare', 'bare-matrix', 'full']) {
    await withReport([name], {}, async (page) => {
      await openTab(page, 'Machine');
      await page.locator('.glance h1').waitFor();
      assert.deepEqual(await page.evaluate(layoutTroubles), [], name);
    });
  }
});

test('the figure is copied as SVG and as PNG', async () => {
  await withReport(['survey'], {}, async (page) => {
    // The machine's own clipboard may be closed to a browser without a screen.
    await page.evaluate(() => {
      const taken = {};
      window.taken = taken;
      Object.defineProperty(navigator, 'clipboard', {
        value: {
          writeText: async (text) => {
            taken.text = text;
          },
          write: async ([item]) => {
            taken.image = await item.getType('image/png');
          },
        },
      });
    });
    const copied = page.locator('.picture-buttons [role=status]').filter({hasText: 'Copied'});
    await page.getByRole('button', {name: 'Copy as SVG'}).click();
    await copied.waitFor();
    const drawing = await page.evaluate(() => {
      const parsed = new DOMParser().parseFromString(window.taken.text, 'image/svg+xml');
      const words = [...parsed.querySelectorAll('text')].map((each) => each.textContent);
      return {error: parsed.querySelector('parsererror')?.textContent, words};
    });
    assert.equal(drawing.error, undefined);
    for (const wanted of ['Neoverse-V1', 'fma', '2.60 GHz'])
      assert.ok(drawing.words.includes(wanted), `${wanted} in the picture`);

    await page.getByRole('button', {name: 'Copy as PNG'}).click();
    await page.waitForFunction(() => window.taken.image);
    const width = await page.evaluate(
      async () => (await createImageBitmap(window.taken.image)).width,
    );
    assert.equal(width, 2400);
  });
});

test('where the clipboard is closed, the figure is saved', async () => {
  await withReport(['survey'], {}, async (page) => {
    await page.evaluate(() => {
      Object.defineProperty(navigator, 'clipboard', {value: undefined});
    });
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', {name: 'Copy as PNG'}).click(),
    ]);
    assert.equal(download.suggestedFilename(), 'cyclescope.png');
  });
});

test('on paper it is there, in light colours', async () => {
  await withReport(['survey'], {colorScheme: 'dark'}, async (page) => {
    await page.emulateMedia({media: 'print'});
    await page.evaluate(() => window.dispatchEvent(new Event('beforeprint')));
    assert.equal(await page.locator('.picture-buttons').isVisible(), false);
    assert.equal(await page.locator('.glance-figure svg').isVisible(), true);
    const text = await page.locator('.glance').innerText();
    assert.match(text, new RegExp(survey.host.microarchitecture));
    assert.deepEqual(await page.evaluate(layoutTroubles), []);
  });
});
