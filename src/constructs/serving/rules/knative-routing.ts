/**
 * What Knative's webhook demands of names, labels, and annotations of its objects, of the traffic of a Route, and of a DomainMapping.
 */
import { oneOf } from '../../../facts/words';
import { type JsonObject, type JsonValue } from '../../../facts/api/schema';
import { type ObjectRule, type Rule, type Violation } from '../../../checks/rules/rule';
import { dns1035Label, dnsLabel, dnsSubdomain, qualifiedName } from '../../../manifests/values/name-syntax';
import { parseGoDuration } from '../../../manifests/values/go-duration';
import { type Manifest } from '../../../manifests/manifest';
import { pointer, fieldOf } from '../../../manifests/pointer';
import { parseQuantity } from '../../../manifests/values/quantity';
import { asArray, asObject, asString, isUnset, objectsAt } from '../../../manifests/read';
import { AUTOSCALING, type Facts, goNumber, KNATIVE, revisionRule } from './serving-rule';

const SERVING = 'serving.knative.dev';
const SERVICE = `${SERVING}/Service`;
const ROUTE = `${SERVING}/Route`;
const CONFIGURATION = `${SERVING}/Configuration`;
const REVISION = `${SERVING}/Revision`;
const DOMAIN_MAPPING = `${SERVING}/DomainMapping`;

function servingRule(id: string, kinds: readonly string[], facts: Facts, check: ObjectRule['check']): ObjectRule {
  return { tier: 'webhook', severity: 'error', ...facts, id: `serving/${id}`, on: 'object', kinds, check };
}

/** A prefix of a name: what is added to it may follow a hyphen. */
function prefixComplaint(prefix: string): string | undefined {
  return dns1035Label(prefix.length > 1 && prefix.endsWith('-') ? `${prefix.slice(0, -2)}a` : prefix);
}

const named = servingRule(
  'knative-name-is-host',
  [SERVICE, ROUTE, CONFIGURATION, REVISION],
  {
    row: 'KN12',
    summary: 'Names of Services, Routes, Configurations, and Revisions must be DNS-1035 labels.',
    why: 'The names become host names and names of Services; the webhook rejects others.',
    source: 'knative.dev/pkg, apis/metadata_validation.go',
    fix: 'Set metadata.name to lowercase letters, digits, and hyphens, beginning with a letter.',
  },
  function* ({ object }) {
    const metadata = asObject(object.metadata);
    yield* badNames(metadata, '/metadata');
    yield* badNames(asObject(asObject(asObject(object.spec).template).metadata), '/spec/template/metadata', true);
  },
);

function* badNames(metadata: JsonObject, path: string, onlyPrefix = false): Iterable<Violation> {
  const name = onlyPrefix ? '' : (asString(metadata.name) ?? '');
  const prefix = asString(metadata.generateName) ?? '';
  for (const [field, value, complaint] of [
    ['name', name, name === '' ? undefined : dns1035Label(name)],
    ['generateName', prefix, prefix === '' ? undefined : prefixComplaint(prefix)],
  ] as const) {
    if (complaint !== undefined) {
      yield { path: `${path}/${field}`, message: `the ${field} "${value}" must ${complaint}`, found: value };
    }
  }
}

const scalingOnTemplate = servingRule(
  'knative-route-has-no-scaling',
  [ROUTE],
  {
    row: 'KN6',
    summary: 'A Route must not have annotations with the prefix autoscaling.knative.dev.',
    why: 'They belong on the template of a revision; the webhook rejects the Route.',
    source: `${KNATIVE}, pkg/apis/serving/metadata_validation.go`,
    fix: 'Move the annotation to spec.template.metadata.annotations of the Service or Configuration.',
  },
  function* ({ object }) {
    for (const key of Object.keys(asObject(asObject(object.metadata).annotations))) {
      if (key.startsWith(AUTOSCALING)) {
        yield {
          path: pointer('/metadata/annotations', key),
          message: `the annotation ${key} must not be set on a Route`,
          fix: `Move the annotation ${key} to spec.template.metadata.annotations of the Service or Configuration.`,
        };
      }
    }
  },
);

/** Labels that say which object made this one, and the kind of that object. */
const OWNERS: readonly (readonly [kind: string, label: string, owner: string])[] = [
  [CONFIGURATION, `${SERVING}/service`, 'Service'],
  [ROUTE, `${SERVING}/service`, 'Service'],
  [REVISION, `${SERVING}/configuration`, 'Configuration'],
];

