// What the machine claims to be, the state it was in, and the clock it was measured with.
import {axis, chart, tooltip} from '../chart';
import {clockOf, hasRate, isSteady} from '../clock';
import type {Result} from '../data';
import type {Check, Clock, FrequencyRow, Host, ResultDocument} from '../document';
import {type Child, card, copyable, details, h, table} from '../dom';
import {
  count,
  cpuList,
  fixed,
  frequency,
  interval,
  kContended,
  kNothing,
  sentence,
  stepsText,
} from '../format';
import {hypervisorName} from '../names';
import {quantile} from '../stats';
import {claimedTree, inferredTree, topologyDrawing} from '../topology';
import {glanceView} from './glance';

export function machineView(result: Result, other?: Result): HTMLElement {
  const {document: measured} = result;
  const {host, clock, frequency: rates} = measured;
  return h(
    'div',
    {class: 'stack'},
    measured.failure ? h('p', {class: 'callout warn'}, `No result: ${measured.failure}.`) : null,
    measured.partial
      ? h('p', {class: 'callout warn'}, 'Interrupted: this is what was measured until then.')
      : null,
    glanceView(result, other),
    warnings(measured),
    sharedCores(measured),
    h('div', {class: 'columns'}, hostCard(host), clockCard(clock, measured)),
    topologyCard(measured),
    rates?.length
      ? frequencyCard(rates, clock.jury?.trusted ?? true, host.architecture !== 'aarch64')
      : null,
    measured.doctor?.length ? doctorCard(measured.doctor) : null,
    runCard(result),
  );
}

function warnings(result: ResultDocument): Child {
  if (result.warnings.length === 0) return null;
  const list = h('ul', {class: 'callouts', 'aria-label': 'Warnings'});
  for (const warning of result.warnings) {
    list.append(
      h(
        'li',
        {class: 'callout warn'},
        h('span', {}, sentence(warning.message)),
        warning.hint ? h('span', {class: 'hint'}, sentence(warning.hint)) : null,
      ),
    );
  }
  return list;
}

/** As the text report has it (src/report/machine_text.cc). */
function sharedCores(result: ResultDocument): Child {
  const shared = (result.contention ?? [])
    .filter((each) => (each.share ?? 0) > 0.02)
    .sort((a, b) => (b.share ?? 0) - (a.share ?? 0));
  if (shared.length === 0) return null;
  const named = shared
    .slice(0, 8)
    .map((each) => `CPU ${each.cpu} ${fixed((each.share ?? 0) * 100, 0)} %`);
  const more = shared.length - named.length;
  return h(
    'p',
    {class: 'callout note'},
    `Cores shared with another thread while measuring, in per cent of the time: ${named.join(', ')}`,
    more > 0 ? ` and ${count(more, 'more CPU')}, less often` : '',
    '.',
  );
}

function facts(entries: [string, Child][]): HTMLElement {
  const list = h('dl', {class: 'facts'});
  for (const [name, value] of entries) {
    if (value === null || value === undefined || value === '' || value === kNothing) continue;
    list.append(h('div', {}, h('dt', {}, name), h('dd', {}, value)));
  }
  return list;
}

const onOff = (value: boolean | undefined): string =>
  value === undefined ? '' : value ? 'on' : 'off';

/** A virtual machine may claim one thread per core where there are two. */
const smtText = ({smt, hypervisor}: Host): string =>
  smt === false && hypervisor && hypervisor !== 'none' ? 'unknown (virtual machine)' : onOff(smt);

function hostCard(host: Host): HTMLElement {
  return card(
    'Host',
    facts([
      ['Name', host.name],
      ['CPU', host.cpu_model],
      ['LLVM’s name of it', host.llvm_cpu],
      ['Vendor', host.cpu_vendor],
      ['Microcode', host.microcode],
      ['System', host.system],
      ['Kernel', host.kernel],
      ['Hypervisor', hypervisorName(host)],
      ['CPUs online', host.cpus_online || ''],
      ['CPUs allowed', host.cpus_allowed ? cpuList(host.cpus_allowed) : ''],
      ['CPUs isolated', host.cpus_isolated ? cpuList(host.cpus_isolated) : ''],
      ['SMT', smtText(host)],
      ['Turbo', onOff(host.turbo)],
      ['Governor', host.governor],
      ['Huge pages', host.huge_pages],
      ['Load', fixed(host.load_1min, 2)],
    ]),
    host.features?.length
      ? details(count(host.features.length, 'CPU feature'), () =>
          h('p', {class: 'features'}, (host.features ?? []).join(' ')),
        )
      : null,
  );
}

