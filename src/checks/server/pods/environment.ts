/**
 * Environment variables: names, and exactly one source for a value that comes from elsewhere (row K15).
 */
import { type JsonObject } from '../../../facts/api/schema';
import { asObject, isObject } from '../../../manifests/read';
import { parseQuantity } from '../../../manifests/values/quantity';
import { fieldOf } from '../../../manifests/pointer';
import { nearName } from '../../rules/near-name';
import { type Rule } from '../../rules/rule';
import { type Say, podRule, since } from '../server-rule';
import {
  configMapKey,
  dnsLabel,
  dnsSubdomain,
  environmentName,
  qualifiedName,
} from '../../../manifests/values/name-syntax';
import { given, itemsOf, text } from '../values';
import { climbs } from './paths';
import { VolumeChoice } from './volume-choice';
import { oneOf } from '../../../facts/words';

const SOURCES = ['fieldRef', 'resourceFieldRef', 'configMapKeyRef', 'secretKeyRef', 'fileKeyRef'];
const ENV_FIELDS: ReadonlySet<string> = new Set([
  'metadata.name',
  'metadata.namespace',
  'metadata.uid',
  'spec.nodeName',
  'spec.serviceAccountName',
  'spec.host',
  'status.hostIP',
  'status.hostIPs',
  'status.podIP',
  'status.podIPs',
]);
const VOLUME_FIELDS: ReadonlySet<string> = new Set([
  'metadata.name',
  'metadata.namespace',
  'metadata.labels',
  'metadata.annotations',
  'metadata.uid',
]);
const CONTAINER_RESOURCES: ReadonlySet<string> = new Set([
  'limits.cpu',
  'limits.memory',
  'limits.ephemeral-storage',
  'requests.cpu',
  'requests.memory',
  'requests.ephemeral-storage',
]);
const CPU_DIVISORS: ReadonlySet<string> = new Set(['1m', '1']);
const BYTE_DIVISORS: ReadonlySet<string> = new Set([
  '1',
  '1k',
  '1M',
  '1G',
  '1T',
  '1P',
  '1E',
  '1Ki',
  '1Mi',
  '1Gi',
  '1Ti',
  '1Pi',
  '1Ei',
]);

