/**
 * The scheduler's configuration, a text in a ConfigMap that nothing on a server checks.
 */
import { cite } from '../../../facts/upstream';
import { allOf, oneOf } from '../../../facts/words';
import { parseGoBool } from '../../../manifests/values/go-boolean';
import { type Manifest } from '../../../manifests/manifest';
import { type ManifestSet } from '../../../manifests/manifest-set';
import { pointer } from '../../../manifests/pointer';
import { asObject, asString } from '../../../manifests/read';
import { type ObjectRule, type RuleContext, type RuleFacts, type Violation } from '../../../checks/rules/rule';
import {
  ARGUMENTS_OF,
  type ConfigProblem,
  type ConfigProblemKind,
  pluginsOf,
  readSchedulerConfig,
  type SchedulerConfigReading,
} from '../scheduler-config-text';
import { SCHEDULER_CONF_KEY } from '../../../facts/catalog/volcano-names';
import { SCHEDULER_ACTIONS, SCHEDULER_FLAGS, schedulerConfigMapName } from '../scheduler-facts';

const CONF = `${cite('volcano')}, pkg/scheduler/util.go UnmarshalSchedulerConf, pkg/scheduler/conf/scheduler_conf.go`;
export const CONFIG_PATH = pointer('/data', SCHEDULER_CONF_KEY);

const readings = new WeakMap<ManifestSet, Map<string, SchedulerConfigReading>>();

/** The scheduler configuration that a ConfigMap holds; `undefined` where it holds none. Equal texts of a set are read once. */
function schedulerConfigOf(manifest: Manifest, set: ManifestSet): SchedulerConfigReading | undefined {
  const text = asString(asObject(manifest.object.data)[SCHEDULER_CONF_KEY]);
  if (text === undefined) {
    return undefined;
  }
  let ofSet = readings.get(set);
  if (ofSet === undefined) {
    readings.set(set, (ofSet = new Map<string, SchedulerConfigReading>()));
  }
  let reading = ofSet.get(text);
  if (reading === undefined) {
    ofSet.set(text, (reading = readSchedulerConfig(text)));
  }
  return reading;
}

export function configRule(
  facts: RuleFacts,
  check: (config: SchedulerConfigReading, manifest: Manifest, context: RuleContext) => Iterable<Violation>,
): ObjectRule {
  return {
    ...facts,
    concerns: [SCHEDULER_CONF_KEY],
    on: 'object',
    kinds: ['ConfigMap'],
    check: (manifest, context) => {
      const config = schedulerConfigOf(manifest, context.set);
      return config === undefined ? [] : check(config, manifest, context);
    },
  };
}

/** What to write in the place of the problem; nothing where the fix of the rule says it. */
function fixOf(problem: ConfigProblem): string | undefined {
  const { kind, at, found, message, expected = '', fix } = problem;
  if (fix !== undefined) {
    return fix;
  }
  const isOneName = ONE_NAME.test(expected);
  switch (kind) {
    case 'shape':
    case 'argument':
    case 'fatal-argument':
      return isPlaced(problem) ? `Set ${at} to ${expected}.` : undefined;
    case 'unknown-key':
      return isPlaced(problem) ? keyFix(problem) : undefined;
    case 'action':
      return actionFix(message, isOneName ? expected : undefined);
    case 'plugin':
      return `Set ${at} to ${isOneName && found !== null ? expected : 'a Volcano plugin, such as gang'}.`;
    case 'custom-plugin':
      return `Set ${at} to a Volcano plugin, such as gang, or load the custom plugin with --plugins-dir.`;
    case 'flags':
      return flagsFix(Array.isArray(found) ? found.map(String) : []);
  }
}

/** An action that the scheduler does not have is replaced by the nearest, or removed. */
function actionFix(message: string, near: string | undefined): string | undefined {
  if (message.startsWith('actions must not contain an empty name')) {
    return 'Remove the extra comma from actions.';
  }
  const [, unknown] = /^unknown action ("[^"]+")$/.exec(message) ?? [];
  if (unknown === undefined) {
    return undefined;
  }
  return near === undefined
    ? `Remove ${unknown} from actions, or replace it with ${oneOf(SCHEDULER_ACTIONS)}.`
    : `Replace ${unknown} with "${near}" in actions.`;
}

