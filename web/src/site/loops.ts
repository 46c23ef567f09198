// Loops and snippets on every machine: what was measured, and what the model of its core says.
import {unpacked} from '../data';
import {type Child, h, uniqueId} from '../dom';
import {count, cycles, isNumber} from '../format';
import {hasWords, wordsOf} from '../search';
import {type Loop, load, type Site} from './site_data';

const kFirstLoops = 20;
const kMoreLoops = 200;

/** Loaded when it is first looked at. */
export function loopCard(site: Site): HTMLElement {
  const title = uniqueId();
  const body = h('tbody');
  const shown = h('span', {class: 'soft', role: 'status'}, '…');
  let loops: Loop[] = [];
  let most = kFirstLoops;
  const more = h('button', {
    type: 'button',
    class: 'quiet',
    hidden: true,
    click: () => {
      most += kMoreLoops;
      fill();
    },
  });
  const search = h('input', {
    type: 'search',
    placeholder: 'imul, vpermb…',
    input: () => {
      most = kFirstLoops;
      fill();
    },
  });
  const fill = () => {
    const words = wordsOf(search.value);
    const found = loops.filter(({text, name}) => hasWords(`${name} ${text}`.toLowerCase(), words));
    body.replaceChildren(...found.slice(0, most).map(loopRow));
    const all = count(loops.length, 'loop or snippet', 'loops and snippets');
    shown.textContent =
      found.length === loops.length ? all : `${found.length.toLocaleString('en')} of ${all}`;
    const left = found.length - Math.min(most, found.length);
    more.hidden = left === 0;
    more.textContent = `Show more (${left.toLocaleString('en')} left)`;
  };
  const heads = site.machines.map((machine) =>
    h(
      'th',
      {scope: 'col', class: 'numeric'},
      h('a', {href: machine.page}, machine.cpu),
      h('div', {class: 'soft small'}, machine.name),
    ),
  );
  const card = h(
    'section',
    {class: 'card', 'aria-labelledby': title},
    h('h2', {id: title}, 'Loops'),
    h(
      'div',
      {class: 'controls'},
      h('label', {class: 'field grow'}, h('span', {}, 'Find loops'), search),
      shown,
    ),
    h(
      'div',
      {
        class: 'table-scroll site-loops',
        tabindex: 0,
        role: 'region',
        'aria-label': 'Loops by machine',
      },
      h(
        'table',
        {},
        h('thead', {}, h('tr', {}, h('th', {scope: 'col'}, 'Loop or snippet'), ...heads)),
        body,
      ),
    ),
    more,
    h(
      'p',
      {class: 'soft'},
      'Cycles per iteration: measured, and below it what the machine’s model predicts. ',
      'Dotted: another thread shared the core.',
    ),
  );
  window.cyclescopeLoops = (_unused, packed) => {
    unpacked<Loop[]>(packed).then((all) => {
      loops = all;
      fill();
    });
  };
  new IntersectionObserver((entries, observer) => {
    if (!entries.some(({isIntersecting}) => isIntersecting)) return;
    observer.disconnect();
    load(site.loop_data);
  }).observe(card);
  return card;
}

function loopRow({text, name, cells}: Loop): HTMLElement {
  return h(
    'tr',
    {},
    h(
      'th',
      {scope: 'row'},
      name ? h('div', {class: 'small'}, name) : null,
      h('span', {class: 'mono'}, text.replaceAll('\n', '; ')),
    ),
    ...cells.map((cell) => h('td', {class: 'numeric'}, ...cellContent(cell))),
  );
}

function cellContent(cell: Loop['cells'][number]): Child[] {
  if (!cell) return [];
  const [measured, predicted, contended] = cell;
  return [
    isNumber(measured) ? h('span', {class: contended ? 'contended' : ''}, cycles(measured)) : null,
    isNumber(predicted) ? h('div', {class: 'soft small'}, `predicted ${cycles(predicted)}`) : null,
  ];
}
