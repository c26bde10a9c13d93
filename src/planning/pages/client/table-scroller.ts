/**
 * A table that may be wider than the screen: it scrolls within its card, shows at its edge that there is more, and can be scrolled by keyboard.
 */
import { el } from './dom';

export interface ScrollerProps {
  /** Id of the heading that names the table. */
  readonly labelledBy: string;
  /** By which it is known again after an update. */
  readonly key: string;
}

export function scroller({ labelledBy, key }: ScrollerProps, table: HTMLTableElement): HTMLElement {
  table.setAttribute('aria-labelledby', labelledBy);
  const region = el(
    'div',
    { class: 'scroll', role: 'region', 'aria-labelledby': labelledBy, 'data-key': key, scroll: () => mark() },
    table,
  );
  // Only what scrolls is a stop of the Tab key.
  const mark = (): void => {
    const hidden = region.scrollWidth - region.clientWidth;
    region.toggleAttribute('data-more-left', region.scrollLeft > 1);
    region.toggleAttribute('data-more-right', region.scrollLeft < hidden - 1);
    if (hidden > 1) {
      region.tabIndex = 0;
    } else {
      region.removeAttribute('tabindex');
    }
  };
  new ResizeObserver(mark).observe(region);
  return region;
}
