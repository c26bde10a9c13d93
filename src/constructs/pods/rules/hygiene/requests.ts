/**
 * Containers that the scheduler cannot count.
 */
import { type JsonObject } from '../../../../facts/api/schema';
import { type Rule } from '../../../../checks/rules/rule';
import { policyOf } from '../../../../checks/server/admission/namespace-policy';
import { type Manifest } from '../../../../manifests/manifest';
import { type ManifestSet } from '../../../../manifests/manifest-set';
import { asObject } from '../../../../manifests/read';
import { containersIn, hygieneRule } from './hygiene-rule';

const COUNTED = ['cpu', 'memory'] as const;
const WORDS = { cpu: 'CPU', memory: 'memory' };
const EXAMPLES = { cpu: '500m', memory: '1Gi' };

function namesIn(resources: JsonObject): ReadonlySet<string> {
  // The server copies a limit into the request.
  return new Set([...Object.keys(asObject(resources.requests)), ...Object.keys(asObject(resources.limits))]);
}

/** Resources for which the limit ranges of the namespace give containers a request. */
function defaultsIn(set: ManifestSet, manifest: Manifest): ReadonlySet<string> {
  const { requests, limits } = policyOf(set, manifest).defaults;
  return new Set([...requests.keys(), ...limits.keys()]);
}

export const requestRules: readonly Rule[] = [
  hygieneRule(
    'requests-set',
    {
      concerns: ['containers'],
      summary: 'A container should request CPU and memory.',
      why: 'The scheduler counts what a container does not request as nothing: it fills the node with such pods, which then take CPU from each other and are the first that are evicted.',
      fix: 'Set resources.requests.cpu and resources.requests.memory to what the container needs.',
      source:
        'Kubernetes documentation, resource management; kube-linter, unset-cpu-requirements and unset-memory-requirements; kube-score, container-resources',
    },
    function* ({ spec, manifest }, { set }) {
      const pod = namesIn(asObject(spec.resources));
      const defaults = defaultsIn(set, manifest);
      for (const { value, path, title, list } of containersIn(spec)) {
        const own = namesIn(asObject(value.resources));
        const missing = COUNTED.filter((resource) => ![own, pod, defaults].some((names) => names.has(resource)));
        if (missing.length > 0 && (list === 'containers' || value.restartPolicy === 'Always')) {
          yield {
            path: `${path}/resources`,
            message: `${title} has no ${missing.map((resource) => WORDS[resource]).join(' or ')} requests`,
            expected: missing.map((resource) => `requests.${resource}`).join(', '),
            fix: `Set ${missing.map((resource) => `resources.requests.${resource}`).join(' and ')} to what the container needs, for example ${missing.map((resource) => EXAMPLES[resource]).join(' and ')}.`,
          };
        }
      }
    },
    'namespace',
  ),
];
