/**
 * Elements of the XML that `nvidia-smi` prints: no namespaces, no mixed contents, no entities of a document type, which are not expanded.
 */
export interface XmlElement {
  readonly name: string;
  readonly attributes: string;
  /** Text directly inside, without space around it. */
  readonly text: string;
  readonly children: readonly XmlElement[];
}

interface Open {
  readonly name: string;
  readonly attributes: string;
  text: string;
  readonly children: XmlElement[];
}

const TOKEN = /<[?!][^>]*>|<(\/?)([A-Za-z_][\w.-]*)(?![\w.-])([^<>]*?)(\/?)>|([^<]+)/g;
const MOST_LEVELS = 64;

/** @returns the root; `undefined` if the text is not well-formed */
export function parseXml(text: string): XmlElement | undefined {
  const open: Open[] = [{ name: '', attributes: '', text: '', children: [] }];
  for (const [, end, name, attributes = '', isEmpty, characters] of text.matchAll(TOKEN)) {
    const top = open.at(-1)!;
    if (characters !== undefined) {
      top.text += characters;
    } else if (end === '/') {
      if (top.name !== name || open.length === 1) {
        return undefined;
      }
      open.pop();
      open.at(-1)!.children.push({ ...top, text: unescaped(top.text.trim()) });
    } else if (name !== undefined && isEmpty === '/') {
      top.children.push({ name, attributes, text: '', children: [] });
    } else if (name !== undefined) {
      if (open.length > MOST_LEVELS) {
        return undefined;
      }
      open.push({ name, attributes, text: '', children: [] });
    }
  }
  return open.length === 1 && open[0].children.length === 1 ? open[0].children[0] : undefined;
}

/** The first element at a path of names. */
export function elementAt(element: XmlElement | undefined, ...path: readonly string[]): XmlElement | undefined {
  return path.reduce<XmlElement | undefined>(
    (found, name) => found?.children.find((child) => child.name === name),
    element,
  );
}

/** The text at a path of names. `undefined` where it is empty or `N/A`. */
export function textAt(element: XmlElement | undefined, ...path: readonly string[]): string | undefined {
  const text = elementAt(element, ...path)?.text ?? '';
  return text === '' || /^\[?N\/A\]?$/.test(text) ? undefined : text;
}

const ENTITIES: ReadonlyMap<string, string> = new Map([
  ['amp', '&'],
  ['lt', '<'],
  ['gt', '>'],
  ['quot', '"'],
  ['apos', "'"],
]);

function unescaped(text: string): string {
  return text.replace(/&(\w+);/g, (whole, name: string) => ENTITIES.get(name) ?? whole);
}
