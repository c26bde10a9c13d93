/**
 * Options of the kubelet's CPU manager and topology manager: the kubelet ends when it does not know one, or cannot read its value.
 */
import { type JsonObject, type JsonValue } from '../../../facts/api/schema';
import { type Rule, type Violation } from '../../../checks/rules/rule';
import { nearestName } from '../../../facts/spelling';
import { oneOf } from '../../../facts/words';
import { cite } from '../../../facts/upstream';
import { parseGoBool } from '../../../manifests/values/go-boolean';
import { pointer } from '../../../manifests/pointer';
import { asObject } from '../../../manifests/read';
import { text } from '../../../checks/server/values';
import { kubeletRule } from './kubelet-rule';

const CPU = 'cpuManagerPolicyOptions';
const TOPOLOGY = 'topologyManagerPolicyOptions';
const ALPHA_GATE = 'CPUManagerPolicyAlphaOptions';
const LEAST_NUMA_NODES = 8;

/** What options of these names are; those of stage alpha need a feature gate. */
const CPU_OPTIONS: ReadonlyMap<string, 'on' | 'alpha'> = new Map([
  ['full-pcpus-only', 'on'],
  ['distribute-cpus-across-numa', 'on'],
  ['strict-cpu-reservation', 'on'],
  ['prefer-align-cpus-by-uncorecache', 'on'],
  ['align-by-socket', 'alpha'],
  ['distribute-cpus-across-cores', 'alpha'],
]);
const TOPOLOGY_OPTIONS: ReadonlySet<string> = new Set(['prefer-closest-numa-nodes', 'max-allowable-numa-nodes']);

/** Options of the CPU manager that exclude each other. */
const EXCLUSIVE: readonly (readonly [string, string])[] = [
  ['full-pcpus-only', 'distribute-cpus-across-cores'],
  ['distribute-cpus-across-numa', 'distribute-cpus-across-cores'],
  ['prefer-align-cpus-by-uncorecache', 'distribute-cpus-across-cores'],
  ['prefer-align-cpus-by-uncorecache', 'distribute-cpus-across-numa'],
];

const POLICY_OPTIONS: Rule = kubeletRule(
  'kubelet-policy-options-valid',
  {
    summary:
      'The options of the CPU manager and the topology manager must be known, have a readable value, be enabled, and not exclude each other.',
    fix: 'Set cpuManagerPolicyOptions and topologyManagerPolicyOptions to options that the kubelet supports, with values such as "true".',
    source: `${cite('kubernetes')}, pkg/kubelet/cm/cpumanager/policy_options.go, pkg/kubelet/cm/cpumanager/policy_none.go, pkg/kubelet/cm/topologymanager/policy_options.go`,
  },
  function* (file, { partial }) {
    yield* cpuOptions(file, partial);
    yield* topologyOptions(asObject(file[TOPOLOGY]));
  },
);

function* cpuOptions(file: JsonObject, partial: boolean): Iterable<Violation> {
  const options = asObject(file[CPU]);
  const names = Object.keys(options);
  const policy = file.cpuManagerPolicy ?? (partial ? undefined : 'none');
  if (policy === 'none' && names.length > 0) {
    yield {
      path: pointer('', CPU),
      message: 'cpuManagerPolicyOptions requires cpuManagerPolicy: static',
      found: names,
      fix: `Set cpuManagerPolicy: static, or remove ${CPU}.`,
    };
    return;
  }
  const hasGate = asObject(file.featureGates)[ALPHA_GATE] === true;
  for (const name of names) {
    const path = pointer('', CPU, name);
    const stage = CPU_OPTIONS.get(name);
    if (stage === undefined) {
      yield unknownOption(path, name, [...CPU_OPTIONS.keys()]);
    } else if (stage === 'alpha' && !hasGate && !partial) {
      yield {
        path,
        message: `${name} requires the ${ALPHA_GATE} feature gate, which is disabled by default`,
        found: name,
        fix: `Remove ${name} from ${CPU}, or set ${ALPHA_GATE}: true in featureGates.`,
      };
    } else {
      yield* booleanProblem(path, name, options[name]);
    }
  }
  const isOn = (name: string): boolean => parseGoBool(text(options[name])) === true;
  for (const [one, other] of EXCLUSIVE) {
    if (isOn(one) && isOn(other)) {
      yield {
        path: pointer('', CPU, other),
        message: `${other} must not be set when ${one} is set`,
        found: options[other],
        fix: `Remove ${one} or ${other} from ${CPU}.`,
      };
    }
  }
  if (isOn('align-by-socket') && file.topologyManagerPolicy === 'single-numa-node') {
    yield {
      path: pointer('', CPU, 'align-by-socket'),
      message: 'align-by-socket must not be set when topologyManagerPolicy is single-numa-node',
      found: options['align-by-socket'],
      fix: `Remove align-by-socket from ${CPU}, or set topologyManagerPolicy to a value other than single-numa-node.`,
    };
  }
}