/** Flags that the scheduler does not have cannot be moved. */
function flagsFix(flags: readonly string[]): string {
  const known = flags.filter((flag) => (SCHEDULER_FLAGS as readonly string[]).includes(flag));
  const unknown = flags.filter((flag) => !known.includes(flag));
  const listed = (names: readonly string[]): string => allOf(names.map((name) => `--${name}`));
  const steps = [
    ...(known.length === 0 ? [] : [`move ${listed(known)} to args in the scheduler's Deployment`]),
    ...(unknown.length === 0 ? [] : [`remove ${listed(unknown)}`]),
    'set the value to YAML with actions, tiers, and configurations',
  ];
  const text = steps.length === 2 ? steps.join(', and ') : allOf(steps);
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}

const ONE_NAME = /^[\w.-]+$/;

/** Whether the problem is at a field, with something to write there. */
const isPlaced = ({ at, expected = '' }: ConfigProblem): boolean =>
  at !== '' && expected !== '' && !at.startsWith('line ');

/** Whether a message names its place: `unknown key "args" in tiers[1]` is at `tiers[1].args`. */
const isSelfPlaced = (at: string, message: string): boolean =>
  at === '' || message.includes(at) || message.startsWith('unknown ');

function keyFix({ at, message, expected = '' }: ConfigProblem): string {
  if (message.startsWith('unknown action') || message.endsWith(' must be set')) {
    return `Set ${at} to ${expected}.`;
  }
  const key = /^[\w.[\]/+-]+$/.test(at) || at.endsWith('"]') ? at : JSON.stringify(at);
  if (expected.startsWith(ARGUMENTS_OF)) {
    return `Move ${key} to ${expected}.`;
  }
  if (expected.includes(` in ${ARGUMENTS_OF}`)) {
    return `Replace ${key} with ${expected}.`;
  }
  return ONE_NAME.test(expected) ? `Rename the key ${key} to ${expected}.` : `Remove ${key}.`;
}

/** A rule that reports what the reader noted. */
function problemRule(facts: RuleFacts, ...kinds: readonly ConfigProblemKind[]): ObjectRule {
  return configRule(facts, function* ({ problems }) {
    for (const problem of problems) {
      const { kind, at, message, found, expected } = problem;
      if (kinds.includes(kind)) {
        yield {
          path: CONFIG_PATH,
          message: isSelfPlaced(at, message) ? message : `${at}: ${message}`,
          found,
          expected,
          ...(kind === 'custom-plugin' ? { severity: 'info' } : {}),
          fix: fixOf(problem),
        };
      }
    }
  });
}

const noFlags = problemRule(
  {
    id: 'volcano/scheduler-config-holds-no-flags',
    row: 'VS1',
    tier: 'webhook',
    severity: 'error',
    summary: 'The scheduler configuration must be YAML, not command-line flags.',
    why: 'The scheduler cannot read the file and keeps its current configuration.',
    source: `${CONF}; cmd/scheduler/app/options/options.go`,
    fix: "Move the flags to args in the scheduler's Deployment, and set the value to YAML with actions, tiers, and configurations.",
  },
  'flags',
);

const shape = problemRule(
  {
    id: 'volcano/scheduler-config-readable',
    row: 'VS3',
    tier: 'webhook',
    severity: 'error',
    summary: 'The scheduler configuration must be a mapping with values of the types that the scheduler decodes.',
    why: 'A value of the wrong type makes the whole file invalid: the scheduler logs it and keeps its current configuration.',
    source: CONF,
    fix: 'Set actions to a string, tiers and plugins to lists, and keys such as enableHierarchy to true or false.',
  },
  'shape',
);

const actionsKnown = problemRule(
  {
    id: 'volcano/scheduler-actions-known',
    row: 'VS1',
    tier: 'webhook',
    severity: 'error',
    summary: `The actions of the configuration must be set, separated by commas, and among ${SCHEDULER_ACTIONS.join(', ')}.`,
    why: 'One unknown or empty name, or no actions at all, makes the whole file invalid: the scheduler keeps its current configuration.',
    source: CONF,
    fix: 'Set actions to a comma-separated list, such as "enqueue, allocate, backfill".',
  },
  'action',
);