const ownerLabels = servingRule(
  'knative-owner-label-left-to-owner',
  [CONFIGURATION, ROUTE, REVISION],
  {
    row: 'KN12',
    summary: `The labels ${SERVING}/service and ${SERVING}/configuration must name the owner of the object.`,
    why: 'Knative sets them on what it makes; the webhook rejects them on an object that has no such owner.',
    source: `${KNATIVE}, pkg/apis/serving/v1 (validateLabels)`,
    fix: 'Remove the label from metadata.labels, because Knative sets it.',
  },
  function* ({ id, object }) {
    const metadata = asObject(object.metadata);
    const labels = asObject(metadata.labels);
    for (const [kind, label, owner] of OWNERS) {
      const value = labels[label];
      const isOwned = objectsAt(metadata, '/ownerReferences').some(
        ({ value: reference }) => reference.kind === owner && reference.name === value,
      );
      if (`${SERVING}/${id.kind}` === kind && value !== undefined && !isOwned) {
        yield {
          path: pointer('/metadata/labels', label),
          message: `the label ${label} must not be set on an object without an owner reference to that ${owner}`,
          found: value,
          fix: `Remove the label ${label}, because Knative sets it.`,
        };
      }
    }
  },
);

/** A duration in whole seconds that is not negative; an empty one counts as none. */
function badDuration(text: string): string | undefined {
  const seconds = parseGoDuration(text);
  if (text === '') {
    return undefined;
  }
  if (seconds === undefined) {
    return 'must be a duration such as 90s or 5m';
  }
  return seconds < 0 ? 'must not be negative' : Number.isInteger(seconds) ? undefined : 'must be in whole seconds';
}

/** The first of several spellings of a key that is there. */
function firstOf(annotations: JsonValue | undefined, keys: readonly string[]): readonly [string, string] | undefined {
  return keys
    .map((key) => [key, asString(asObject(annotations)[key])] as const)
    .find((entry): entry is readonly [string, string] => entry[1] !== undefined);
}

const rollout = servingRule(
  'knative-rollout-duration-valid',
  [SERVICE, ROUTE],
  {
    row: 'KN13',
    summary: `The annotation ${SERVING}/rollout-duration must be a duration in whole seconds.`,
    why: 'The webhook rejects any other value.',
    source: `${KNATIVE}, pkg/apis/serving/metadata_validation.go`,
    fix: `Set ${SERVING}/rollout-duration in metadata.annotations to a duration such as 380s.`,
  },
  ({ object }) => durations(asObject(asObject(object.metadata).annotations), '/metadata/annotations', ROLLOUT),
);

const ROLLOUT = [`${SERVING}/rollout-duration`, `${SERVING}/rolloutDuration`];

function* durations(annotations: JsonObject, path: string, keys: readonly string[]): Iterable<Violation> {
  const found = firstOf(annotations, keys);
  const complaint = found === undefined ? undefined : badDuration(found[1]);
  if (found !== undefined && complaint !== undefined) {
    yield {
      path: pointer(path, found[0]),
      message: `the annotation ${found[0]} ${complaint}: "${found[1]}"`,
      found: found[1],
      fix: `Set the annotation ${found[0]} to a duration in whole seconds, such as 380s.`,
    };
  }
}

const NETWORKING = 'networking.knative.dev';
const NETWORKING_KEYS: ReadonlySet<string> = new Set(
  [
    ...['ingress.class', 'ingress-class', 'certificate.class', 'certificate-class', 'disableAutoTLS'],
    ...['disable-auto-tls', 'disable-external-domain-tls', 'httpOption', 'http-protocol'],
  ].map((name) => `${NETWORKING}/${name}`),
);

const SIDECAR = `queue.sidecar.${SERVING}`;
const SIDECAR_PERCENTAGE = [`${SIDECAR}/resource-percentage`, `${SIDECAR}/resourcePercentage`];
const SIDECAR_AMOUNTS = ['cpu', 'memory', 'ephemeral-storage'].flatMap((resource) =>
  ['request', 'limit'].map((form) => `${SIDECAR}/${resource}-resource-${form}`),
);

