/**
 * Files that the kubelet writes into a volume: items of secrets and config maps, pod fields, projected sources.
 */
import { type JsonObject, type JsonValue } from '../../../facts/api/schema';
import { isObject } from '../../../manifests/read';
import { type Say } from '../server-rule';
import { given, itemsOf, text, whole } from '../values';
import { checkFieldRef, checkResourceFieldRef } from './environment';
import { projectedPath } from './paths';
import { checkPodCertificate, checkTrustBundle, FIRST_WITH_CERTIFICATES } from './projected-certificates';

type Maybe = JsonValue | undefined;

const SOURCES = ['secret', 'configMap', 'downwardAPI', 'serviceAccountToken'];
const CERTIFICATES = ['clusterTrustBundle', 'podCertificate'];

/** File permissions lie between 0 and 0777. */
export function checkMode(source: JsonObject, path: string, field: string, say: Say): void {
  const mode = whole(source[field]);
  if (mode !== undefined && (mode < 0 || mode > 0o777)) {
    say(`${path}/${field}`, `${mode} is not a valid file mode`, {
      expected: 'a number from 0 to 511 (octal 0777)',
    });
  }
}

export function checkKeysToPaths(list: Maybe, base: string, say: Say): void {
  for (const { value, path } of itemsOf(list, base)) {
    if (text(value.key) === '') {
      say(`${path}/key`, 'key must be set');
    }
    checkFilePath(value.path, `${path}/path`, say);
    checkMode(value, path, 'mode', say);
  }
}

/** Files of a downward API volume or source. */
export function checkDownwardFiles(list: Maybe, base: string, say: Say): void {
  for (const { value, path } of itemsOf(list, base)) {
    checkFilePath(value.path, `${path}/path`, say);
    checkMode(value, path, 'mode', say);
    const field = isObject(value.fieldRef) ? value.fieldRef : undefined;
    const resource = isObject(value.resourceFieldRef) ? value.resourceFieldRef : undefined;
    if (field !== undefined) {
      checkFieldRef(field, `${path}/fieldRef`, 'volume', say);
    } else if (resource !== undefined) {
      checkResourceFieldRef(resource, `${path}/resourceFieldRef`, 'volume', say);
    }
    if ((field === undefined) === (resource === undefined)) {
      say(
        path,
        field === undefined
          ? 'fieldRef or resourceFieldRef must be set'
          : 'fieldRef must not be set when resourceFieldRef is set',
      );
    }
  }
}

/** A projected volume: each source of one kind, complete, and no two files at one path. */
export function checkProjected(projected: JsonObject, path: string, minor: number, say: Say): void {
  const withCertificates = minor >= FIRST_WITH_CERTIFICATES;
  const known = withCertificates ? [...SOURCES, ...CERTIFICATES] : SOURCES;
  checkMode(projected, path, 'defaultMode', say);
  const taken = new Set<string>();
  const take = (file: Maybe, at: string): void => {
    const name = text(file);
    if (name === '') {
      return;
    }
    if (taken.has(name)) {
      say(at, `duplicate path "${name}" in the projected volume`);
    }
    taken.add(name);
  };
  for (const { value, path: at } of itemsOf(projected.sources, `${path}/sources`)) {
    const kinds = known.filter((kind) => given(value[kind]));
    if (kinds.length > 1) {
      say(at, `a source must have only one kind, but has ${kinds.length}: ${kinds.join(', ')}`, {
        expected: 'one kind per source',
      });
    }
    for (const kind of ['secret', 'configMap']) {
      const source = value[kind];
      if (!isObject(source)) {
        continue;
      }
      if (text(source.name) === '') {
        say(`${at}/${kind}/name`, `${kind}.name must be set`);
      }
      checkKeysToPaths(source.items, `${at}/${kind}/items`, say);
      for (const item of itemsOf(source.items, `${at}/${kind}/items`)) {
        take(item.value.path, `${item.path}/path`);
      }
    }
    if (isObject(value.downwardAPI)) {
      checkDownwardFiles(value.downwardAPI.items, `${at}/downwardAPI/items`, say);
      for (const item of itemsOf(value.downwardAPI.items, `${at}/downwardAPI/items`)) {
        take(item.value.path, `${item.path}/path`);
      }
    }
    if (isObject(value.serviceAccountToken)) {
      checkToken(value.serviceAccountToken, `${at}/serviceAccountToken`, say);
    }
    if (withCertificates && isObject(value.clusterTrustBundle)) {
      checkTrustBundle(value.clusterTrustBundle, `${at}/clusterTrustBundle`, say, take);
    }
    if (withCertificates && isObject(value.podCertificate)) {
      checkPodCertificate(value.podCertificate, `${at}/podCertificate`, say, take);
    }
  }
}

function checkToken(token: JsonObject, path: string, say: Say): void {
  const seconds = whole(token.expirationSeconds) ?? 3600;
  if (seconds < 600 || seconds > 2 ** 32) {
    say(`${path}/expirationSeconds`, 'expirationSeconds must be between 600 and 2^32', {
      expected: 'at least 600',
    });
  }
  checkFilePath(token.path, `${path}/path`, say);
}

function checkFilePath(value: Maybe, path: string, say: Say): void {
  const file = text(value);
  const complaint = file === '' ? 'be set' : projectedPath(file);
  if (complaint !== undefined) {
    say(path, `the file path must ${complaint}`);
  }
}
