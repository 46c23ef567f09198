// The first screen: the machine at a glance.

import {pictureButtons} from '../copy_picture';
import type {Result} from '../data';
import {type Child, h} from '../dom';
import {interval, kContended, short} from '../format';
import {glanceOf, type Headline, isOff} from '../glance';
import type {GlanceFigure} from '../glance_figures';
import {glancePicture} from '../glance_picture';
import {onPrint} from '../redraw';
import {onThemeChange} from '../theme';

export function glanceView(result: Result, other?: Result): HTMLElement {
  const glance = glanceOf(result, other);
  const {tool, config} = result.document;
  const footer = [
    `measured by cyclescope ${tool.version}`,
    config.started?.slice(0, 10),
    referenceName(glance.headlines, 'the mark on a bar is '),
  ];
  const figures = glance.figures.map(figureView);
  return h(
    'section',
    {class: 'glance', 'aria-label': 'The machine at a glance'},
    h(
      'div',
      {class: 'glance-head'},
      h('div', {class: 'hero'}, h('h1', {}, glance.name), h('p', {}, glance.facts)),
      glance.clock
        ? h(
            'div',
            {class: 'glance-clock'},
            h('span', {class: 'big'}, `${glance.clock.ghz} GHz`),
            h('span', {class: 'soft'}, `${glance.clock.range} GHz`),
          )
        : null,
    ),
    highlights(glance.highlights),
    h(
      'div',
      {class: figures.length > 0 ? 'glance-body' : 'glance-body alone'},
      figures.length > 0 ? h('div', {class: 'stack'}, ...figures) : null,
      strip(glance.headlines),
      h(
        'div',
        {class: 'glance-remarks'},
        legendOf(glance.headlines),
        glance.headlines.length > 0 || figures.length > 0
          ? pictureButtons('cyclescope', () =>
              glancePicture(glance, footer.filter(Boolean).join(' · ')),
            )
          : null,
      ),
    ),
  );
}

function figureView({draw, caption, more}: GlanceFigure): HTMLElement {
  const {label, element} = draw();
  const box = h('div', {role: 'img', 'aria-label': label}, element);
  const redraw = () => box.replaceChildren(draw().element);
  onThemeChange(box, redraw);
  onPrint(box, redraw);
  return h(
    'figure',
    {class: 'glance-figure'},
    box,
    h('figcaption', {}, `${caption} `, h('a', {href: `#${more.view}`}, more.text)),
  );
}

function strip(headlines: Headline[]): Child {
  if (headlines.length === 0) return null;
  return h('ul', {class: 'strip', 'aria-label': 'Headline numbers'}, ...headlines.map(tile));
}

function barOf({value, full, reference}: Headline, off: boolean): Child {
  if (full === undefined) return null;
  const percent = (part: number) => `${Math.min(100, (100 * part) / full)}%`;
  const bar = h('span', {class: off ? 'bar-value off' : 'bar-value'});
  bar.style.width = percent(value);
  const mark = reference ? h('span', {class: 'bar-mark'}) : null;
  if (mark && reference) mark.style.left = percent(reference.value);
  return h('span', {class: 'bar', 'aria-hidden': 'true'}, bar, mark);
}

function tile(headline: Headline): HTMLElement {
  const {label, text, unit, reference, contended, doubt, what} = headline;
  const off = isOff(headline);
  const within = headline.low === undefined ? '' : `interval ${interval(headline)}`;
  const whyMarked = doubt ? `Not clear: ${doubt}.` : contended ? kContended : '';
  return h(
    'li',
    {title: [what, within, whyMarked].filter(Boolean).join('. ')},
    h('span', {class: 'tile-label'}, label),
    h(
      'span',
      {class: 'tile-value'},
      h('span', {class: contended ? 'big contended' : 'big'}, text),
      unit ? h('span', {class: 'soft'}, unit) : null,
    ),
    barOf(headline, off),
    h(
      'span',
      {class: off ? 'tile-note off' : 'tile-note'},
      reference ? `${reference.name} ${Number(short(reference.value))}` : '',
    ),
  );
}

/** What the numbers are compared with, after some words; nothing where there is nothing. */
function referenceName(headlines: Headline[], words: string): string {
  const name = headlines.find((each) => each.reference)?.reference?.name;
  return name ? `${words}${name === 'model' ? 'LLVM’s model' : name}` : '';
}

/** What the marks and colours of the strip mean, as far as they are there. */
function legendOf(headlines: Headline[]): Child {
  const mark = referenceName(headlines, 'The mark on a bar is ');
  const doubt = headlines.find((each) => each.doubt)?.doubt;
  const parts = [
    mark ? `${mark}; bars that differ from it are orange.` : '',
    headlines.some((each) => each.contended && !each.doubt)
      ? 'Dotted: another thread shared the core, so it may be less.'
      : '',
    doubt ? `Dotted levels are not clear: ${doubt}.` : '',
  ];
  const text = parts.filter(Boolean).join(' ');
  return text === '' ? null : h('p', {class: 'soft small'}, text);
}

function highlights(texts: string[]): Child {
  if (texts.length === 0) return null;
  return h(
    'ul',
    {class: 'highlights', 'aria-label': 'What matters'},
    ...texts.map((text) => h('li', {}, text)),
  );
}