const kSourceMeaning = new Map([
  ['counter-user', 'the performance counter, read from user space'],
  ['counter', 'the performance counter, read through the kernel'],
  ['reference', 'ratio to a chain of known length, timed next to each measurement'],
]);

function clockCard(clock: Clock, result: ResultDocument): HTMLElement {
  const {jury} = clock;
  const meaning = kSourceMeaning.get(clock.cycle_source);
  return card(
    'Clock',
    facts([
      [
        'Cycles from',
        clock.cycle_source
          ? h('span', {}, h('strong', {}, clock.cycle_source), meaning ? `: ${meaning}` : '')
          : '',
      ],
      ['Reason', clock.cycle_source_reason],
      ['Time-stamp counter', frequency(clock.tick_hz)],
      ['Read from', clock.tick_source],
      ['Against the system’s clock', frequency(clock.calibrated_tick_hz)],
      ['Runs at one rate', clock.invariant === undefined ? '' : clock.invariant ? 'yes' : 'no'],
      ['Resolution', clock.resolution_ns ? `${fixed(clock.resolution_ns, 2)} ns` : ''],
      [
        'Confidence',
        result.config.confidence ? `${(result.config.confidence * 100).toFixed(0)} %` : '',
      ],
    ]),
    jury
      ? h(
          'div',
          {},
          h(
            'p',
            {},
            h(
              'span',
              {class: `badge ${jury.trusted ? 'ok' : 'warn'}`},
              jury.trusted ? 'self-check passed' : 'self-check failed',
            ),
            ` ${jury.verdict ?? ''}`,
          ),
          jury.chains?.length
            ? table(
                'The self-check',
                [{title: 'Chain'}, {title: 'Cycles over the first', numeric: true}],
                jury.chains.map((chain) => [
                  h('code', {}, chain.instruction),
                  fixed(chain.ratio, 3),
                ]),
              )
            : null,
        )
      : null,
  );
}

function topologyCard(result: ResultDocument): Child {
  const claimed = claimedTree(result.host.topology ?? []);
  const withGroups = result.cores?.find((cores) => cores.groups?.length);
  const measured = withGroups ?? result.cores?.[0];
  const inferred = measured ? inferredTree(measured.cpus, measured.groups ?? []) : undefined;
  if (claimed.length === 0 && !inferred) return null;
  const findings = (result.cores ?? []).flatMap((cores) => cores.findings ?? []);
  return card(
    'Topology',
    h(
      'div',
      {class: 'columns'},
      claimed.length > 0
        ? h(
            'div',
            {},
            h('h3', {}, 'As the system claims'),
            topologyDrawing('Topology as the system claims', claimed),
          )
        : h('p', {class: 'soft'}, 'The system says nothing about its topology.'),
      inferred && measured
        ? h(
            'div',
            {},
            h('h3', {}, `As latencies show (${measured.test})`),
            topologyDrawing('Topology as latencies show', inferred),
          )
        : null,
    ),
    findings.length > 0
      ? h(
          'ul',
          {class: 'callouts'},
          ...findings.map((finding) => h('li', {class: 'callout note'}, sentence(finding.text))),
        )
      : null,
  );
}

/** The self-check of one CPU is told only where it differs from that of all. */
function statusOf(row: FrequencyRow, trusted: boolean): string {
  const verdict =
    row.status !== 'measured' || row.jury_trusted === trusted
      ? ''
      : row.jury_trusted
        ? 'self-check passed'
        : 'self-check failed';
  const words = [row.status ?? 'measured', row.contended ? 'contended' : '', verdict];
  return [words.filter(Boolean).join(', '), row.reason].filter(Boolean).join(': ');
}

function rateOf(row: FrequencyRow): Child {
  if (!hasRate(row)) return kNothing;
  const text = fixed(row.core_ghz, 4);
  return row.contended ? h('span', {class: 'contended', title: kContended}, text) : text;
}

