/**
 * The scheduler's configuration, a text in a ConfigMap that nothing on a server checks.
 */
import { cite } from '../../../facts/upstream';
import { type Manifest } from '../../../manifests/manifest';
import { pointer } from '../../../manifests/pointer';
import { asObject, asString } from '../../../manifests/read';
import { type ObjectRule, type RuleContext, type RuleFacts, type Violation } from '../../../checks/rule';
import {
  type ConfigProblemKind,
  pluginsOf,
  readSchedulerConfig,
  type SchedulerConfigReading,
} from '../scheduler-config-text';
import { SCHEDULER_ACTIONS, SCHEDULER_CONF_KEY, SCHEDULER_PLUGINS, schedulerConfigMapName } from '../scheduler-facts';

const CONF = `${cite('volcano')}, pkg/scheduler/util.go UnmarshalSchedulerConf, pkg/scheduler/conf/scheduler_conf.go`;
export const CONFIG_PATH = pointer('/data', SCHEDULER_CONF_KEY);

const readings = new WeakMap<Manifest, SchedulerConfigReading | null>();

/** The scheduler configuration that a ConfigMap holds; `undefined` where it holds none. */
export function schedulerConfigOf(manifest: Manifest): SchedulerConfigReading | undefined {
  let reading = readings.get(manifest);
  if (reading === undefined) {
    const text = asString(asObject(manifest.object.data)[SCHEDULER_CONF_KEY]);
    reading = text === undefined ? null : readSchedulerConfig(text);
    readings.set(manifest, reading);
  }
  return reading ?? undefined;
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
      const config = schedulerConfigOf(manifest);
      return config === undefined ? [] : check(config, manifest, context);
    },
  };
}

