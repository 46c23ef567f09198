// The report of a survey, as its reader uses it.
import assert from 'node:assert/strict';
import {after, before, test} from 'node:test';
import {
  hoverPair,
  madeDocument,
  openTab,
  says,
  startBrowser,
  stopBrowser,
  until,
  withReport,
} from './browser.mjs';

before(startBrowser);
after(stopBrowser);

const survey = madeDocument('survey');

test('Machine shows host, clock, topology, doctor and frequency', async () => {
  await withReport(['survey'], {}, async (page) => {
    const text = await page.getByRole('main').innerText();
    for (const wanted of [
      survey.host.cpu_model,
      survey.host.kernel,
      'reference',
      survey.clock.jury.verdict,
      survey.doctor[3].remedy,
      survey.cores[0].findings[0].text,
    ]) {
      assert.ok(text.includes(wanted), `'${wanted}' is shown`);
    }
    // Every CPU stands in both drawings: as claimed, and as latencies show.
    assert.equal(await page.locator('.topology').count(), 2);
    for (const drawing of await page.locator('.topology').all()) {
      assert.equal(await drawing.locator('.cpu').count(), survey.host.cpus_online);
    }
    // Only the group that the system lists too is not marked as surprising.
    assert.equal(await page.locator('.box.surprising').count(), 4);
  });
});

test('Cores: hovering a pair tells value, interval and both directions', async () => {
  await withReport(['survey'], {}, async (page) => {
    await openTab(page, 'Cores');
    const [cores] = survey.cores;
    const tip = await hoverPair(page, cores.cpus.length, 2, 5);
    assert.match(tip, /CPU 2 → CPU 5/);
    assert.ok(tip.includes(`${cores.nanoseconds[2][5].toFixed(1)} ns`), tip);
    assert.ok(tip.includes(`${cores.low[2][5].toFixed(1)} to ${cores.high[2][5].toFixed(1)}`), tip);
    assert.ok(tip.includes(`back: ${cores.nanoseconds[5][2].toFixed(1)} ns`), tip);
    assert.match(await hoverPair(page, cores.cpus.length, 3, 9), /disturbed/);
    assert.match(await hoverPair(page, cores.cpus.length, 4, 4), /the same CPU/);
  });
});

test('Cores: unit, order and test can be switched', async () => {
  await withReport(['survey'], {}, async (page) => {
    await openTab(page, 'Cores');
    const size = survey.cores[0].cpus.length;

    await page.getByText('by group').click();
    assert.match(await hoverPair(page, size, 0, 1), /CPU 0 → CPU 12/);

    await page.getByText('ticks', {exact: true}).click();
    const ticks = (survey.cores[0].nanoseconds[0][12] * survey.clock.tick_hz) / 1e9;
    assert.ok((await hoverPair(page, size, 0, 1)).includes(`${ticks.toFixed(2)} ticks`));
    await page.getByRole('tabpanel').getByText('cycles', {exact: true}).click();
    assert.match(await hoverPair(page, size, 0, 1), /cycles/);

    await page.getByText('two-lines', {exact: true}).click();
    await page.getByRole('heading', {name: /^two-lines/}).waitFor();
    const [, twoLines] = survey.cores;
    const tip = await hoverPair(page, size, 1, 7);
    assert.ok(tip.includes(`${twoLines.nanoseconds[1][7].toFixed(1)} ns`), tip);
  });
});

test('Cores: the keyboard moves through the heat map, and a table stands behind it', async () => {
  await withReport(['survey'], {}, async (page) => {
    await openTab(page, 'Cores');
    await page.locator('.heatmap canvas').focus();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('ArrowRight');
    await says(page.locator('[aria-live=polite]').first(), /CPU 1 → CPU 2/);

    await page.getByRole('tabpanel').getByText('Show as a table').first().click();
    const table = page.getByRole('table', {name: /Latency between CPUs/});
    const row = table.getByRole('row', {name: /^CPU 3/});
    assert.equal(
      await row.getByRole('cell').nth(0).innerText(),
      survey.cores[0].nanoseconds[3][0].toFixed(1),
    );
  });
});

test('Cores: groups and findings are told in words', async () => {
  await withReport(['survey'], {}, async (page) => {
    await openTab(page, 'Cores');
    const groups = page.getByRole('table', {name: 'Groups of CPUs'});
    await says(groups.getByRole('row', {name: /group D/}), /8-11, 13-15.*not listed/s);
    await says(page.getByRole('region', {name: 'Findings'}), /share a core/);
  });
});

