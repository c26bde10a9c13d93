/**
 * A dialog over the page: the browser keeps the focus in it, and Escape closes it.
 */
import { type Child, el } from '../dom';

export interface DialogProps {
  readonly title: string;
  readonly closed?: () => void;
}

export interface OpenDialog {
  readonly element: HTMLDialogElement;
  readonly close: () => void;
}

let number = 0;

export function openDialog({ title, closed }: DialogProps, ...children: readonly Child[]): OpenDialog {
  const id = `dialog-${++number}`;
  const before = document.activeElement?.getAttribute('data-key');
  const element = el(
    'dialog',
    { class: 'card dialog', 'aria-labelledby': id },
    el(
      'header',
      {},
      el('h2', { id }, title),
      el('button', { class: 'quiet', type: 'button', click: () => element.close() }, 'Close'),
    ),
    ...children,
  );
  element.addEventListener('close', () => {
    element.remove();
    closed?.();
    // What opened it may have been drawn again.
    if (before !== null && before !== undefined) {
      document.querySelector<HTMLElement>(`[data-key="${CSS.escape(before)}"]`)?.focus();
    }
  });
  document.body.append(element);
  element.showModal();
  return { element, close: () => element.close() };
}
