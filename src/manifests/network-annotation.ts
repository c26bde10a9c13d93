/**
 * The annotation by which a pod asks Multus for further networks: a list `[namespace/]name[@interface]`, or JSON.
 */
import { type JsonValue } from '../api/schema';
import { asArray, asString, isObject } from './read';

export interface NetworkSelection {
  /** Name of the NetworkAttachmentDefinition. */
  readonly name: string;
  /** Default: the pod's own namespace. */
  readonly namespace?: string;
  /** Name of the interface in the pod. Default: `net1`, `net2` and so on. */
  readonly interface?: string;
}

/** The networks that the annotation's text names; `undefined` where it is neither of the two forms. */
export function networksIn(text: string): readonly NetworkSelection[] | undefined {
  if (/^\s*\[/.test(text)) return networksInJson(text);
  const networks: NetworkSelection[] = [];
  for (const part of text.split(',').map((piece) => piece.trim())) {
    const match = /^(?:([^/@\s]+)\/)?([^/@\s]+)(?:@([^/@\s]+))?$/.exec(part);
    if (match === null) return undefined;
    networks.push({ namespace: match[1], name: match[2], interface: match[3] });
  }
  return networks;
}

function networksInJson(text: string): readonly NetworkSelection[] | undefined {
  let value: JsonValue;
  try {
    value = JSON.parse(text) as JsonValue;
  } catch {
    return undefined;
  }
  const networks: NetworkSelection[] = [];
  for (const item of asArray(value)) {
    const name = isObject(item) ? asString(item.name) : undefined;
    if (!isObject(item) || name === undefined) return undefined;
    networks.push({ name, namespace: asString(item.namespace), interface: asString(item.interface) });
  }
  return networks;
}
