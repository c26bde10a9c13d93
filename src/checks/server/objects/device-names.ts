/**
 * What claims and slices of devices have in common: names of requests, devices, and attributes.
 */
import { type JsonObject } from '../../../facts/api/schema';
import { inThirdPerson } from '../../../facts/words/third-person';
import { type Say } from '../server-rule';
import { cIdentifier, dnsLabel, dnsSubdomain } from '../../../manifests/values/name-syntax';
import { text } from '../values';

export const GROUP = 'resource.k8s.io';
export const SOURCE = 'apis/resource/validation/validation.go';

export function checkRequestName(
  name: JsonObject[string] | undefined,
  path: string,
  seen: Set<string>,
  say: Say,
): void {
  if (text(name) === '') {
    say(path, 'the name must be set');
  } else {
    const bad = dnsLabel(text(name));
    if (bad !== undefined) {
      say(path, `the name ${JSON.stringify(text(name))} must ${bad}`);
    }
  }
  if (seen.has(text(name))) {
    say(path, `duplicate name "${text(name)}"`);
  }
  seen.add(text(name));
}

/** `[domain/]identifier` of attributes and capacities. */
export function attributeName(name: string, domainNeeded: boolean): string | undefined {
  if (name === '') {
    return 'be set';
  }
  const parts = name.split('/');
  // The server does not look at names with more than one "/".
  if (parts.length > 2) {
    return undefined;
  }
  const id = parts[parts.length - 1] ?? '';
  if (parts.length === 2) {
    const domain = parts[0] ?? '';
    if (domain === '') {
      return 'have a domain prefix before the "/"';
    }
    if (domain.length > 63) {
      return 'have a domain prefix of at most 63 characters';
    }
    const bad = dnsSubdomain(domain);
    if (bad !== undefined) {
      return `have a domain prefix that ${inThirdPerson(bad)}`;
    }
  } else if (domainNeeded) {
    return 'be of the form domain/name';
  }
  if (id === '') {
    return 'have a name after the "/"';
  }
  if (id.length > 32) {
    return `have no more than 32 characters${id === name ? '' : ' after the prefix'}`;
  }
  return cIdentifier(id);
}
