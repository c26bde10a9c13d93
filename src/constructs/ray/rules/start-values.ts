/**
 * Texts that Ray reads later: the environment of a job, custom resources in start parameters, and what the autoscaler reads from limits.
 */
import { type JsonValue } from '../../../facts/api/schema';
import { type Rule } from '../../../checks/rules/rule';
import { parseQuantity } from '../../../manifests/values/quantity';
import { asObject, asString, isObject } from '../../../manifests/read';
import { parseValue } from '../../../manifests/yaml';
import { groupsOf, KUBERAY } from '../ray-view';
import { clusterRule, rayJobRule, VALIDATION } from './ray-rule';

const runtimeEnvironment = rayJobRule(
  {
    id: 'ray/runtime-env-is-yaml',
    row: 'RA8',
    summary: 'runtimeEnvYAML must be a YAML mapping.',
    why: 'The controller rejects a RayJob whose environment it cannot read.',
    source: `${VALIDATION}, ValidateRayJobSpec`,
    fix: 'Set runtimeEnvYAML to a YAML mapping in a literal block (|), such as pip: [torch].',
    concerns: ['runtimeEnvYAML'],
  },
  function* ({ spec, path }) {
    const text = asString(spec.runtimeEnvYAML);
    if (text === undefined || text.trim() === '') {
      return;
    }
    const parsed = parseValue(text, 'runtimeEnvYAML');
    const at = `${path}/runtimeEnvYAML`;
    if ('problem' in parsed) {
      const { line } = parsed.problem.position;
      yield { path: at, message: `runtimeEnvYAML is not valid YAML: ${parsed.problem.message} at line ${line}` };
    } else if (!isObject(parsed.value)) {
      yield { path: at, message: 'runtimeEnvYAML must be a YAML mapping', expected: 'a mapping such as pip: [torch]' };
    }
  },
);

const customResources = clusterRule(
  {
    id: 'ray/start-resources-are-quoted-json',
    row: 'RA3',
    tier: 'advice',
    severity: 'error',
    summary: 'rayStartParams.resources must be JSON in quotes that survive a shell.',
    why: 'The start command runs in a shell, which removes quotes: ray start gets no JSON and exits, and the pod restarts.',
    source: `${KUBERAY}, ray-operator/controllers/ray/common/pod.go (convertParamMap)`,
    fix: `Set rayStartParams.resources to a string with escaped inner quotes: '"{\\"name\\": 1}"'.`,
    concerns: ['rayStartParams'],
  },
  function* (cluster) {
    for (const { path, startParams } of groupsOf(cluster)) {
      const written = asString(startParams.resources);
      if (written === undefined || written.trim() === '') {
        continue;
      }
      if (!isObject(jsonOf(afterShell(written.trim())))) {
        yield {
          path: `${path}/rayStartParams/resources`,
          message: 'the value is not valid JSON after the shell has removed the quotes, so ray start fails',
          found: written,
          expected: '"{\\"name\\": 1}"',
        };
      }
    }
  },
);

/** What a program gets of one word of a POSIX shell. */
function afterShell(word: string): string {
  return word.replace(
    /'([^']*)'|"((?:\\.|[^"\\])*)"|\\(.)/g,
    (_whole, single?: string, double?: string, escaped?: string) =>
      single ?? double?.replace(/\\(["\\$`])/g, '$1') ?? escaped ?? '',
  );
}

function jsonOf(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return undefined;
  }
}

const scalableGroup = clusterRule(
  {
    id: 'ray/autoscaled-group-states-cpus',
    row: 'RA6',
    tier: 'advice',
    severity: 'warning',
    summary: 'With the autoscaler, each worker group should state its CPUs: a limit or a request of cpu, or num-cpus.',
    why: 'The autoscaler reads the resources of a new worker from these. Without them it counts zero CPUs and never adds a worker for tasks that need CPUs.',
    source: `${KUBERAY}; Ray, python/ray/autoscaler/_private/kuberay/autoscaling_config.py`,
    fix: 'Set resources.limits.cpu in the Ray container, or rayStartParams["num-cpus"], to the number of CPUs of a worker.',
    concerns: ['enableInTreeAutoscaling'],
  },
  function* ({ autoscaling, workers }) {
    for (const { name, startParams, container, containerPath } of autoscaling ? workers : []) {
      const { limits, requests } = asObject(container.resources);
      const states = [asObject(limits).cpu, asObject(requests).cpu].some(
        (cpu) => (typeof cpu === 'string' || typeof cpu === 'number') && parseQuantity(cpu) !== undefined,
      );
      if (!states && startParams['num-cpus'] === undefined) {
        yield {
          path: `${containerPath}/resources`,
          message: `${name === '' ? 'the worker group' : `the worker group "${name}"`} sets no limits.cpu, so the autoscaler adds no workers for tasks that require CPUs`,
          expected: 'limits.cpu',
        };
      }
    }
  },
);

export const startValueRules: readonly Rule[] = [runtimeEnvironment, customResources, scalableGroup];
