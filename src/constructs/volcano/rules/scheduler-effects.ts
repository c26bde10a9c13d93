/**
 * The scheduler configuration against what the rest of the set expects of it: a queue's limits, a gang, a topology, a GPU that is
 * counted. All of it is accepted, and silently does nothing.
 */
import { cite } from '../../../facts/upstream';
import { type JsonObject } from '../../../facts/api/schema';
import { kindAndName, type Manifest } from '../../../manifests/manifest';
import { type ManifestSet } from '../../../manifests/manifest-set';
import { asObject, isObject, objectsAt } from '../../../manifests/read';
import { type ObjectRule } from '../../../checks/rules/rule';
import { JOB_SPEC_KINDS, jobOf } from '../job-spec';
import { QueueTree, type QueueNode } from '../queue-tree';
import { type PluginEntry, pluginsOf, type SchedulerConfigReading } from '../scheduler-config-text';
import { HYPER_NODE_KIND } from './hyper-node';
import { POD_GROUP_KIND } from './job-queue';
import { CONFIG_PATH, configRule } from './scheduler-config';

function plugin(config: SchedulerConfigReading, name: string): PluginEntry | undefined {
  return pluginsOf(config).find((entry) => entry.name === name);
}

/** A queue that says more than the defaults do. */
function isLimited({ capability, deserved, guarantee, parent, manifest }: QueueNode): boolean {
  const weight = asObject(manifest.object.spec).weight;
  return (
    capability.size + deserved.size + guarantee.size > 0 ||
    parent !== undefined ||
    (weight !== undefined && weight !== 1)
  );
}

function named(queues: readonly { readonly name: string }[]): string {
  return `${queues.length === 1 ? 'the queue' : 'the queues'} ${queues
    .slice(0, 3)
    .map(({ name }) => `"${name}"`)
    .join(', ')}${queues.length > 3 ? ` and ${queues.length - 3} more` : ''}`;
}

const queuesEnforced = configRule(
  {
    id: 'volcano/scheduler-enforces-queues',
    row: 'VQ9',
    tier: 'advice',
    severity: 'warning',
    summary: 'The configuration must have capacity or proportion.',
    why: 'Without either, queues limit nothing: weight, capability, deserved, and guarantee are accepted and have no effect.',
    source: `${cite('volcano')}, pkg/scheduler/plugins/{capacity,proportion}`,
    fix: 'Add `- name: capacity` (for deserved amounts and queue hierarchies) or `- name: proportion` (for weights) to tiers[].plugins.',
  },
  function* (config, _manifest, { set }) {
    if (config.refused || plugin(config, 'capacity') !== undefined || plugin(config, 'proportion') !== undefined) {
      return;
    }
    const limited = QueueTree.of(set).queues.filter(isLimited);
    yield {
      path: CONFIG_PATH,
      // Without queues that set limits, whether any are wanted is not known.
      severity: limited.length > 0 ? 'warning' : 'info',
      message:
        limited.length > 0
          ? `tiers contains neither capacity nor proportion, so the limits of ${named(limited)} have no effect`
          : 'tiers contains neither capacity nor proportion, so queue limits have no effect',
      expected: 'capacity or proportion',
    };
  },
);

const treeHonored = configRule(
  {
    id: 'volcano/scheduler-honors-queue-tree',
    row: 'VQ9',
    tier: 'advice',
    severity: 'error',
    summary: 'If queues have parents, the configuration must have capacity with enableHierarchy: true.',
    why: "Without it, and with proportion, each queue is treated as independent: a parent's limits do not apply to its children.",
    source: `${cite('volcano')}, pkg/scheduler/plugins/capacity/capacity.go OnSessionOpen, pkg/scheduler/framework/session.go HierarchyEnabled`,
    fix: 'Add `- name: capacity` with `enableHierarchy: true` to tiers[].plugins.',
  },
  function* (config, _manifest, { set }) {
    const children = QueueTree.of(set).queues.filter(({ parent }) => parent !== undefined);
    const capacity = plugin(config, 'capacity');
    if (config.refused || children.length === 0 || capacity?.switches.get('enableHierarchy') === true) {
      return;
    }
    if (capacity === undefined && plugin(config, 'proportion') === undefined) {
      return;
    }
    yield {
      path: CONFIG_PATH,
      message: `the ${children.length === 1 ? 'parent' : 'parents'} of ${named(children)} ${children.length === 1 ? 'has' : 'have'} no effect, because ${capacity === undefined ? 'the capacity plugin is not in tiers' : 'enableHierarchy is not true in the capacity plugin'}`,
      expected: 'capacity with enableHierarchy: true',
    };
  },
);