const templateAnnotations = revisionRule(
  'knative-template-annotation-valid',
  {
    row: 'KN13',
    summary:
      'Annotations of a template for networking, the progress deadline, and the resources of the queue proxy must be known and readable.',
    why: 'The webhook rejects the revision.',
    source: `${KNATIVE}, pkg/apis/serving/v1/revision_validation.go; knative.dev/networking, metadata_validation.go`,
    fix: 'Set metadata.annotations to annotations that Knative reads, with values of the expected form.',
  },
  function* ({ annotations, annotationsPath, isTemplate }) {
    if (!isTemplate) {
      return;
    }
    for (const [key, value] of annotations) {
      const path = pointer(annotationsPath, key);
      if (key.startsWith(NETWORKING) && !NETWORKING_KEYS.has(key)) {
        yield {
          path,
          message: `unknown annotation "${key}"`,
          expected: oneOf([...NETWORKING_KEYS]),
          fix: `Rename the annotation ${key} to one that Knative reads, such as ${NETWORKING}/http-protocol, or remove it.`,
        };
      } else if (SIDECAR_AMOUNTS.includes(key) && parseQuantity(value) === undefined) {
        yield { path, message: `${key} must be a quantity`, found: value };
      }
    }
    const all = Object.fromEntries(annotations);
    yield* durations(all, annotationsPath, [`${SERVING}/progress-deadline`]);
    const percentage = firstOf(all, SIDECAR_PERCENTAGE);
    const number = percentage === undefined ? undefined : goNumber(percentage[1]);
    if (percentage !== undefined && (number === undefined || number < 0.1 || number > 100)) {
      yield {
        path: pointer(annotationsPath, percentage[0]),
        message: `${percentage[0]} must be a number from 0.1 to 100`,
        found: percentage[1],
      };
    }
  },
);

const trafficValid = servingRule(
  'knative-traffic-valid',
  [SERVICE, ROUTE],
  {
    row: 'KN14',
    summary:
      'The targets of traffic must add up to 100 percent, each must name a revision or a configuration, and tags must be unique DNS-1035 labels.',
    why: 'The webhook rejects the Route or the Service.',
    source: `${KNATIVE}, pkg/apis/serving/v1/route_validation.go`,
    fix: 'Set percent in the targets to numbers that add up to 100, and set a unique tag and either revisionName or configurationName in each.',
  },
  function* (manifest) {
    const isService = manifest.id.kind === 'Service';
    const spec = asObject(manifest.object.spec);
    // The default of a Service is all to the latest revision.
    if (isService && asArray(spec.traffic).length === 0) {
      return;
    }
    const targets = objectsAt(spec, '/traffic');
    const tags = new Set<string>();
    for (const { value, path: at } of targets) {
      const path = `/spec${at}`;
      yield* badTarget(value, path, isService);
      const tag = asString(value.tag) ?? '';
      const complaint = tag === '' ? undefined : dns1035Label(tag);
      if (complaint !== undefined) {
        yield { path: `${path}/tag`, message: `the tag "${tag}" must ${complaint}`, found: tag };
      }
      if (tag !== '' && tags.has(tag)) {
        yield {
          path: `${path}/tag`,
          message: `duplicate tag "${tag}"`,
          found: tag,
          fix: `Set ${fieldOf(`${path}/tag`)} to a unique tag, or remove it.`,
        };
      }
      tags.add(tag);
    }
    const sum = targets.reduce((total, { value }) => total + percentOf(value), 0);
    if (sum !== 100) {
      yield {
        path: '/spec/traffic',
        message: `the percent values of all traffic targets must add up to 100, but add up to ${sum}`,
        expected: '100',
        fix: 'Set traffic[].percent to numbers that add up to 100.',
      };
    }
  },
);

function percentOf({ percent }: JsonObject): number {
  return typeof percent === 'number' ? percent : 0;
}

function* badTarget(target: JsonObject, path: string, isService: boolean): Iterable<Violation> {
  const revision = asString(target.revisionName) ?? '';
  const percent = percentOf(target);
  if (percent < 0 || percent > 100) {
    yield {
      path: `${path}/percent`,
      message: `percent must be between 0 and 100, but is ${JSON.stringify(percent)}`,
      found: percent,
    };
  }
  if (typeof target.latestRevision === 'boolean' && target.latestRevision === (revision !== '')) {
    yield {
      path: `${path}/latestRevision`,
      message: `latestRevision must be ${revision === '' ? 'true' : 'false'} when revisionName is ${revision === '' ? 'unset' : 'set'}`,
      fix: `Set ${fieldOf(`${path}/latestRevision`)} to ${revision === '' ? 'true' : 'false'}, or ${revision === '' ? 'set' : 'remove'} revisionName.`,
      found: target.latestRevision,
    };
  }
  if ((asString(target.url) ?? '') !== '') {
    yield { path: `${path}/url`, message: 'url must not be set in spec.traffic' };
  }
  yield* badName(target, path, isService);
}