export const environmentRules: readonly Rule[] = [
  podRule(
    'env-name-valid',
    {
      concerns: ['env', 'envFrom'],
      row: 'K15',
      summary: 'An environment variable must have a name of printable ASCII characters without "=".',
      fix: 'Set env[].name to letters, digits, and "_".',
    },
    (pod, say, context) => {
      const relaxed = since(context, 32);
      for (const container of pod.all) {
        for (const { value, path } of itemsOf(container.value.env, `${container.path}/env`)) {
          const name = text(value.name);
          const complaint = name === '' ? undefined : environmentName(name, relaxed);
          if (name === '') {
            say(`${path}/name`, 'the variable must have a name');
          }
          if (complaint !== undefined) {
            say(`${path}/name`, `the variable name ${JSON.stringify(name)} must ${complaint}`);
          }
        }
        for (const { value, path } of itemsOf(container.value.envFrom, `${container.path}/envFrom`)) {
          const prefix = text(value.prefix);
          const complaint = prefix === '' ? undefined : environmentName(prefix, relaxed);
          if (complaint !== undefined) {
            say(`${path}/prefix`, `the prefix ${JSON.stringify(prefix)} must ${complaint}`);
          }
        }
      }
    },
  ),

  podRule(
    'env-value-from-exactly-one',
    {
      concerns: ['valueFrom'],
      row: 'K15',
      summary: 'valueFrom must have exactly one source, and must not be set together with value.',
      fix: 'Set either env[].value or one source in env[].valueFrom.',
    },
    (pod, say, context) => {
      for (const container of pod.all) {
        for (const { value, path } of itemsOf(container.value.env, `${container.path}/env`)) {
          if (!isObject(value.valueFrom)) {
            continue;
          }
          const from = value.valueFrom;
          // Before 1.35, the server drops the file, whose feature gate is off, before it validates.
          const known = since(context, 35) ? SOURCES : SOURCES.filter((source) => source !== 'fileKeyRef');
          const sources = known.filter((source) => given(from[source]));
          if (sources.length === 0) {
            say(`${path}/valueFrom`, 'valueFrom must have a source', { expected: oneOf(known) });
          } else if (text(value.value) !== '') {
            say(`${path}/valueFrom`, 'valueFrom must not be set when value is set', { expected: 'one of them' });
          } else if (sources.length > 1) {
            say(
              `${path}/valueFrom`,
              `valueFrom must have only one source, but has ${sources.length}: ${sources.join(', ')}`,
              {
                expected: 'exactly one',
              },
            );
          }
        }
      }
    },
  ),

  podRule(
    'env-source-valid',
    {
      concerns: ['valueFrom'],
      row: 'K15',
      summary: "A variable's source must name a field, resource, config map key, secret key, or file that can be read.",
      fix: 'Set the reference in env[].valueFrom completely, for example secretKeyRef.name and secretKeyRef.key.',
    },
    (pod, say, context) => {
      const emptyDirs = new VolumeChoice(pod, { noun: 'emptyDir', allows: isEmptyDir });
      for (const container of pod.all) {
        for (const { value, path } of itemsOf(container.value.env, `${container.path}/env`)) {
          const from = asObject(value.valueFrom);
          const at = `${path}/valueFrom`;
          if (isObject(from.fieldRef)) {
            checkFieldRef(from.fieldRef, `${at}/fieldRef`, 'env', say);
          }
          if (isObject(from.resourceFieldRef)) {
            checkResourceFieldRef(from.resourceFieldRef, `${at}/resourceFieldRef`, 'env', say);
          }
          for (const source of ['configMapKeyRef', 'secretKeyRef']) {
            const reference = from[source];
            if (isObject(reference)) {
              checkKeyReference(reference, `${at}/${source}`, say);
            }
          }
          if (isObject(from.fileKeyRef) && since(context, 35)) {
            checkFileKeyReference(from.fileKeyRef, `${at}/fileKeyRef`, { spec: pod.spec, emptyDirs }, say);
          }
        }
      }
    },
  ),

  podRule(
    'env-from-exactly-one',
    {
      concerns: ['envFrom'],
      row: 'K15',
      summary: 'An envFrom entry must name exactly one config map or secret.',
      fix: 'Set either configMapRef.name or secretRef.name.',
    },
    (pod, say) => {
      for (const container of pod.all) {
        for (const { value, path } of itemsOf(container.value.envFrom, `${container.path}/envFrom`)) {
          const sources = ['configMapRef', 'secretRef'].filter((source) => given(value[source]));
          if (sources.length !== 1) {
            say(
              path,
              sources.length === 0
                ? 'configMapRef or secretRef must be set'
                : 'configMapRef must not be set when secretRef is set',
              {
                expected: 'configMapRef or secretRef',
              },
            );
          }
          for (const source of sources) {
            const name = text(asObject(value[source]).name);
            // The server takes a name with a "-" at its end here.
            const complaint =
              name === '' ? 'be set' : dnsSubdomain(name.endsWith('-') ? `${name.slice(0, -1)}a` : name);
            if (complaint !== undefined) {
              say(`${path}/${source}/name`, `the name ${JSON.stringify(name)} must ${complaint}`);
            }
          }
        }
      }
    },
  ),
];

/** A reference to a field of the pod, from a variable or from a volume file. */
export function checkFieldRef(reference: JsonObject, path: string, place: 'env' | 'volume', say: Say): void {
  const version = text(reference.apiVersion) || 'v1';
  const field = text(reference.fieldPath);
  const at = `${path}/fieldPath`;
  if (field === '') {
    say(at, 'fieldPath must be set', { expected: 'a field path such as metadata.name' });
    return;
  }
  if (version !== 'v1') {
    say(`${path}/apiVersion`, `unsupported pod API version "${version}"`, { expected: 'v1' });
    return;
  }
  const subscript = /^(metadata\.(?:annotations|labels))\['(.*)'\]$/s.exec(field);
  if (subscript !== null) {
    const [, map = '', key = ''] = subscript;
    const complaint = qualifiedName(map === 'metadata.annotations' ? key.toLowerCase() : key);
    if (complaint !== undefined) {
      const near = nearName(complaint, key)?.replace(/^.* such as "?|"$/g, '') ?? 'example.com/name';
      say(at, `the key "${key}" in ${map} must ${complaint}`, {
        fix: `Set ${fieldOf(at)} to a path such as ${map}['${near}'].`,
      });
    }
    return;
  }
  const known = place === 'env' ? ENV_FIELDS : VOLUME_FIELDS;
  if (!known.has(field)) {
    say(at, `unsupported field "${field}"`, { expected: oneOf([...known]) });
  }
}

