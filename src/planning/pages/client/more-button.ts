/**
 * Long lists show their beginning, and the rest when it is asked for.
 */
import { type Actions } from './actions';
import { el } from './dom';
import { tell } from './words';

/** A button that opens the rest of a list. */
export function more(list: string, shown: number, all: number, actions: Actions): HTMLElement | false {
  return (
    shown < all &&
    el(
      'button',
      {
        class: 'quiet more',
        type: 'button',
        'data-key': `more ${list}`,
        click: () => {
          actions.opened.add(list);
          actions.update();
        },
      },
      `Show all ${tell(all)}`,
    )
  );
}
