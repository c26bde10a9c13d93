/**
 * What the cards of a simulation share: the frame, the legend, and long tables of which the first rows are shown.
 */
import { type Attributes, el } from './dom';
import { tell } from './words';

/** Rows of a table that are shown at first. */
const FIRST = 60;

export function card(id: string, title: string, more: string, content: readonly (Node | string)[]): HTMLElement {
  return el(
    'section',
    { class: 'card below', 'aria-labelledby': `${id}-title` },
    el('header', {}, el('h2', { id: `${id}-title` }, title, more !== '' && el('span', {}, more))),
    ...content,
  );
}

export function legend(entries: readonly (readonly [name: string, swatch: Attributes])[]): HTMLElement {
  return el(
    'div',
    { class: 'legend' },
    ...entries.map(([name, swatch]) => el('span', { class: 'chip key' }, el('i', swatch), name)),
  );
}

/** Fills the table with the first rows; the button that shows all, where there are more. */
export function shownFirst(body: HTMLElement, rows: readonly HTMLElement[]): HTMLElement | undefined {
  body.replaceChildren(...rows.slice(0, FIRST));
  if (rows.length <= FIRST) {
    return undefined;
  }
  const more = el(
    'button',
    {
      class: 'quiet more',
      type: 'button',
      click: () => {
        body.replaceChildren(...rows);
        more.remove();
      },
    },
    `Show all ${tell(rows.length)}`,
  );
  return more;
}