/** A rule that reports what the reader noted. */
function problemRule(facts: RuleFacts, ...kinds: readonly ConfigProblemKind[]): ObjectRule {
  return configRule(facts, function* ({ problems }) {
    for (const { kind, at, message, found, expected } of problems) {
      if (kinds.includes(kind)) {
        yield {
          path: CONFIG_PATH,
          message: at === '' || message.includes(at) ? message : `${at}: ${message}`,
          found,
          expected,
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
    summary: 'The scheduler configuration holds YAML, not command-line flags.',
    why: 'The scheduler cannot read the text and keeps the configuration that it has.',
    source: `${CONF}; cmd/scheduler/app/options/options.go`,
    fix: "Put flags on the scheduler's Deployment (in the chart: custom.scheduler_*), and actions and tiers here.",
  },
  'flags',
);

const shape = problemRule(
  {
    id: 'volcano/scheduler-config-readable',
    row: 'VS3',
    tier: 'webhook',
    severity: 'error',
    summary: 'The scheduler configuration is a mapping whose parts have the kinds that the scheduler decodes.',
    why: 'A value of the wrong kind refuses the whole: the scheduler logs it and keeps the configuration that it has.',
    source: CONF,
    fix: 'Write a text for actions, a list for tiers and plugins, true or false for switches.',
  },
  'shape',
);

const actionsKnown = problemRule(
  {
    id: 'volcano/scheduler-actions-known',
    row: 'VS1',
    tier: 'webhook',
    severity: 'error',
    summary: `The configuration names its actions, separated by commas, among ${SCHEDULER_ACTIONS.join(', ')}.`,
    why: 'One unknown or empty name, or no actions at all, refuses the whole: the scheduler keeps the configuration that it has.',
    source: CONF,
    fix: 'Write for example actions: "enqueue, allocate, backfill".',
  },
  'action',
);

const pluginsKnown = problemRule(
  {
    id: 'volcano/scheduler-plugin-known',
    row: 'VS2',
    tier: 'advice',
    severity: 'error',
    summary: `The plugins of the configuration are among ${Object.keys(SCHEDULER_PLUGINS).join(', ')}.`,
    why: 'An unknown plugin is logged and left out. Plugins of your own (--plugins-dir) want a suppression of this rule.',
    source: `${cite('volcano')}, pkg/scheduler/plugins/factory.go, pkg/scheduler/framework/framework.go OpenSession`,
    fix: 'Correct the name.',
  },
  'plugin',
);

const keysKnown = problemRule(
  {
    id: 'volcano/scheduler-config-key-known',
    row: 'VS3',
    tier: 'advice',
    severity: 'error',
    summary: 'Each key and argument of the configuration is one that the scheduler reads.',
    why: 'Any other is passed over without a word.',
    source: `${CONF}; pkg/scheduler/plugins`,
    fix: 'Correct the key, or take it out.',
  },
  'unknown-key',
);

const argumentsTyped = problemRule(
  {
    id: 'volcano/scheduler-argument-typed',
    row: 'VS3',
    tier: 'advice',
    severity: 'error',
    summary: 'Each argument has the type that its plugin reads.',
    why: 'A value of another type is logged and the default stays: `binpack.weight: "10"` is a text, not a number.',
    source: `${cite('volcano')}, pkg/scheduler/framework/arguments.go`,
    fix: 'Write the value in the type named.',
  },
  'argument',
);

const argumentsNotFatal = problemRule(
  {
    id: 'volcano/scheduler-argument-survivable',
    row: 'VS3',
    tier: 'webhook',
    severity: 'error',
    summary: 'Arguments that a plugin reads without a default have the right type.',
    why: 'On these the scheduler does not go on: its process ends, and again after each restart.',
    source: `${cite('volcano')}, pkg/scheduler/framework/arguments.go Get, and the plugins predicates, rescheduling, resource-strategy-fit, tdm, extender`,
    fix: 'Write the value in the type named.',
  },
  'fatal-argument',
);

const hierarchyAlone = configRule(
  {
    id: 'volcano/scheduler-proportion-without-hierarchical-drf',
    row: 'VS4',
    tier: 'webhook',
    severity: 'error',
    summary: 'A tier has not both proportion and drf with enableHierarchy.',
    why: 'The scheduler refuses the configuration: both would decide the shares of queues.',
    source: CONF,
    fix: 'Take proportion out, or enableHierarchy.',
  },
  function* ({ tiers }) {
    for (const [index, tier] of tiers.entries()) {
      const drf = tier.find(({ name, switches }) => name === 'drf' && switches.get('enableHierarchy') === true);
      if (drf !== undefined && tier.some(({ name }) => name === 'proportion')) {
        yield {
          path: CONFIG_PATH,
          message: `tiers[${index}] has proportion and drf with enableHierarchy`,
          expected: 'one of the two',
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
    summary: 'The configuration has capacity or proportion, not both.',
    why: 'Both order queues and limit them, by different numbers (deserved, or weight): what comes out is neither.',
    source: `${cite('volcano')}, pkg/scheduler/plugins/{capacity,proportion}`,
    fix: 'Keep capacity for queue trees and deserved amounts, proportion for weights.',
  },
  function* (config) {
    const names = new Set(pluginsOf(config).map(({ name }) => name));
    if (names.has('capacity') && names.has('proportion')) {
      yield { path: CONFIG_PATH, message: 'capacity and proportion are both loaded', expected: 'one of the two' };
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
      'deviceshare shares GPUs in one way: by memory (GPUSharingEnable), by number (GPUNumberEnable) or as vGPUs (VGPUEnable).',
    why: "With two of them the scheduler's process ends, and again after each restart.",
    source: `${cite('volcano')}, pkg/scheduler/plugins/deviceshare/deviceshare.go, enablePredicate`,
    fix: 'Keep one of them, and turn the others off.',
  },
  function* (config) {
    for (const { name, at, arguments: args } of pluginsOf(config)) {
      const modes = ['GPUSharingEnable', 'GPUNumberEnable', 'VGPUEnable'].filter((mode) =>
        isTrue(args[`deviceshare.${mode}`]),
      );
      if (name === 'deviceshare' && modes.length > 1) {
        yield {
          path: CONFIG_PATH,
          message: `${at} turns on ${modes.join(' and ')}`,
          found: modes,
          expected: 'one of them',
        };
      }
    }
  },
);

function isTrue(value: unknown): boolean {
  return value === true || (typeof value === 'string' && ['1', 't', 'T', 'TRUE', 'true', 'True'].includes(value));
}

const mapNamed: ObjectRule = configRule(
  {
    id: 'volcano/scheduler-config-map-read',
    row: 'VS7',
    tier: 'advice',
    severity: 'warning',
    summary: 'The ConfigMap is the one that the chart mounts, `<release>-scheduler-configmap`.',
    why: 'The scheduler reads the file of that ConfigMap; another one is applied and never read.',
    source: `${cite('volcano')}, installer/helm/chart/volcano/templates/scheduler.yaml`,
    fix: `For the release "volcano" name it ${schedulerConfigMapName('volcano')}.`,
  },
  function* (_config, { id }) {
    if (/.-scheduler-configmap$/.test(id.name)) {
      return;
    }
    yield {
      path: '/metadata/name',
      message: `no Volcano chart mounts a ConfigMap "${id.name}"`,
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
    summary: 'The ConfigMap names the namespace of Volcano.',
    why: 'Without one it lands wherever the command that applies it happens to point, and the scheduler does not see it.',
    source: `${cite('volcano')}, installer/helm/chart/volcano/templates/scheduler.yaml`,
    fix: 'Set metadata.namespace, volcano-system by convention.',
  },
  function* (_config, { id }) {
    if (id.namespace === '') {
      yield {
        path: '/metadata',
        message: 'the ConfigMap names no namespace',
        expected: 'the namespace of the release, for example volcano-system',
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
