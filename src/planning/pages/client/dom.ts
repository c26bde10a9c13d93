/**
 * Elements, made in one expression. Text is always text: names come from clusters of all kinds and are never read as markup.
 */
export type Child = Node | string | undefined | false;

export type Attributes = Readonly<Record<string, string | number | boolean | ((event: Event) => void) | undefined>>;

export function el<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  dress(element, attributes, children);
  return element;
}

export function svg<K extends keyof SVGElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: readonly Child[]
): SVGElementTagNameMap[K] {
  const element = document.createElementNS('http://www.w3.org/2000/svg', tag);
  dress(element, attributes, children);
  return element;
}

function dress(element: Element & ElementCSSInlineStyle, attributes: Attributes, children: readonly Child[]): void {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === false) {
      continue;
    }
    if (typeof value === 'function') {
      element.addEventListener(name, value);
    } else if (name.startsWith('--')) {
      element.style.setProperty(name, String(value));
    } else {
      element.setAttribute(name, value === true ? '' : String(value));
    }
  }
  element.append(...children.filter((child): child is Node | string => child !== undefined && child !== false));
}

/**
 * Replaces the children. What had the focus has it again, and what was scrolled stays scrolled: elements are known again by `data-key`.
 */
export function refill(parent: Element, ...children: readonly Child[]): void {
  const { activeElement } = document;
  const key = activeElement !== null && parent.contains(activeElement) ? activeElement.getAttribute('data-key') : null;
  const scrolled = [...parent.querySelectorAll<HTMLElement>('.scroll[data-key]')]
    .filter(({ scrollLeft }) => scrollLeft > 0)
    .map(({ dataset, scrollLeft }) => [dataset.key ?? '', scrollLeft] as const);
  parent.replaceChildren(...children.filter((child): child is Node | string => child !== undefined && child !== false));
  for (const [name, left] of scrolled) {
    keyed(parent, name)?.scrollTo({ left });
  }
  if (key !== null) {
    const again = keyed(parent, key);
    if (again?.classList.contains('scroll') === true) {
      again.tabIndex = 0;
    }
    again?.focus({ preventScroll: true });
  }
}

function keyed(parent: Element, key: string): HTMLElement | null {
  return parent.querySelector<HTMLElement>(`[data-key="${CSS.escape(key)}"]`);
}