const pluginsKnown = problemRule(
  {
    id: 'volcano/scheduler-plugin-known',
    row: 'VS2',
    tier: 'advice',
    severity: 'warning',
    summary: 'The plugins of the configuration should be plugins that Volcano has, or custom plugins that it loads.',
    why: 'Volcano logs a plugin that it does not have and ignores it. A custom plugin has an effect only if --plugins-dir loads it.',
    source: `${cite('volcano')}, pkg/scheduler/plugins/factory.go, pkg/scheduler/framework/framework.go OpenSession`,
    fix: 'Set tiers[].plugins[].name to a Volcano plugin, or load the custom plugin with --plugins-dir.',
  },
  'plugin',
  'custom-plugin',
);

const keysKnown = problemRule(
  {
    id: 'volcano/scheduler-config-key-known',
    row: 'VS3',
    tier: 'advice',
    severity: 'warning',
    summary: 'Each key and argument of the configuration should be one that the scheduler or a custom plugin reads.',
    why: 'The scheduler ignores any other key silently.',
    source: `${CONF}; pkg/scheduler/plugins`,
    fix: 'Rename the key in volcano-scheduler.conf to one that the scheduler reads, or remove it.',
  },
  'unknown-key',
);

const argumentsTyped = problemRule(
  {
    id: 'volcano/scheduler-argument-typed',
    row: 'VS3',
    tier: 'advice',
    severity: 'error',
    summary: 'Each argument must have the type that its plugin reads.',
    why: 'Volcano logs a value of another type and uses the default: `binpack.weight: "10"` is a string, not a number.',
    source: `${cite('volcano')}, pkg/scheduler/framework/arguments.go`,
    fix: 'Set the value in tiers[].plugins[].arguments to one of the expected type.',
  },
  'argument',
);

const argumentsNotFatal = problemRule(
  {
    id: 'volcano/scheduler-argument-survivable',
    row: 'VS3',
    tier: 'webhook',
    severity: 'error',
    summary: 'Arguments that a plugin reads without a default must have the right type.',
    why: 'The scheduler exits on such a value, and exits again after each restart.',
    source: `${cite('volcano')}, pkg/scheduler/framework/arguments.go Get, and the plugins predicates, rescheduling, resource-strategy-fit, tdm, extender`,
    fix: 'Set the value in tiers[].plugins[].arguments to one of the expected type.',
  },
  'fatal-argument',
);

const hierarchyAlone = configRule(
  {
    id: 'volcano/scheduler-proportion-without-hierarchical-drf',
    row: 'VS4',
    tier: 'webhook',
    severity: 'error',
    summary: 'A tier must not have both proportion and drf with enableHierarchy.',
    why: 'The scheduler rejects the configuration, because both plugins would decide the shares of queues.',
    source: CONF,
    fix: 'Remove the proportion plugin from the tier, or set enableHierarchy: false in drf.',
  },
  function* ({ tiers }) {
    for (const [index, tier] of tiers.entries()) {
      const drf = tier.find(({ name, switches }) => name === 'drf' && switches.get('enableHierarchy') === true);
      if (drf !== undefined && tier.some(({ name }) => name === 'proportion')) {
        yield {
          path: CONFIG_PATH,
          message: `tiers[${index}] must not contain both proportion and drf with enableHierarchy: true`,
          expected: 'proportion or drf, not both',
        };
      }
    }
  },
);

const oneQueuePlugin = configRule(
  {
    id: 'volcano/scheduler-one-queue-plugin',
    row: 'VS5',
    tier: 'advice',
    severity: 'warning',
    summary: 'The configuration must not have both capacity and proportion.',
    why: 'Both plugins order and limit queues, by different numbers (deserved or weight), and the result follows neither.',
    source: `${cite('volcano')}, pkg/scheduler/plugins/{capacity,proportion}`,
    fix: 'Remove proportion from tiers[].plugins for queue hierarchies and deserved amounts, or capacity for weights.',
  },
  function* (config) {
    const names = new Set(pluginsOf(config).map(({ name }) => name));
    if (names.has('capacity') && names.has('proportion')) {
      yield {
        path: CONFIG_PATH,
        message: 'capacity and proportion must not both be loaded',
        expected: 'capacity or proportion',
      };
    }
  },
);