const fieldsOfPlugin = configRule(
  {
    id: 'volcano/scheduler-reads-queue-fields',
    row: 'VQ9',
    tier: 'advice',
    severity: 'warning',
    summary: 'Queues must set what the loaded plugin reads: deserved for capacity, weight for proportion.',
    why: 'proportion divides by weight and does not read deserved; capacity reads deserved and not weight. Both read capability and guarantee.',
    source: `${cite('volcano')}, pkg/scheduler/plugins/{capacity,proportion}`,
    fix: 'Set spec.deserved of the queues for capacity or spec.weight for proportion, or replace the plugin in tiers with the other one.',
  },
  function* (config, _manifest, { set }) {
    const capacity = plugin(config, 'capacity') !== undefined;
    const proportion = plugin(config, 'proportion') !== undefined;
    if (config.refused || capacity === proportion) {
      return;
    }
    const queues = QueueTree.of(set).queues;
    const weighted = queues.filter(
      ({ deserved, manifest }) => deserved.size === 0 && (asObject(manifest.object.spec).weight ?? 1) !== 1,
    );
    const deserving = queues.filter(({ deserved }) => deserved.size > 0);
    if (capacity && weighted.length > 0) {
      yield {
        path: CONFIG_PATH,
        message: `the weight of ${named(weighted)} has no effect: the capacity plugin does not read it`,
        expected: 'deserved amounts, or proportion',
        fix: 'Set spec.deserved in the queues, or replace capacity with proportion in tiers[].plugins.',
      };
    }
    if (proportion && deserving.length > 0) {
      yield {
        path: CONFIG_PATH,
        message: `the deserved amounts of ${named(deserving)} have no effect: the proportion plugin does not read them`,
        expected: 'weights, or capacity',
        fix: 'Set spec.weight in the queues, or replace proportion with capacity in tiers[].plugins.',
      };
    }
  },
);

const binpackCounts = configRule(
  {
    id: 'volcano/scheduler-binpack-counts-devices',
    row: 'VS8',
    tier: 'advice',
    severity: 'info',
    summary: 'binpack should list the extended resources to pack in binpack.resources.',
    why: 'Otherwise it packs by CPU and memory only: GPU pods spread over the nodes, and few nodes stay completely free.',
    source: `${cite('volcano')}, pkg/scheduler/plugins/binpack/binpack.go, calculateWeight`,
    fix: 'Add `binpack.resources: nvidia.com/gpu` and `binpack.resources.nvidia.com/gpu: 10` to the arguments of the plugin.',
  },
  function* (config) {
    const binpack = plugin(config, 'binpack');
    if (binpack === undefined) {
      return;
    }
    const listed = resourceList(binpack.arguments['binpack.resources']);
    if (listed.length === 0) {
      yield {
        path: CONFIG_PATH,
        message: `the binpack plugin at ${binpack.at} has no weights for GPUs or other devices`,
        expected: 'binpack.resources',
        fix: `Add \`binpack.resources: nvidia.com/gpu\` and \`binpack.resources.nvidia.com/gpu: 10\` to ${binpack.at}.arguments.`,
      };
    }
  },
);

const weightsListed = configRule(
  {
    id: 'volcano/scheduler-resource-weights-listed',
    row: 'VS8',
    tier: 'advice',
    severity: 'error',
    summary: "A resource with a weight must also be in the plugin's list of resources.",
    why: 'The plugin reads only the weights of listed resources.',
    source: `${cite('volcano')}, pkg/scheduler/plugins/{binpack,network-topology-aware}`,
    fix: 'Add the resource to the list of resources, for example binpack.resources, separated by commas.',
  },
  function* (config) {
    for (const { name, at, arguments: args } of pluginsOf(config)) {
      const key =
        name === 'binpack'
          ? 'binpack.resources'
          : name === 'network-topology-aware'
            ? 'hypernode.binpack.resources'
            : undefined;
      if (key === undefined) {
        continue;
      }
      const listed = resourceList(args[key]);
      for (const argument of Object.keys(args)) {
        const resource = argument.startsWith(`${key}.`) ? argument.slice(key.length + 1) : undefined;
        if (resource === undefined || listed.includes(resource)) {
          continue;
        }
        yield {
          path: CONFIG_PATH,
          message: `the weight of ${resource} in ${at} has no effect, because ${key} does not contain it`,
          found: argument,
          expected: `${key}: ${[...listed, resource].join(', ')}`,
          fix: `Set ${key} in ${at}.arguments to "${[...listed, resource].join(', ')}".`,
        };
      }
    }
  },
);

function resourceList(value: unknown): readonly string[] {
  return typeof value === 'string'
    ? value
        .split(',')
        .map((name) => name.trim())
        .filter((name) => name !== '')
    : [];
}

const takesBack = configRule(
  {
    id: 'volcano/scheduler-reclaims-resources',
    tier: 'advice',
    severity: 'info',
    summary: 'The actions should include preempt or reclaim, or their gang variants.',
    why: 'Without preempt, a higher priority only changes the order of waiting jobs; without reclaim, a queue never gets back what it has lent.',
    source: `${cite('volcano')}, pkg/scheduler/actions`,
    fix: 'Set actions: "enqueue, allocate, preempt, reclaim, backfill".',
  },
  function* ({ actions, refused }) {
    if (refused || actions.some((action) => ['preempt', 'reclaim', 'gangpreempt', 'gangreclaim'].includes(action))) {
      return;
    }
    yield {
      path: CONFIG_PATH,
      message:
        'actions contains neither preempt nor reclaim, so the scheduler never evicts running pods to make room for pending ones',
      found: [...actions],
      expected: 'preempt and reclaim',
    };
  },
);