function* topologyOptions(options: JsonObject): Iterable<Violation> {
  for (const [name, value] of Object.entries(options)) {
    const path = pointer('', TOPOLOGY, name);
    if (!TOPOLOGY_OPTIONS.has(name)) {
      yield unknownOption(path, name, [...TOPOLOGY_OPTIONS]);
    } else if (name === 'prefer-closest-numa-nodes') {
      yield* booleanProblem(path, name, value);
    } else if (!/^\+?\d+$/.test(text(value)) || Number(value) < LEAST_NUMA_NODES) {
      yield {
        path,
        message: `${name} must be a string with a number greater than or equal to ${LEAST_NUMA_NODES}`,
        found: value,
        expected: `"${LEAST_NUMA_NODES}" or more`,
        fix: `Set ${name} in ${TOPOLOGY} to "${LEAST_NUMA_NODES}" or more.`,
      };
    }
  }
}

function unknownOption(path: string, name: string, known: readonly string[]): Violation {
  return {
    path,
    message: `unknown option "${name}"`,
    found: name,
    expected: nearestName(name, known) ?? oneOf(known),
    fix: `Rename "${name}" to a supported option, or remove it.`,
  };
}

/** The values of options are texts. */
function* booleanProblem(path: string, name: string, value: JsonValue | undefined): Iterable<Violation> {
  if (typeof value !== 'string' || parseGoBool(value) === undefined) {
    yield {
      path,
      message: `${name} must be the string "true" or "false"`,
      found: value,
      fix: `Set ${name}: "true" or ${name}: "false".`,
    };
  }
}

/** What happens without an option of the static policy. */
const HARM: Readonly<Record<string, string>> = {
  'full-pcpus-only': 'without full-pcpus-only, two pods can share a physical core',
  'strict-cpu-reservation': 'without strict-cpu-reservation, pods can run on the reserved CPUs',
};

export const kubeletPolicyOptionRules: readonly Rule[] = [
  POLICY_OPTIONS,
  kubeletRule(
    'static-policies-leave-whole-cores',
    {
      row: 'N4',
      tier: 'advice',
      severity: 'info',
      summary:
        'The static CPU manager should allocate whole cores (full-pcpus-only) and keep the reserved ones free (strict-cpu-reservation).',
      why: 'Without full-pcpus-only, two pods may share a core through its two threads; without strict-cpu-reservation, pods without whole CPUs also run on the reserved cores.',
      fix: 'Set cpuManagerPolicyOptions: { full-pcpus-only: "true", strict-cpu-reservation: "true" }.',
      source: 'kubernetes 1.36, CPU manager policy options; KEP-2625, KEP-4540',
    },
    function* (file, { partial }) {
      if (partial || file.cpuManagerPolicy !== 'static') {
        return;
      }
      const options = asObject(file.cpuManagerPolicyOptions);
      const missing = Object.keys(HARM).filter((option) => options[option] === undefined);
      if (missing.length > 0) {
        yield {
          path: '/cpuManagerPolicy',
          message: missing.map((option) => HARM[option]).join(', and '),
          found: 'static',
          expected: missing.map((option) => `${option}: "true"`).join(', '),
        };
      }
    },
  ),
];
