// The report that `cyclescope survey` left of this machine, whatever it is.
import assert from 'node:assert/strict';
import {after, before, test} from 'node:test';
import {
  hoverPair,
  openTab,
  startBrowser,
  stopBrowser,
  surveyAddress,
  surveyDocument,
  withPage,
} from './browser.mjs';

before(startBrowser);
after(stopBrowser);

const survey = surveyDocument();
const withSurvey = (options, run) => withPage(surveyAddress(), options, run);
const tabs = [
  'Machine',
  ...(survey.anatomy ? ['Core'] : []),
  ...(survey.cores?.length ? ['Cores'] : []),
  ...(survey.memory?.length ? ['Memory'] : []),
  'Instructions',
  ...(survey.gpu?.length ? ['GPU'] : []),
];

test('Machine: what was found out about it is there', async () => {
  await withSurvey({}, async (page) => {
    assert.deepEqual(await page.getByRole('tab').allInnerTexts(), tabs);
    const text = await page.getByRole('main').innerText();
    for (const wanted of [
      survey.host.cpu_model,
      survey.host.kernel,
      survey.clock.cycle_source,
      ...survey.doctor.map((check) => check.finding),
      ...survey.warnings.map((warning) => warning.message.slice(1)), // with a capital
    ]) {
      assert.ok(text.includes(wanted), `'${wanted}' is shown`);
    }
    const claimed = page.locator('.topology').first();
    assert.equal(await claimed.locator('.cpu').count(), survey.host.topology.length);
  });
});

test('Cores: a pair tells what was measured, for each test', {skip: !survey.cores}, async () => {
  await withSurvey({}, async (page) => {
    await openTab(page, 'Cores');
    for (const cores of survey.cores) {
      await page.getByText(cores.test, {exact: true}).first().click();
      await page.getByRole('heading', {name: new RegExp(`^${cores.test}`)}).waitFor();
      const tip = await hoverPair(page, cores.cpus.length, 0, 1);
      assert.ok(tip.includes(`CPU ${cores.cpus[0]} → CPU ${cores.cpus[1]}`), tip);
      const measured = cores.nanoseconds[0][1];
      if (measured === null) continue; // a CPU was too busy to answer
      const text = `${measured.toFixed(measured >= 1000 ? 0 : measured >= 10 ? 1 : 2)} ns`;
      assert.ok(tip.includes(text), `${text} in ${tip}`);
    }
  });
});

test('Instructions: all are listed under their headings, and open', async () => {
  await withSurvey({}, async (page) => {
    await openTab(page, 'Instructions');
    const shown = page.locator('output').first();
    const all = survey.instructions.length;
    const supported = survey.instructions.filter((row) => row.status !== 'unsupported').length;
    const expected = supported === all ? `${all} forms` : `${supported} of ${all} forms`;
    assert.equal(await shown.innerText(), expected);
    const divisions = survey.instructions.filter(
      (row) => row.heading === 'divide' && row.status !== 'unsupported',
    );
    await page.getByRole('combobox', {name: 'Heading'}).selectOption('divide');
    assert.match(await shown.innerText(), new RegExp(`^${divisions.length} of `));
    await page.getByRole('button', {name: divisions[0].text, exact: true}).click();
    const panel = page.getByRole('dialog', {name: divisions[0].text});
    const text = await panel.innerText();
    for (const pair of divisions[0].latency ?? []) {
      assert.ok(text.includes(`${pair.from} → ${pair.to}`), text);
    }
    assert.ok(text.includes(`cyclescope instruction '${divisions[0].text}'`), text);
    // On a machine that is busy enough a form may have lost all its samples.
    const samples = (divisions[0].latency ?? []).some((pair) => pair.samples?.length > 0);
    assert.ok(!samples || (await panel.locator('svg.distribution .column').count()) > 0);
    await page.keyboard.press('Escape');
    for (const block of survey.blocks) {
      await page.getByRole('button', {name: block.text, exact: true}).waitFor();
    }
  });
});

test('every view is as wide as its window, light or dark', async () => {
  for (const {colorScheme, width} of [
    {colorScheme: 'light', width: 390},
    {colorScheme: 'dark', width: 1300},
  ]) {
    await withSurvey({colorScheme, viewport: {width, height: 844}}, async (page) => {
      for (const tab of tabs) {
        await openTab(page, tab);
        await page.waitForTimeout(150);
        const wide = await page.evaluate(() => document.documentElement.scrollWidth);
        assert.ok(wide <= width, `${tab} is ${wide} pixels wide`);
      }
    });
  }
});

test('printing holds every form', async () => {
  await withSurvey({}, async (page) => {
    await page.emulateMedia({media: 'print'});
    await page.evaluate(() => window.dispatchEvent(new Event('beforeprint')));
    const text = await page.getByRole('main').innerText();
    for (const row of survey.instructions)
      assert.ok(row.status === 'unsupported' || text.includes(row.text), row.text);
  });
});