function frequencyCard(rows: FrequencyRow[], trusted: boolean, hasBase: boolean): HTMLElement {
  const hasSteps = rows.some((row) => row.steps?.length);
  const known = rows.filter(hasRate);
  const sorted = Float64Array.from(known.map((row) => row.core_ghz ?? 0)).sort();
  const lowest = quantile(sorted, 0);
  const highest = quantile(sorted, 1);
  const median = quantile(sorted, 0.5);
  const clock = clockOf(rows);
  const summary = !clock
    ? 'No CPU could be measured.'
    : isSteady(clock)
      ? `${rows.length === 1 ? 'The CPU runs' : 'All CPUs run'} at ${fixed(clock.median, 3)} GHz.`
      : `From ${fixed(clock.low, 3)} to ${fixed(clock.high, 3)} GHz.`;
  const drawing =
    rows.length > 2
      ? chart(`Core frequency of each CPU. ${summary}`, 220, (palette) => ({
          grid: {left: 56, right: 12, top: 12, bottom: 44},
          xAxis: {
            ...axis('CPU', palette),
            type: 'category',
            data: rows.map((row) => String(row.cpu)),
            splitLine: {show: false},
          },
          yAxis: axis('GHz', palette, {
            nameGap: 40,
            // Points, not bars, since the axis does not begin at zero; at least 5 % either way, so that
            // noise does not look like a difference.
            min: Math.floor(Math.min(lowest, 0.95 * median) * 10) / 10,
            max: Math.ceil(Math.max(highest, 1.05 * median) * 10) / 10,
          }),
          tooltip: tooltip(palette, (params) => {
            const row = rows[(params.data as {index: number}).index];
            if (!row) return [];
            const remarks = [stepsText(row.steps), row.contended ? 'contended' : ''];
            return [
              `CPU ${row.cpu}`,
              `${fixed(row.core_ghz, 4)} GHz`,
              interval(row),
              ...remarks.filter(Boolean),
            ];
          }),
          series: [
            {
              type: 'scatter',
              symbolSize: rows.length > 64 ? 4 : 9,
              itemStyle: {color: palette.accent},
              data: rows.map((row, index) => ({value: hasRate(row) ? row.core_ghz : null, index})),
            },
          ],
        }))
      : null;
  const listing = () =>
    table(
      'Frequency of each CPU',
      [
        {title: 'CPU', numeric: true},
        {title: hasBase ? 'Base GHz' : 'Time stamp GHz', numeric: true},
        ...(hasBase ? [{title: 'Boost', numeric: true}] : []),
        {title: 'Core GHz', numeric: true},
        {title: 'Interval', numeric: true},
        ...(hasSteps ? [{title: 'Rates over time', wraps: true}] : []),
        {title: 'Status'},
      ],
      rows.map((row) => [
        row.cpu,
        fixed(row.base_ghz, 3),
        ...(hasBase ? [hasRate(row) ? fixed(row.boost, 3) : kNothing] : []),
        rateOf(row),
        hasRate(row) ? interval(row) : kNothing,
        ...(hasSteps ? [stepsText(row.steps)] : []),
        statusOf(row, trusted),
      ]),
    );
  return card(
    'Frequency',
    h('p', {}, summary),
    drawing?.element,
    rows.length > 8 ? details('Show as a table', listing) : listing(),
  );
}

/** What helps: a command to copy, or advice in words. */
function remedy(text: string): HTMLElement {
  return /^(sudo|echo|taskset|cyclescope) /.test(text)
    ? copyable(text, 'the command')
    : h('p', {}, text);
}

function doctorCard(checks: Check[]): HTMLElement {
  const order = {warn: 0, note: 1, ok: 2};
  const sorted = [...checks].sort((a, b) => order[a.status] - order[b.status]);
  const list = h('ul', {class: 'checks'});
  for (const check of sorted) {
    list.append(
      h(
        'li',
        {},
        h('span', {class: `badge ${check.status}`}, check.status),
        h(
          'div',
          {},
          h('strong', {}, check.name),
          h('p', {}, check.finding),
          check.effect ? h('p', {class: 'soft'}, check.effect) : null,
          check.remedy ? remedy(check.remedy) : null,
        ),
      ),
    );
  }
  const disturbing = checks.filter((check) => check.status === 'warn').length;
  return card(
    'Doctor',
    h(
      'p',
      {},
      disturbing === 0
        ? 'Nothing here disturbs measuring.'
        : `${count(disturbing, 'warning')}: this may disturb measuring.`,
    ),
    list,
  );
}

function runCard({command, document: measured}: Result): HTMLElement {
  const {tool, config, schema} = measured;
  return card(
    'Run',
    facts([
      ['Command', h('code', {}, command)],
      ['Started', config.started?.replace('T', ' ').replace('Z', ' UTC')],
      ['cyclescope', [tool.version, tool.commit].filter(Boolean).join(', ')],
      ['Compiler', tool.compiler],
      ['LLVM', tool.llvm],
      ['Document', schema],
    ]),
  );
}