const places = configRule(
  {
    id: 'volcano/scheduler-allocates',
    tier: 'advice',
    severity: 'error',
    summary: 'The actions must include allocate.',
    why: 'Without it no pod that requests resources is ever scheduled.',
    source: `${cite('volcano')}, pkg/scheduler/actions/allocate`,
    fix: 'Add allocate after enqueue in actions, for example actions: "enqueue, allocate, backfill".',
  },
  function* ({ actions, refused }) {
    if (!refused && !actions.includes('allocate')) {
      yield {
        path: CONFIG_PATH,
        message: 'actions must contain allocate: without it, the scheduler places no pods',
        found: [...actions],
        expected: 'allocate',
      };
    }
  },
);

const essential = configRule(
  {
    id: 'volcano/scheduler-has-gang-and-predicates',
    tier: 'advice',
    severity: 'warning',
    summary: 'The configuration must have gang and predicates.',
    why: 'Without gang, jobs start partially and hold GPUs while they wait for the rest; without predicates, taints, affinity, and node selectors have no effect.',
    source: `${cite('volcano')}, pkg/scheduler/plugins/{gang,predicates}`,
    fix: 'Add `- name: gang` and `- name: predicates` to tiers[].plugins.',
  },
  function* (config) {
    if (config.refused) {
      return;
    }
    const missing = ['gang', 'predicates'].filter((name) => plugin(config, name) === undefined);
    if (missing.length > 0) {
      yield {
        path: CONFIG_PATH,
        message: `tiers must contain the ${missing.join(' and ')} ${missing.length === 1 ? 'plugin' : 'plugins'}`,
        expected: missing.join(' and '),
        fix: `Add ${missing.map((name) => `\`- name: ${name}\``).join(' and ')} to tiers[].plugins.`,
      };
    }
  },
);

const pluginOnce = configRule(
  {
    id: 'volcano/scheduler-plugin-once',
    tier: 'advice',
    severity: 'warning',
    summary: 'Each plugin must be loaded only once.',
    why: 'A plugin that is loaded twice counts twice in scores, and only one of its two sets of arguments is used.',
    source: `${cite('volcano')}, pkg/scheduler/framework/framework.go, OpenSession`,
    fix: 'Keep one entry for the plugin in tiers[].plugins, and remove the others.',
  },
  function* (config) {
    const seen = new Map<string, string>();
    for (const { name, at } of pluginsOf(config)) {
      const other = seen.get(name);
      if (other !== undefined && name !== '') {
        yield {
          path: CONFIG_PATH,
          message: `duplicate plugin "${name}" at ${other} and ${at}`,
          found: name,
          fix: `Remove ${at} or ${other}.`,
        };
      } else {
        seen.set(name, at);
      }
    }
  },
);

const topologyHonored = configRule(
  {
    id: 'volcano/scheduler-honors-topology',
    tier: 'advice',
    severity: 'warning',
    summary: 'If HyperNodes or network topologies are used, the configuration must have network-topology-aware.',
    why: 'The plugin directs the search through the HyperNodes: without it the highest tier is not enforced.',
    source: `${cite('volcano')}, pkg/scheduler/framework/session_plugins.go HyperNodeGradientForJobFn, pkg/scheduler/plugins/network-topology-aware`,
    fix: 'Add `- name: network-topology-aware` to tiers[].plugins.',
  },
  function* (config, _manifest, { set }) {
    if (config.refused || plugin(config, 'network-topology-aware') !== undefined) {
      return;
    }
    const user = topologyUser(set);
    if (user !== undefined) {
      yield {
        path: CONFIG_PATH,
        message: `the ${kindAndName(user.id)} requires the network-topology-aware plugin, which is not in tiers`,
        expected: 'network-topology-aware',
      };
    }
  },
);

function topologyUser(set: ManifestSet): Manifest | undefined {
  const asks = (spec: JsonObject | undefined): boolean => isObject(spec?.networkTopology);
  return (
    set.ofKind(HYPER_NODE_KIND)[0] ??
    JOB_SPEC_KINDS.flatMap((kind) => set.ofKind(kind)).find((manifest) => {
      const job = jobOf(manifest);
      return asks(job?.spec) || job?.tasks.some(({ value }) => asks(asObject(value.partitionPolicy))) === true;
    }) ??
    set
      .ofKind(POD_GROUP_KIND)
      .find(
        ({ object }) =>
          asks(asObject(object.spec)) || objectsAt(object, '/spec/subGroupPolicy').some(({ value }) => asks(value)),
      )
  );
}

export const schedulerEffectRules: readonly ObjectRule[] = [
  queuesEnforced,
  treeHonored,
  fieldsOfPlugin,
  binpackCounts,
  weightsListed,
  takesBack,
  places,
  essential,
  pluginOnce,
  topologyHonored,
];
