/**
 * YAML and JSON in a repository that is not meant for a cluster: recognized by its contents, so that it is skipped with a reason instead
 * of being reported as an invalid manifest.
 */
import { type JsonObject, type JsonValue } from '../../facts/api/schema';
import { composeUsesGpus, isCompose } from './compose-file';
import { asString, isObject } from '../read';

interface ForeignKind {
  /** What it is, for people. */
  readonly what: string;
  readonly is: (value: JsonObject, name: string) => boolean;
}

/** An own member: the keys come from a file. */
function member(value: JsonObject, key: string): JsonValue | undefined {
  return Object.hasOwn(value, key) ? value[key] : undefined;
}

function has(value: JsonObject, ...keys: readonly string[]): boolean {
  return keys.every((key) => Object.hasOwn(value, key));
}

function hasAny(value: JsonObject, ...keys: readonly string[]): boolean {
  return keys.some((key) => Object.hasOwn(value, key));
}

const someMember = (value: JsonObject, test: (found: JsonValue) => boolean): boolean => Object.values(value).some(test);

const KINDS: readonly ForeignKind[] = [
  {
    what: 'a GitHub Actions workflow',
    // `on` is a boolean in YAML 1.1, and a boolean key becomes the text `true`.
    is: (value) => has(value, 'jobs') && hasAny(value, 'on', 'true'),
  },
  {
    what: 'a GitHub action',
    is: (value) => isObject(member(value, 'runs')) && has(value, 'name'),
  },
  {
    what: 'a GitLab CI pipeline',
    is: (value, name) =>
      /gitlab-ci\.ya?ml$/.test(name) ||
      (hasAny(value, 'stages', 'include', 'variables', 'default', 'workflow') &&
        someMember(value, (job) => isObject(job) && hasAny(job, 'script', 'extends'))),
  },
  {
    what: 'a CircleCI configuration',
    is: (value) => has(value, 'version', 'jobs') && hasAny(value, 'workflows', 'orbs'),
  },
  {
    what: 'an Azure pipeline',
    is: (value) => hasAny(value, 'trigger', 'pr', 'pool') && hasAny(value, 'steps', 'stages', 'jobs'),
  },
  { what: 'a Drone pipeline', is: (value) => member(value, 'kind') === 'pipeline' && has(value, 'steps') },
  {
    what: 'a Google Cloud Build configuration',
    is: (value, name) => /cloudbuild\.ya?ml$/.test(name) && has(value, 'steps'),
  },
  {
    what: 'a Compose file without GPUs',
    is: isCompose,
  },
  {
    what: 'a Helm chart description',
    is: (value, name) =>
      /(^|[/\\])Chart\.ya?ml$/.test(name) || (has(value, 'apiVersion', 'name', 'version') && !has(value, 'kind')),
  },
  {
    what: 'the values of a Helm chart',
    is: (_, name) => /(^|[/\\])([^/\\]*[-_.])?values([-_.][^/\\]*)?\.(ya?ml|json)$/i.test(name),
  },
  {
    what: 'the index of a Helm repository',
    is: (value) => isObject(member(value, 'entries')) && has(value, 'apiVersion') && !has(value, 'kind'),
  },
  {
    what: 'a Grafana provisioning file',
    is: (value) => typeof member(value, 'apiVersion') === 'number' && !has(value, 'kind'),
  },
  { what: 'a schema for Helm values', is: (_, name) => /values\.schema\.json$/.test(name) },
  {
    what: 'a Node package description',
    is: (value, name) =>
      /(^|[/\\])(package(-lock)?|tsconfig[^/\\]*|jsconfig|composer)\.json$/.test(name) ||
      has(value, 'name', 'dependencies'),
  },
  { what: 'a JSON Schema', is: (value) => /json-schema/.test(asString(member(value, '$schema')) ?? '') },
  {
    what: 'an OpenAPI description',
    is: (value) => hasAny(value, 'openapi', 'swagger') && hasAny(value, 'paths', 'info'),
  },
  {
    what: 'a Grafana dashboard',
    is: (value) => Array.isArray(member(value, 'panels')) || has(value, 'schemaVersion', 'rows'),
  },
  { what: 'a Prometheus configuration', is: (value) => hasAny(value, 'scrape_configs', 'rule_files') },
  {
    what: 'Prometheus rules outside of a PrometheusRule',
    is: (value) => {
      const groups = member(value, 'groups');
      return Array.isArray(groups) && groups.some((group) => isObject(group) && has(group, 'rules'));
    },
  },
  { what: 'an Alertmanager configuration', is: (value) => has(value, 'route', 'receivers') },
  { what: 'a MkDocs configuration', is: (value) => has(value, 'site_name') },
  { what: 'a pre-commit configuration', is: (value) => Array.isArray(member(value, 'repos')) },
  {
    what: 'a Gantry scenario',
    is: (value) =>
      hasAny(value, 'gangs', 'events', 'expect', 'podGroups') && hasAny(value, 'cluster', 'nodes', 'gangs', 'run'),
  },
  { what: 'a Gantry cluster file', is: (value) => Array.isArray(member(value, 'pools')) },
];

const LIST_KINDS: readonly { readonly what: string; readonly is: (items: readonly JsonObject[]) => boolean }[] = [
  { what: 'a JSON patch', is: (items) => items.every((item) => has(item, 'op', 'path')) },
  {
    what: 'an Ansible playbook',
    is: (items) => items.every((item) => hasAny(item, 'hosts', 'import_playbook', 'tasks')),
  },
];

/** The file names that kustomize looks for in a folder. */
const KUSTOMIZATION_NAME = /(^|[/\\])(kustomization\.ya?ml|Kustomization)$/;

const KUSTOMIZE_GROUP = /^kustomize\.config\.k8s\.io\//;

/** Whether a document says what kustomize has to do. */
function isKustomization(value: JsonObject, name: string): boolean {
  return (
    KUSTOMIZE_GROUP.test(asString(member(value, 'apiVersion')) ?? '') ||
    (KUSTOMIZATION_NAME.test(name) && !has(value, 'kind'))
  );
}

/**
 * What a document is that is no Kubernetes object, such as `a Compose file`; `undefined` where it may be one, or where nothing tells.
 *
 * @param name the name of its file, which tells some of them apart
 */
export function foreignDocument(value: JsonValue, name: string): string | undefined {
  if (Array.isArray(value)) {
    const items = value.filter(isObject);
    return items.length > 0 && items.length === value.length ? LIST_KINDS.find(({ is }) => is(items))?.what : undefined;
  }
  if (!isObject(value)) {
    return undefined;
  }
  if (isKustomization(value, name)) {
    const folder = /^(.*)[/\\][^/\\]*$/.exec(name)?.[1] ?? '.';
    return `a Kustomization; \`gantry check --kustomize ${folder}\` checks what it builds`;
  }
  const complete = asString(member(value, 'apiVersion')) !== undefined && asString(member(value, 'kind')) !== undefined;
  return complete ? undefined : KINDS.find(({ is }) => is(value, name))?.what;
}

/** Whether a document is a Compose file in which a service asks for GPUs. */
export function isComposeWithGpus(value: JsonValue): value is JsonObject {
  return isObject(value) && !hasAny(value, 'apiVersion', 'kind') && composeUsesGpus(value);
}

/** Whether a document has nothing that a Kubernetes object begins with. */
export function hasNoObjectFields(value: JsonValue): boolean {
  return !isObject(value) || !hasAny(value, 'apiVersion', 'kind', 'metadata', 'spec');
}
