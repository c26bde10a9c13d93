/**
 * Whether bytes are a PKCS #10 certificate request, as far as its structure goes: RFC 2986, in DER. Signatures are not verified.
 */

/** One element of DER: its tag and its content. */
interface Element {
  readonly tag: number;
  readonly content: Uint8Array;
}

const SEQUENCE = 0x30;
const SET = 0x31;
const INTEGER = 0x02;
const BIT_STRING = 0x03;
const OBJECT_IDENTIFIER = 0x06;
const ATTRIBUTES = 0xa0;

export function isCertificateRequest(der: Uint8Array): boolean {
  const [request, ...more] = elementsOf(der) ?? [];
  const parts = request?.tag === SEQUENCE && more.length === 0 ? (elementsOf(request.content) ?? []) : [];
  const [info, algorithm, signature] = parts;
  if (parts.length !== 3 || info?.tag !== SEQUENCE || signature?.tag !== BIT_STRING || !isAlgorithm(algorithm)) {
    return false;
  }
  const [version, subject, key, ...attributes] = elementsOf(info.content) ?? [];
  return (
    version?.tag === INTEGER &&
    isName(subject) &&
    isKey(key) &&
    attributes.length <= 1 &&
    attributes.every(({ tag, content }) => tag === ATTRIBUTES && elementsOf(content) !== undefined)
  );
}

function isAlgorithm(element: Element | undefined): boolean {
  return element?.tag === SEQUENCE && elementsOf(element.content)?.[0]?.tag === OBJECT_IDENTIFIER;
}

function isKey(element: Element | undefined): boolean {
  const [algorithm, key] = (element?.tag === SEQUENCE ? elementsOf(element.content) : undefined) ?? [];
  return isAlgorithm(algorithm) && key?.tag === BIT_STRING;
}

/** A sequence of sets of attributes. */
function isName(element: Element | undefined): boolean {
  const sets = element?.tag === SEQUENCE ? elementsOf(element.content) : undefined;
  return sets?.every(({ tag, content }) => tag === SET && elementsOf(content) !== undefined) ?? false;
}

/** The elements side by side; `undefined` where they do not fill the bytes exactly. */
function elementsOf(bytes: Uint8Array): readonly Element[] | undefined {
  const elements: Element[] = [];
  for (let at = 0; at < bytes.length;) {
    const tag = bytes[at];
    let length = bytes[at + 1] ?? -1;
    at += 2;
    if (length > 0x80) {
      const size = length - 0x80;
      length = size > 4 ? -1 : bytes.subarray(at, at + size).reduce((sum, byte) => sum * 256 + byte, 0);
      at += size;
    } else if (length === 0x80) {
      return undefined;
    }
    if (length < 0 || at + length > bytes.length) {
      return undefined;
    }
    elements.push({ tag, content: bytes.subarray(at, at + length) });
    at += length;
  }
  return elements;
}