/** What a target names: a revision, or a configuration, which in a Service is the one that the Service makes. */
function* badName(target: JsonObject, path: string, isService: boolean): Iterable<Violation> {
  const revision = asString(target.revisionName) ?? '';
  const configuration = asString(target.configurationName) ?? '';
  if (isService && configuration !== '') {
    yield {
      path: `${path}/configurationName`,
      message: 'configurationName must not be set in the traffic of a Service',
    };
  } else if (revision !== '' && configuration !== '') {
    yield { path, message: 'revisionName and configurationName must not be set together' };
  } else if (revision === '' && configuration === '' && !isService) {
    yield { path, message: 'revisionName or configurationName must be set' };
  } else if (revision !== '' || configuration !== '') {
    const [field, name] = revision !== '' ? ['revisionName', revision] : ['configurationName', configuration];
    const complaint = qualifiedName(name);
    if (complaint !== undefined) {
      yield { path: `${path}/${field}`, message: `the ${field} "${name}" must ${complaint}`, found: name };
    }
  }
}

/** What each field of the ref of a DomainMapping is set to. */
const TARGETS = {
  name: 'the name of the Service that serves the domain',
  apiVersion: 'the API version of the object that serves the domain, such as serving.knative.dev/v1',
  kind: 'the kind of the object that serves the domain, such as Service',
} as const;

/** The domain of a cluster, unless its kubelets have another. */
const CLUSTER_DOMAIN = '.cluster.local';

const domainMapping = servingRule(
  'knative-domain-mapping-valid',
  [DOMAIN_MAPPING],
  {
    row: 'KN15',
    summary:
      'The name of a DomainMapping must be a domain name outside of the cluster, and its ref must name an object in its namespace.',
    why: 'The webhook rejects the DomainMapping.',
    source: `${KNATIVE}, pkg/apis/serving/v1beta1/domainmapping_validation.go; knative.dev/pkg, apis/duck/v1/knative_reference.go`,
    fix: 'Set metadata.name to the domain, such as chat.example.com, and ref to apiVersion, kind, and name of the Service.',
  },
  function* (manifest) {
    yield* badDomain(manifest);
    const ref = asObject(asObject(manifest.object.spec).ref);
    for (const field of ['name', 'apiVersion', 'kind'] as const) {
      if (isUnset(ref[field])) {
        yield {
          path: `/spec/ref/${field}`,
          message: `ref.${field} must be set`,
          fix: `Set ref.${field} to ${TARGETS[field]}.`,
        };
      }
    }
    if ((asString(ref.group) ?? '') !== '') {
      yield {
        path: '/spec/ref/group',
        message: 'ref.group must not be set',
        fix: 'Remove ref.group, and set ref.apiVersion, such as serving.knative.dev/v1.',
      };
    }
    const namespace = asString(ref.namespace) ?? '';
    if (namespace !== '' && manifest.id.namespace !== '' && namespace !== manifest.id.namespace) {
      yield {
        path: '/spec/ref/namespace',
        message: `ref.namespace must be unset or the namespace of the DomainMapping, "${manifest.id.namespace}"`,
        found: namespace,
        fix: 'Remove ref.namespace.',
      };
    }
  },
);

function* badDomain({ id, object }: Manifest): Iterable<Violation> {
  const prefix = asString(asObject(object.metadata).generateName) ?? '';
  if (prefix !== '') {
    yield { path: '/metadata/generateName', message: 'generateName must not be set', found: prefix };
  }
  const domain = id.name.replace(/\.$/, '');
  const labels = domain.split('.');
  const complaint =
    domain === ''
      ? 'be set'
      : (dnsSubdomain(domain) ??
        (labels.length < 2 ? 'be a domain name with at least two parts' : labels.map(dnsLabel).find(Boolean)));
  if (complaint !== undefined) {
    yield {
      path: '/metadata/name',
      message: id.name === '' ? 'metadata.name must be set' : `the name "${id.name}" must ${complaint}`,
      found: id.name,
      ...(labels.length < 2 && { fix: 'Set metadata.name to a domain name such as chat.example.com.' }),
    };
  } else if (id.name.endsWith(CLUSTER_DOMAIN)) {
    yield {
      path: '/metadata/name',
      // The domain of the cluster is a setting.
      severity: 'warning',
      message: `the name "${id.name}" must not be in the cluster domain`,
      found: id.name,
      fix: 'Set metadata.name to a domain name outside the cluster, such as chat.example.com.',
    };
  }
}

export const knativeRoutingRules: readonly Rule[] = [
  named,
  scalingOnTemplate,
  ownerLabels,
  rollout,
  templateAnnotations,
  trafficValid,
  domainMapping,
];
