/**
 * The requirements on a claim for storage in a PersistentVolumeClaim, a StatefulSet's template, or an ephemeral volume.
 */
import { oneOf } from '../../../facts/words';
import { type JsonObject, type JsonValue } from '../../../facts/api/schema';
import { fieldOf } from '../../../manifests/pointer';
import { isObject } from '../../../manifests/read';
import { checkLabelSelector } from '../selectors';
import { type Say } from '../server-rule';
import { dnsLabel, dnsSubdomain } from '../../../manifests/values/name-syntax';
import { given, quantitiesOf, size, text, textsOf } from '../values';

const ACCESS_MODES: readonly string[] = ['ReadWriteOnce', 'ReadOnlyMany', 'ReadWriteMany', 'ReadWriteOncePod'];

/** The mode that admits no other one. */
const ALONE = 'ReadWriteOncePod';

/** `own`: the spec of a PersistentVolumeClaim itself, from which the server drops data sources that it does not serve. */
export function checkClaimSpec(spec: JsonObject, path: string, say: Say, own = false): void {
  checkAccessModes(spec.accessModes, `${path}/accessModes`, say);
  checkLabelSelector(spec.selector, `${path}/selector`, say);
  checkRequest(spec, path, say);
  const storageClass = text(spec.storageClassName) === '' ? undefined : dnsSubdomain(text(spec.storageClassName));
  if (storageClass !== undefined) {
    say(`${path}/storageClassName`, `storageClassName must ${storageClass}`);
  }
  checkVolumeMode(spec.volumeMode, `${path}/volumeMode`, say);
  const attributes =
    text(spec.volumeAttributesClassName) === '' ? undefined : dnsSubdomain(text(spec.volumeAttributesClassName));
  if (attributes !== undefined) {
    say(`${path}/volumeAttributesClassName`, `volumeAttributesClassName must ${attributes}`);
  }
  checkDataSources(spec, path, say, own);
}

export function checkAccessModes(modes: JsonValue | undefined, path: string, say: Say): void {
  if (size(modes) === 0) {
    say(path, 'accessModes must not be empty', { expected: 'at least one access mode' });
  }
  const names = textsOf(modes, path);
  for (const { value, path: at } of names) {
    if (!ACCESS_MODES.includes(value)) {
      const others = names.filter((one) => one.path !== at).map((one) => one.value);
      say(at, `unsupported access mode "${value}"`, {
        expected: oneOf(
          ACCESS_MODES.filter((mode) => others.length === 0 || (mode !== ALONE && !others.includes(mode))),
        ),
      });
    }
  }
  const known = new Set(names.map(({ value }) => value).filter((value) => ACCESS_MODES.includes(value)));
  if (known.has('ReadWriteOncePod') && known.size > 1) {
    say(path, `${ALONE} must not be combined with other access modes`, {
      fix: `Keep ${oneOf([...known])} in ${fieldOf(path)}, and remove the other${known.size > 2 ? 's' : ''}.`,
    });
  }
}

export function checkVolumeMode(mode: JsonValue | undefined, path: string, say: Say): void {
  if (typeof mode === 'string' && mode !== 'Block' && mode !== 'Filesystem') {
    say(path, `unsupported volume mode "${mode}"`, { expected: 'Filesystem or Block' });
  }
}

function checkRequest(spec: JsonObject, path: string, say: Say): void {
  const requests = isObject(spec.resources) ? spec.resources.requests : undefined;
  const storage = quantitiesOf(requests).get('storage');
  const at = `${path}/resources/requests/storage`;
  if (storage !== undefined) {
    if (!storage.isPositive()) {
      say(at, 'resources.requests.storage must be greater than 0');
    }
  } else if (!isObject(requests) || !given(requests.storage)) {
    say(at, 'resources.requests.storage must be set', { expected: 'resources.requests.storage' });
  }
}

function checkDataSources(spec: JsonObject, path: string, say: Say, own: boolean): void {
  const namespace = isObject(spec.dataSourceRef) ? text(spec.dataSourceRef.namespace) : '';
  // Of a claim, a reference into another namespace is dropped (its feature gate is off), and so is an old source of another kind.
  const dataSourceRef = own && namespace !== '' ? undefined : spec.dataSourceRef;
  const dataSource =
    own && !isObject(dataSourceRef) && !isClaimOrSnapshot(spec.dataSource) ? undefined : spec.dataSource;
  const badNamespace = namespace === '' || dataSourceRef === undefined ? undefined : dnsLabel(namespace);
  if (badNamespace !== undefined) {
    say(`${path}/dataSourceRef/namespace`, `the namespace must ${badNamespace}`);
  }
  for (const [field, source] of [
    ['dataSource', dataSource],
    ['dataSourceRef', dataSourceRef],
  ] as const) {
    if (!isObject(source)) {
      continue;
    }
    checkDataSource(source, `${path}/${field}`, say);
  }
  if (!isObject(dataSource) || !isObject(dataSourceRef)) {
    return;
  }
  if (namespace !== '') {
    say(`${path}/dataSource`, 'dataSource must not be set when dataSourceRef has a namespace');
    return;
  }
  const same = ['apiGroup', 'kind', 'name'].every(
    (field) => (dataSource[field] ?? null) === (dataSourceRef[field] ?? null),
  );
  if (!same) {
    say(`${path}/dataSource`, 'dataSource and dataSourceRef must name the same object', {
      expected: 'one of them, or both the same',
    });
  }
}

function checkDataSource(source: JsonObject, at: string, say: Say): void {
  if (text(source.name) === '') {
    say(`${at}/name`, 'the source must have a name');
  }
  if (text(source.kind) === '') {
    say(`${at}/kind`, 'the source must have a kind');
  }
  const group = text(source.apiGroup);
  if (group === '' && source.kind !== 'PersistentVolumeClaim') {
    say(`${at}/kind`, 'without apiGroup, the kind of the source must be PersistentVolumeClaim', {
      fix: `Set ${fieldOf(`${at}/kind`)} to PersistentVolumeClaim, or set ${fieldOf(`${at}/apiGroup`)} to the API group of the kind.`,
    });
  }
  const complaint = group === '' ? undefined : dnsSubdomain(group);
  if (complaint !== undefined) {
    say(`${at}/apiGroup`, `the API group must ${complaint}`);
  }
}

function isClaimOrSnapshot(source: JsonValue | undefined): boolean {
  if (!isObject(source)) {
    return false;
  }
  const group = text(source.apiGroup);
  return source.kind === 'PersistentVolumeClaim'
    ? group === ''
    : source.kind === 'VolumeSnapshot' && group === 'snapshot.storage.k8s.io';
}