const oneDeviceMode = configRule(
  {
    id: 'volcano/scheduler-one-device-mode',
    row: 'VS6',
    tier: 'webhook',
    severity: 'error',
    summary:
      'deviceshare must share GPUs in one way: by memory (GPUSharingEnable), by number (GPUNumberEnable), or as vGPUs (VGPUEnable).',
    why: 'With two of them the scheduler exits, and exits again after each restart.',
    source: `${cite('volcano')}, pkg/scheduler/plugins/deviceshare/deviceshare.go, enablePredicate`,
    fix: 'Set only one of deviceshare.GPUSharingEnable, deviceshare.GPUNumberEnable, and deviceshare.VGPUEnable to true.',
  },
  function* (config) {
    for (const { name, at, arguments: args } of pluginsOf(config)) {
      const modes = ['GPUSharingEnable', 'GPUNumberEnable', 'VGPUEnable'].filter((mode) =>
        isTrue(args[`deviceshare.${mode}`]),
      );
      if (name === 'deviceshare' && modes.length > 1) {
        yield {
          path: CONFIG_PATH,
          message: `${at} must not set more than one of these arguments to true: ${modes.map((mode) => `deviceshare.${mode}`).join(', ')}`,
          found: modes,
          expected: 'at most one of them',
        };
      }
    }
  },
);

function isTrue(value: unknown): boolean {
  return value === true || (typeof value === 'string' && parseGoBool(value) === true);
}

const mapNamed: ObjectRule = configRule(
  {
    id: 'volcano/scheduler-config-map-read',
    row: 'VS7',
    tier: 'advice',
    severity: 'warning',
    summary: 'The ConfigMap must be the one that the chart mounts, `<release>-scheduler-configmap`.',
    why: 'The scheduler reads only the file in that ConfigMap; another ConfigMap has no effect.',
    source: `${cite('volcano')}, installer/helm/chart/volcano/templates/scheduler.yaml`,
    fix: `Set metadata.name to ${schedulerConfigMapName('volcano')}, where volcano is the name of the Helm release.`,
  },
  function* (_config, { id }) {
    if (/.-scheduler-configmap$/.test(id.name)) {
      return;
    }
    yield {
      path: '/metadata/name',
      message: `the Volcano scheduler does not read the ConfigMap "${id.name}", because the chart mounts ${schedulerConfigMapName('<release>')}`,
      found: id.name,
      expected: schedulerConfigMapName('<release>'),
    };
  },
);

const mapInNamespace = configRule(
  {
    id: 'volcano/scheduler-config-map-namespaced',
    row: 'VS7',
    tier: 'advice',
    severity: 'warning',
    summary: 'The ConfigMap must set the namespace of Volcano.',
    why: 'Without it the ConfigMap goes to the namespace of the current context, and the scheduler does not see it.',
    source: `${cite('volcano')}, installer/helm/chart/volcano/templates/scheduler.yaml`,
    fix: 'Set metadata.namespace to the namespace of the Volcano scheduler, usually volcano-system.',
  },
  function* (_config, { id }) {
    if (id.namespace === '') {
      yield {
        path: '/metadata',
        message: 'metadata.namespace must be set: the scheduler reads the ConfigMap only from its own namespace',
        expected: 'the namespace of the Volcano scheduler, for example volcano-system',
      };
    }
  },
);

export const schedulerConfigRules: readonly ObjectRule[] = [
  noFlags,
  shape,
  actionsKnown,
  pluginsKnown,
  keysKnown,
  argumentsTyped,
  argumentsNotFatal,
  hierarchyAlone,
  oneQueuePlugin,
  oneDeviceMode,
  mapNamed,
  mapInNamespace,
];