test('Instructions: search and filters leave what matches', async () => {
  await withReport(['survey'], {}, async (page) => {
    await openTab(page, 'Instructions');
    const shown = page.locator('output').first();
    const firstRow = page.locator('.tabulator-row').first();
    await firstRow.waitFor();

    await page.getByLabel('Search').fill('fmla');
    await says(shown, /^1 of 41 forms/);
    await says(firstRow, /fmla v0\.4s/);
    await page.getByLabel('Search').fill('');

    // Words may stand in different columns: part of a mnemonic, and an extension.
    await page.getByLabel('Search').fill('asimd mul');
    await says(shown, /^2 of 41 forms/);
    await says(firstRow, /mul v0\.4s/);
    await page.getByLabel('Search').fill('');

    await page.getByRole('combobox', {name: 'ISA'}).selectOption('lse');
    await says(shown, /^4 of 41/);
    await page.getByRole('combobox', {name: 'ISA'}).selectOption('');

    await page.getByRole('combobox', {name: 'Status'}).selectOption('crashed');
    await says(firstRow, /udf #0/);
    await page.getByRole('combobox', {name: 'Status'}).selectOption('all but unsupported');

    await page.getByRole('textbox', {name: 'Mnemonic'}).fill('fm');
    await says(shown, /^5 of 41/);
    await page.getByRole('textbox', {name: 'Mnemonic'}).fill('');

    await page.getByLabel('differs from the model').check();
    const differing = Number.parseInt(await shown.innerText(), 10);
    assert.ok(differing > 0 && differing < 41, `${differing} differ`);

    await page.getByLabel('Search').fill('no such thing');
    await says(page.locator('.instruction-table'), /No form matches/);
  });
});

test('Instructions: what differs from the model is coloured, and says so', async () => {
  await withReport(['survey'], {}, async (page) => {
    await openTab(page, 'Instructions');
    await page.getByLabel('differs from the model').check();
    const rows = page.locator('.tabulator-row');
    await rows.first().waitFor();
    assert.equal(await rows.count(), await rows.filter({has: page.locator('.off')}).count());
    await page.getByLabel('Search').fill('fsqrt d0');
    const table = page.locator('.instruction-table');
    const differs = table.locator('.measured-cell.off');
    assert.deepEqual(await differs.allInnerTexts(), ['14.00\n±0.01', '8.50\n±0.006']);
    assert.match(await differs.first().getAttribute('title'), /differs from the model.* 16\.00/);
    await page.getByLabel('differs from the model').uncheck();
    await page.getByLabel('Search').fill('fadd d0');
    assert.equal(await table.locator('.measured-cell').count(), 2);
    assert.equal(await differs.count(), 0);
  });
});

test('Instructions: a column in which nothing stands is not shown', async () => {
  const titles = (page) => page.locator('.tabulator-col:visible').allInnerTexts();
  await withReport(['survey'], {viewport: {width: 1600, height: 900}}, async (page) => {
    await openTab(page, 'Instructions');
    await page.locator('.tabulator-row').first().waitFor();
    assert.ok((await titles(page)).includes('Model lat.'));
  });
  await withReport(['full'], {viewport: {width: 1600, height: 900}}, async (page) => {
    await openTab(page, 'Instructions');
    await page.locator('.tabulator-row').first().waitFor();
    const shown = await titles(page);
    const cells = await page
      .locator('.tabulator-row')
      .evaluateAll((rows) =>
        rows.map((row) =>
          [...row.querySelectorAll('.tabulator-cell')]
            .filter((cell) => cell.checkVisibility())
            .map((cell) => cell.innerText.trim()),
        ),
      );
    shown.forEach((title, i) => {
      assert.ok(
        cells.some((row) => row[i] !== '' && row[i] !== '–'),
        `${title} is empty`,
      );
    });
  });
});

test('Instructions: sorts by a column and hides columns', async () => {
  await withReport(['survey'], {}, async (page) => {
    await openTab(page, 'Instructions');
    const header = page.getByRole('columnheader', {name: 'Throughput'});
    const first = page.locator('.tabulator-row').first();
    await header.click();
    await first.filter({hasText: '0.25'}).waitFor();
    await header.click();
    await first.filter({hasText: 'casal'}).waitFor();

    await page.getByText('Columns').click();
    await page.locator('.menu').getByLabel('ISA').uncheck();
    await page.getByRole('columnheader', {name: 'ISA'}).waitFor({state: 'hidden'});
    await page.locator('.menu').getByLabel('Opcode').check();
    await page.getByRole('columnheader', {name: 'Opcode'}).waitFor();
  });
});

test('Instructions: a row opens to pairs, intervals, samples, code and command', async () => {
  await withReport(['survey'], {}, async (page) => {
    await openTab(page, 'Instructions');
    await page.getByLabel('Search').fill('sdiv');
    await page.getByRole('button', {name: 'sdiv x0, x1, x2'}).click();
    const panel = page.getByRole('dialog', {name: 'sdiv x0, x1, x2'});
    const text = await panel.innerText();
    for (const wanted of [
      'SDIVXr',
      'source 1 → destination',
      'fast and slow operands',
      'interval 11.992 to 12.010',
      '15 samples kept, 1 dropped',
      'neoverse-v1',
      "cyclescope instruction 'sdiv x0, x1, x2'",
    ]) {
      assert.ok(text.includes(wanted), `'${wanted}' in ${text}`);
    }
    assert.ok((await panel.locator('svg.distribution .column').count()) > 3);
    await panel.getByText('The chain').first().click();
    assert.match(await panel.locator('pre').allInnerTexts().then(String), /sdiv x0, x1, x2/);
    await page.keyboard.press('Escape');
    await panel.waitFor({state: 'hidden'});
  });
});

test('an address of a form that is not there says so', async () => {
  await withReport(['survey'], {}, async (page) => {
    await page.evaluate(() => {
      location.hash = '#form=nosuch';
    });
    await page.getByText('This result has no “nosuch”.').waitFor();
    await openTab(page, 'Cores');
    assert.equal(await page.getByText('This result has no').count(), 0);
  });
});

test('a form has an address of its own', async () => {
  await withReport(['survey'], {}, async (page) => {
    await page.evaluate(() => {
      location.hash = `form=${encodeURIComponent('sdiv x0, x1, x2')}`;
    });
    const panel = page.getByRole('dialog', {name: 'sdiv x0, x1, x2'});
    await panel.waitFor();
    const pairs = panel.getByRole('table', {name: 'Latency of each pair of operands'});
    await says(pairs, /source 1\s+12\.00\s+source 2\s+11\.00/);
    assert.ok((await panel.locator('svg.over-time circle').count()) > 10);
    await says(panel, /#form=sdiv%20x0%2C%20x1%2C%20x2/);
    await page.keyboard.press('Escape');
    await panel.waitFor({state: 'hidden'});
    await page.getByRole('tabpanel', {name: 'Instructions'}).waitFor();
    assert.equal(await page.evaluate(() => location.hash), '#instructions');

    // Opened from the table, it has the same address; one that is not there changes nothing.
    await page.getByLabel('Search').fill('fmadd');
    await page.getByRole('button', {name: 'fmadd d0, d1, d2, d3'}).click();
    assert.match(await page.evaluate(() => location.hash), /^#form=fmadd/);
    await page.keyboard.press('Escape');
    await page.evaluate(() => {
      location.hash = 'form=%E0%A4%A';
    });
    assert.equal(await page.getByRole('dialog').count(), 0);
  });
});

test('Instructions: a contended value looks different', async () => {
  await withReport(['survey'], {}, async (page) => {
    await openTab(page, 'Instructions');
    await page.getByLabel('Search').fill('clz');
    const throughput = page.locator('.tabulator-row .contended');
    assert.equal(await throughput.innerText(), '≤ 0.25');
    assert.match(
      await page.locator('.measured-cell', {has: page.locator('.contended')}).getAttribute('title'),
      /^interval 0\.24982 to 0\.25020\. Contended/,
    );
    await page.getByRole('button', {name: 'clz x0, x1'}).click();
    const text = await page.getByRole('dialog').innerText();
    assert.match(text, /≤ 0\.25 cycles per instruction/);
    assert.match(text, /another thread shared the core/);
    await page.keyboard.press('Escape');
    // A latency is no bound.
    await page.getByLabel('Search').fill('mul v0.4s');
    assert.equal(await page.locator('.tabulator-row .contended').innerText(), '4.00');
    await page.getByLabel('Search').fill('rbit');
    await page.getByRole('button', {name: 'rbit x0, x1'}).waitFor();
    assert.equal(await page.locator('.tabulator-row .contended').count(), 0);
  });
});

test('Machine: a clock that changed, and cores that were shared', async () => {
  await withReport(['survey'], {}, async (page) => {
    const main = page.getByRole('main');
    await says(main, /shared with another thread.*: CPU 1 46 %\./);
    await main.getByText('Show as a table').first().click();
    const row = page
      .getByRole('table', {name: 'Frequency of each CPU'})
      .getByRole('row', {name: /^3 /});
    await says(row, /2\.50 GHz 40 %, 2\.90 GHz 60 %\s+measured, contended/);
    assert.equal(await row.locator('.contended').count(), 1);
  });
});

test('Instructions: a point of the scatter leads to its forms', async () => {
  await withReport(['survey'], {}, async (page) => {
    await openTab(page, 'Instructions');
    const scatter = page.locator('.scatter-latency canvas');
    await scatter.scrollIntoViewIfNeeded();
    const box = await scatter.boundingBox();
    // The diagonal's (1, 1) on a scale from 2^-3 to 2^4, where the most forms are.
    const grid = {left: 70, right: 16, top: 16, bottom: 48};
    const x = box.x + grid.left + ((box.width - grid.left - grid.right) * 3) / 7;
    const y = box.y + grid.top + ((box.height - grid.top - grid.bottom) * 4) / 7;
    // A chart that is not painted yet knows no points.
    let moves = 0;
    await until(async () => {
      moves += 1;
      await page.mouse.move(x + (moves % 2), y);
      const [tip = ''] = await page.locator('.chart-tip').allInnerTexts();
      return /model 1\.00, measured 1\.00.*add x0, x1, x2/s.test(tip);
    });
    await page.mouse.click(x, y);
    await says(page.locator('output').first(), /^5 of 41/);
    await page.getByRole('button', {name: 'Show all again'}).click();
    await says(page.locator('output').first(), /^40 of 41 forms/);
  });
});

test('Instructions: what differs from the model is said in sentences', async () => {
  await withReport(['survey'], {}, async (page) => {
    await openTab(page, 'Instructions');
    await page.getByText('Where the model differs, in words').click();
    const groups = page.getByRole('list', {name: 'Where the model differs'});
    const first = groups.getByRole('listitem').first();
    const text = await first.innerText();
    assert.match(text, /^(All )?\d+ .*(latencies|throughputs) .* takes .*, the model has .*\./);
    const values = Number(text.match(/\d+/)[0]);
    assert.ok(values > 1, `${values} values in the largest group`);
    await first.getByRole('button').click();
    assert.match(await page.locator('output').first().innerText(), new RegExp(`^${values} of 41`));
  });
});

test('Blocks open too', async () => {
  await withReport(['survey'], {}, async (page) => {
    await openTab(page, 'Instructions');
    await page.getByRole('button', {name: /ldr x0, \[x1\], #8; add/}).click();
    const text = await page.getByRole('dialog', {name: 'Block'}).innerText();
    assert.match(text, /1\.50 cycles per iteration/);
    assert.match(text, /cyclescope block --init 'mov x3, #64' 'ldr x0, \[x1\], #8/);
  });
});

test('light and dark follow the system and the button', async () => {
  const background = (page) => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  await withReport(['survey'], {colorScheme: 'dark'}, async (page) => {
    const dark = await background(page);
    await page.getByRole('button', {name: 'Light or dark'}).click();
    const light = await background(page);
    assert.notEqual(dark, light);
    await page.reload();
    assert.equal(await background(page), light, 'the choice is kept');
  });
  await withReport(['survey'], {colorScheme: 'light'}, async (page) => {
    await openTab(page, 'Cores');
    // The heat map is drawn anew: its fastest pair is light on a light page, dark on a dark one.
    const cornerBrightness = () =>
      page.evaluate(() => {
        const canvas = document.querySelector('.heatmap canvas');
        const cell = (canvas.width - 40) / 16;
        const x = Math.round(40 + 12.2 * cell);
        const copy = document.createElement('canvas').getContext('2d', {willReadFrequently: true});
        copy.drawImage(canvas, -x, -Math.round(40 + 0.2 * cell));
        const {data} = copy.getImageData(0, 0, 1, 1);
        return data[0] + data[1] + data[2];
      });
    await until(async () => (await cornerBrightness()) > 600);
    await page.getByRole('button', {name: 'Light or dark'}).click();
    await until(async () => (await cornerBrightness()) < 300);
  });
});

test('text is readable on its background, light and dark', async () => {
  for (const colorScheme of ['light', 'dark']) {
    await withReport(['survey'], {colorScheme}, async (page) => {
      const worst = await page.evaluate(leastContrast);
      assert.ok(worst.contrast >= 4.5, `${worst.contrast} for '${worst.text}' (${colorScheme})`);
    });
  }
});

/** The least contrast (WCAG 2) of any text in view with the background it stands on. */
function leastContrast() {
  const canvas = document.createElement('canvas').getContext('2d', {willReadFrequently: true});
  const rgba = (color) => {
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = color;
    canvas.fillRect(0, 0, 1, 1);
    return [...canvas.getImageData(0, 0, 1, 1).data];
  };
  const luminance = (color) => {
    const [r, g, b] = color.map((channel) => {
      const c = channel / 255;
      return c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const backgroundOf = (element) => {
    for (let e = element; e; e = e.parentElement) {
      const color = rgba(getComputedStyle(e).backgroundColor);
      if (color[3] > 200) return color;
    }
    return [255, 255, 255, 255];
  };
  let worst = {contrast: 21, text: ''};
  for (const element of document.querySelectorAll('main *, header *')) {
    const text = [...element.childNodes].find((n) => n.nodeType === 3 && n.data.trim() !== '');
    if (!text || element.offsetParent === null) continue;
    const a = luminance(rgba(getComputedStyle(element).color));
    const b = luminance(backgroundOf(element));
    const contrast = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    if (contrast < worst.contrast) worst = {contrast, text: text.data};
  }
  return worst;
}

test('tabs work with the keyboard and in the address', async () => {
  await withReport(['survey'], {}, async (page) => {
    await page.getByRole('tab', {name: 'Machine'}).focus();
    await page.keyboard.press('ArrowRight');
    await page.getByRole('tabpanel', {name: 'Cores'}).waitFor();
    assert.equal(
      await page.getByRole('tab', {name: 'Cores'}).getAttribute('aria-selected'),
      'true',
    );
    await page.evaluate(() => {
      location.hash = 'instructions';
    });
    await page.getByRole('tabpanel', {name: 'Instructions'}).waitFor();
  });
});

test('every control has a name', async () => {
  await withReport(['survey'], {}, async (page) => {
    for (const tab of ['Machine', 'Cores', 'Instructions']) {
      await openTab(page, tab);
      const nameless = await page.evaluate(() =>
        [...document.querySelectorAll('button, input, select, [role=img], canvas[tabindex]')]
          .filter((e) => e.offsetParent !== null)
          .filter(
            (e) =>
              !(e.getAttribute('aria-label') || e.textContent.trim() || e.labels?.[0]?.textContent),
          )
          .map((e) => e.outerHTML.slice(0, 120)),
      );
      assert.deepEqual(nameless, [], tab);
    }
  });
});

test('nothing is wider than a phone', async () => {
  await withReport(['survey'], {viewport: {width: 390, height: 844}}, async (page) => {
    for (const tab of ['Machine', 'Cores', 'Instructions']) {
      await openTab(page, tab);
      await page.waitForTimeout(150);
      const width = await page.evaluate(() => document.documentElement.scrollWidth);
      assert.ok(width <= 390, `${tab} is ${width} pixels wide`);
    }
  });
});

test('printing shows every view, in light colours', async () => {
  await withReport(['survey'], {colorScheme: 'dark'}, async (page) => {
    await page.emulateMedia({media: 'print'});
    await page.evaluate(() => window.dispatchEvent(new Event('beforeprint')));
    const text = await page.getByRole('main').innerText();
    assert.match(text, /Neoverse-V1[\s\S]*Core to core[\s\S]*Instructions/);
    // The table of forms, which scrolls on the screen, is printed whole.
    assert.match(text, /sha256h q0, q1, v2\.4s/);
    assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), 'light');
    assert.equal(await page.getByRole('tablist').isVisible(), false);
    await page.evaluate(() => window.dispatchEvent(new Event('afterprint')));
    assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), 'dark');
  });
  await withReport(['survey'], {}, async (page) => {
    const pdf = await page.pdf({format: 'A4'});
    const pages = pdf.toString('latin1').match(/\/Type\s*\/Page[^s]/g)?.length ?? 0;
    assert.ok(pages >= 3, `${pages} pages`);
  });
});
