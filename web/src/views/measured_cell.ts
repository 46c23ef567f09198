// A measured value in a table.
import type {Uncertainty} from '../document';
import {h} from '../dom';
import {cycles, interval, isNumber, kContended, kNothing, plusMinus} from '../format';

/**
 * A measured value with half its interval; it looks different where the core was shared, and where it
 * differs from the model: then that is given.
 */
export function measuredCell(
  text: string,
  measured: Partial<Uncertainty> | undefined,
  contended: boolean,
  model?: number | null,
): HTMLElement {
  const within = measured ? interval(measured) : kNothing;
  const remarks = [
    within === kNothing ? '' : `interval ${within}`,
    contended ? kContended : '',
    isNumber(model) ? `differs from the model, which has ${cycles(model)}` : '',
  ];
  return h(
    'span',
    {
      class: isNumber(model) ? 'measured-cell off' : 'measured-cell',
      title: remarks.filter(Boolean).join('. '),
    },
    h('span', {class: contended ? 'contended' : ''}, text),
    h('span', {class: 'plus-minus'}, plusMinus(measured)),
  );
}
