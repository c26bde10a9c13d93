/**
 * The annotation by which a pod asks Multus for further networks: a list `[namespace/]name[@interface]`, or JSON. Read as Multus reads it.
 *
 * Source: multus-cni, pkg/k8sclient (parsePodNetworkAnnotation).
 */
import { type JsonValue } from '../../facts/api/schema';
import { asString, isObject } from '../read';

export interface NetworkSelection {
  /** Name of the NetworkAttachmentDefinition. */
  readonly name: string;
  /** Default: the pod's own namespace. */
  readonly namespace?: string;
  /** Name of the interface in the pod. Default: `net1`, `net2` and so on. */
  readonly interface?: string;
}

/** What one item of the JSON form may hold that Multus looks at. */
const MAC =
  /^([0-9a-fA-F]{2}[:-]){5}[0-9a-fA-F]{2}$|^([0-9a-fA-F]{2}[:-]){7}[0-9a-fA-F]{2}$|^([0-9a-fA-F]{4}\.){2}[0-9a-fA-F]{4}$/;
const LABEL = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;
const LONGEST_INTERFACE = 15;

/** The networks that the annotation's text names; `undefined` where it is neither of the two forms. */
export function networksIn(text: string): readonly NetworkSelection[] | undefined {
  const read = readNetworks(text);
  return 'networks' in read ? read.networks : undefined;
}

/** The networks that the annotation's text names, or why Multus cannot read it. */
export function readNetworks(
  text: string,
): { readonly networks: readonly NetworkSelection[] } | { readonly complaint: string } {
  if (/[[{"]/.test(text)) {
    return networksInJson(text);
  }
  const networks: NetworkSelection[] = [];
  for (const part of text.split(',').map((piece) => piece.trim())) {
    const match = /^(?:([^/@]*)\/)?([^/@]*)(?:@([^/@]*))?$/.exec(part);
    if (match === null) {
      return { complaint: `"${part}" is not [namespace/]name[@interface]` };
    }
    const [, namespace, name = '', device] = match.map((piece: string | undefined) => piece?.trim());
    if (name === '') {
      return { complaint: part === '' ? 'an item of the list is empty' : `"${part}" does not name a network` };
    }
    for (const item of [namespace, name]) {
      if (item !== undefined && item !== '' && !LABEL.test(item)) {
        return { complaint: `"${item}" must consist of lowercase letters, digits, and hyphens` };
      }
    }
    if (device !== undefined && (device.length > LONGEST_INTERFACE || /\s/.test(device))) {
      return {
        complaint: `"${device}" is not a valid interface name: must be at most ${LONGEST_INTERFACE} characters without spaces`,
      };
    }
    networks.push({
      namespace: namespace === '' ? undefined : namespace,
      name,
      interface: device === '' ? undefined : device,
    });
  }
  return { networks };
}

function networksInJson(
  text: string,
): { readonly networks: readonly NetworkSelection[] } | { readonly complaint: string } {
  let value: JsonValue;
  try {
    value = JSON.parse(text) as JsonValue;
  } catch {
    return { complaint: 'must be a valid JSON list or a comma-separated list of names' };
  }
  if (!Array.isArray(value)) {
    return { complaint: 'the JSON must be a list' };
  }
  const networks: NetworkSelection[] = [];
  for (const [index, item] of value.entries()) {
    const name = isObject(item) ? asString(item.name) : undefined;
    if (!isObject(item) || name === undefined) {
      return { complaint: `item ${index}: name is required` };
    }
    if (name.includes('/')) {
      const [namespace = '', own = ''] = name.split('/', 2);
      return { complaint: `item ${index}: name must be "${own}", with namespace "${namespace}" in a field of its own` };
    }
    for (const key of ['mac', 'infiniband-guid']) {
      const address = asString(item[key]) ?? '';
      if (address !== '' && !MAC.test(address)) {
        return { complaint: `item ${index}: ${key} "${address}" is not a valid hardware address` };
      }
    }
    if (item.ips !== undefined && item.ips !== null && !Array.isArray(item.ips)) {
      return { complaint: `item ${index}: ips must be a list` };
    }
    networks.push({ name, namespace: asString(item.namespace), interface: asString(item.interface) });
  }
  return { networks };
}
