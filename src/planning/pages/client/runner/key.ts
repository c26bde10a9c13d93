/**
 * One entry of a legend: the mark, and its meaning.
 */
import { el } from '../dom';

export function key(kind: string, label: string): HTMLElement {
  return el('span', { class: 'chip key' }, el('i', { class: `mark ${kind}` }), label);
}