/** A reference to a container's request or limit. A volume file has to name the container. */
export function checkResourceFieldRef(reference: JsonObject, path: string, place: 'env' | 'volume', say: Say): void {
  const resource = text(reference.resource);
  const hugePages = /^(requests|limits)\.hugepages-/.test(resource);
  if (place === 'volume' && text(reference.containerName) === '') {
    say(`${path}/containerName`, 'containerName must be set', { expected: 'the name of a container' });
  } else if (resource === '') {
    say(`${path}/resource`, 'resource must be set', { expected: 'a container resource such as limits.memory' });
  } else if (!CONTAINER_RESOURCES.has(resource) && !hugePages) {
    say(`${path}/resource`, `unsupported resource "${resource}"`, {
      expected: oneOf([...CONTAINER_RESOURCES]),
    });
  }
  const divisor =
    typeof reference.divisor === 'string' || typeof reference.divisor === 'number'
      ? parseQuantity(reference.divisor)
      : undefined;
  if (divisor === undefined || divisor.isZero()) {
    return;
  }
  const allowed = /^(requests|limits)\.cpu$/.test(resource)
    ? CPU_DIVISORS
    : hugePages || /^(requests|limits)\.(memory|ephemeral-storage)$/.test(resource)
      ? BYTE_DIVISORS
      : undefined;
  if (allowed !== undefined && !allowed.has(divisor.toString())) {
    say(`${path}/divisor`, `unsupported divisor "${divisor.toString()}" for ${resource}`, {
      expected: oneOf([...allowed]),
    });
  }
}

function checkKeyReference(reference: JsonObject, path: string, say: Say): void {
  const name = dnsSubdomain(text(reference.name));
  if (name !== undefined) {
    say(`${path}/name`, `the name ${JSON.stringify(text(reference.name))} must ${name}`);
  }
  const key = text(reference.key) === '' ? 'be set' : configMapKey(text(reference.key));
  if (key !== undefined) {
    say(`${path}/key`, `the key ${JSON.stringify(text(reference.key))} must ${key}`);
  }
}

function checkFileKeyReference(
  reference: JsonObject,
  path: string,
  { spec, emptyDirs }: { readonly spec: JsonObject; readonly emptyDirs: VolumeChoice },
  say: Say,
): void {
  const key = environmentName(text(reference.key), true);
  if (key !== undefined) {
    say(`${path}/key`, `the key ${JSON.stringify(text(reference.key))} must ${key}`);
  }
  const volumeName = text(reference.volumeName);
  const complaint = dnsLabel(volumeName);
  if (complaint !== undefined) {
    say(`${path}/volumeName`, `the volume name ${JSON.stringify(volumeName)} must ${complaint}`);
  }
  if (text(reference.path) === '') {
    say(`${path}/path`, 'path must be set');
  } else if (climbs(text(reference.path))) {
    say(`${path}/path`, 'path must not contain ".."');
  }
  const volume = itemsOf(spec.volumes, '').find(({ value }) => text(value.name) === volumeName);
  if (volume === undefined) {
    say(`${path}/volumeName`, `unknown volume "${volumeName}"`, emptyDirs.insteadOf(volumeName, `${path}/volumeName`));
  } else if (!isEmptyDir(volume.value)) {
    say(`${path}/volumeName`, `the volume "${volumeName}" must be an emptyDir`);
  }
}

function isEmptyDir(volume: JsonObject): boolean {
  return given(volume.emptyDir) || Object.keys(volume).every((field) => field === 'name' || !given(volume[field]));
}
