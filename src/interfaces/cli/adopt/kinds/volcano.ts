/**
 * Jobs, queues, groups, and flows of Volcano.
 */
import { parseGoFlags } from '../../../../constructs/volcano/go-flags';
import { isJobPlugin, JOB_PLUGIN_FLAGS } from '../../../../constructs/volcano/job-plugins';
import { isPolicyAction, isPolicyEvent } from '../../../../constructs/volcano/job-policies';
import { parseGoDuration } from '../../../../manifests/values/go-duration';
import { amounts } from '../container-resources';
import {
  Call,
  duration,
  type Expression,
  type Fields,
  isFields,
  namedReference,
  nonEmpty,
  referenceTo,
  textOf,
} from '../expression';
import { podProps } from '../pods';
import {
  all,
  at,
  fieldsOf,
  flag,
  type Inverse,
  listOf,
  oneOf,
  present,
  priorityOf,
  type MethodCall,
  whole,
  workload,
} from '../proposal';

/** The class of a job is a field of the job, not of its pods. */
function jobProps(spec: Expression): Fields | undefined {
  const tasks = all(at(spec, 'tasks'), taskOf);
  const volumes = all(at(spec, 'volumes'), volumeOf);
  const name = at(spec, 'priorityClassName');
  if (tasks === undefined) {
    return undefined;
  }
  return {
    minAvailable: minAvailableOf(spec),
    plugins: nonEmpty(
      Object.entries(fieldsOf(at(spec, 'plugins'))).flatMap(([plugin, args]) => pluginOf(plugin, args)),
    ),
    policies: policiesOf(at(spec, 'policies')),
    maxRetry: at(spec, 'maxRetry') === 3 ? undefined : whole(at(spec, 'maxRetry')),
    minSuccess: whole(at(spec, 'minSuccess')),
    ttlAfterFinished: duration(at(spec, 'ttlSecondsAfterFinished')),
    networkTopology: topologyOf(at(spec, 'networkTopology')),
    volumes: nonEmpty(volumes ?? []),
    tasks,
    ...(name === undefined ? {} : priorityOf([], name)),
  };
}

function minAvailableOf(spec: Expression): number | undefined {
  const stated = whole(at(spec, 'minAvailable'));
  const sum = listOf(at(spec, 'tasks')).reduce<number>(
    (total, task) => total + (whole(at(task, 'minAvailable')) ?? whole(at(task, 'replicas')) ?? 1),
    0,
  );
  return stated === sum ? undefined : stated;
}

function taskOf(task: Expression): Fields | undefined {
  const name = at(task, 'name');
  const template = at(task, 'template');
  if (typeof name !== 'string' || !isFields(template)) {
    return undefined;
  }
  const pods = podProps(template, { container: name, restartPolicy: true });
  const restartPolicy = oneOf(pods?.restartPolicy ?? 'Always', 'Always', 'Never');
  const partitions = at(task, 'partitionPolicy');
  const replicas = whole(at(task, 'replicas'));
  const priority = pods?.priorityClassName;
  const props =
    pods === undefined || priority === undefined
      ? pods?.props
      : { ...pods.props, podOverrides: withPodField(pods.props.podOverrides, 'priorityClassName', priority) };
  return {
    name,
    replicas: replicas === 1 || (partitions !== undefined && replicas === undefined) ? undefined : replicas,
    minAvailable: whole(at(task, 'minAvailable')),
    maxRetry: whole(at(task, 'maxRetry')),
    policies: policiesOf(at(task, 'policies')),
    dependsOn: at(task, 'dependsOn', 'name'),
    dependsOnIteration: oneOf(at(task, 'dependsOn', 'iteration'), 'all', 'any'),
    topologyPolicy: oneOf(at(task, 'topologyPolicy'), 'none', 'best-effort', 'restricted', 'single-numa-node'),
    partitions:
      partitions === undefined
        ? undefined
        : {
            count: whole(at(partitions, 'totalPartitions')),
            size: whole(at(partitions, 'partitionSize')),
            minimum: whole(at(partitions, 'minPartitions')),
            networkTopology: topologyOf(at(partitions, 'networkTopology')),
          },
    restartPolicy: pods === undefined ? undefined : restartPolicy,
    template: props === undefined ? template : new Call('PodTemplate', [props], true),
  };
}

function withPodField(overrides: Expression, name: string, value: Expression): Fields {
  return { ...fieldsOf(overrides), pod: { ...fieldsOf(at(overrides, 'pod')), [name]: value } };
}

function policiesOf(list: Expression): readonly Expression[] | undefined {
  const policies = all(list, (policy) => {
    const action = textOf(at(policy, 'action'));
    if (action === undefined || !isPolicyAction(action)) {
      return undefined;
    }
    const text = textOf(at(policy, 'timeout'));
    const timeout = text === undefined ? undefined : duration(parseGoDuration(text));
    const options = timeout === undefined ? undefined : { timeout };
    const { event, events, exitCode } = fieldsOf(policy);
    if (typeof event === 'string' && isPolicyEvent(event)) {
      return event !== 'PodPending'
        ? new Call('volcano.Policy.onEvent', [event, action, options])
        : timeout && new Call('volcano.Policy.onPodPending', [timeout, action]);
    }
    if (Array.isArray(events)) {
      const known = (events as readonly Expression[]).every(
        (one) => typeof one === 'string' && isPolicyEvent(one) && one !== 'PodPending',
      );
      return known ? new Call('volcano.Policy.onEvents', [events, action, options]) : undefined;
    }
    return typeof exitCode === 'number' && exitCode !== 0
      ? new Call('volcano.Policy.onExitCode', [exitCode, action, options])
      : undefined;
  });
  return nonEmpty(policies ?? []);
}

const OPTION_NAMES: Readonly<Record<string, string>> = {
  'publish-not-ready-addresses': 'publishNotReadyAddresses',
  'disable-network-policy': 'disableNetworkPolicy',
  'ssh-key-file-path': 'keyFilePath',
  'ssh-private-key': 'privateKey',
  'ssh-public-key': 'publicKey',
  'ssh-port': 'port',
};

/** A plugin with arguments that no option says has them in the overrides. */
function pluginOf(name: string, args: Expression): readonly Call[] {
  if (!isJobPlugin(name)) {
    return [];
  }
  const words = listOf(args).filter((word): word is string => typeof word === 'string');
  const flags = parseGoFlags(words, JOB_PLUGIN_FLAGS[name]).values;
  const options: Record<string, Expression> = {};
  for (const [flagName, value] of flags) {
    if (flagName.startsWith('wait-master-')) {
      continue;
    }
    options[OPTION_NAMES[flagName] ?? flagName] = value;
  }
  return [new Call(`volcano.JobPlugin.${name}`, [present({ ...options, ...waitOf(flags) })])];
}

function waitOf(flags: ReadonlyMap<string, string | number | boolean>): Fields {
  if (flags.get('wait-master-enabled') !== true) {
    return {};
  }
  const timeout = duration(flags.get('wait-master-timeout'));
  const image = flags.get('wait-master-image');
  const options = present({ timeout, image: typeof image === 'string' ? image : undefined });
  return { waitForMaster: options ?? true };
}

function volumeOf(volume: Expression): Call | undefined {
  const { mountPath, volumeClaimName, volumeClaim, ...others } = fieldsOf(volume);
  if (Object.keys(others).length > 0 || typeof mountPath !== 'string') {
    return undefined;
  }
  return volumeClaimName !== undefined && volumeClaim === undefined
    ? new Call('volcano.JobVolume.existing', [mountPath, namedReference(volumeClaimName)])
    : volumeClaim === undefined || volumeClaimName !== undefined
      ? undefined
      : new Call('volcano.JobVolume.claim', [mountPath, volumeClaim]);
}

function topologyOf(topology: Expression): Fields | undefined {
  if (!isFields(topology)) {
    return undefined;
  }
  const mode = oneOf(topology.mode, 'soft');
  return { mode, highestTier: whole(topology.highestTierAllowed) ?? textOf(topology.highestTierName) };
}

const job: Inverse = (object) => {
  const props = jobProps(object.spec);
  return props && workload('volcano.Job', props);
};

const jobTemplate: Inverse = (object) => {
  const props = jobProps(object.spec);
  return props && workload('volcano.JobTemplate', props);
};

const cronJob: Inverse = (object) => {
  const { spec } = object;
  const props = jobProps(at(spec, 'jobTemplate', 'spec'));
  if (props === undefined) {
    return undefined;
  }
  const { priorityClass, ...ofJob } = props;
  return workload('volcano.CronJob', {
    schedule: at(spec, 'schedule'),
    timeZone: at(spec, 'timeZone'),
    concurrencyPolicy: oneOf(at(spec, 'concurrencyPolicy') ?? 'Allow', 'Allow', 'Replace'),
    startingDeadline: duration(at(spec, 'startingDeadlineSeconds')),
    suspend: flag(at(spec, 'suspend')),
    successfulJobsHistoryLimit: whole(at(spec, 'successfulJobsHistoryLimit')),
    failedJobsHistoryLimit: whole(at(spec, 'failedJobsHistoryLimit')),
    job: ofJob,
    priorityClass,
  });
};

const queue: Inverse = (object) => {
  const { spec } = object;
  const affinity = (name: string): Fields | undefined =>
    present({
      required: at(spec, 'affinity', name, 'requiredDuringSchedulingIgnoredDuringExecution'),
      preferred: at(spec, 'affinity', name, 'preferredDuringSchedulingIgnoredDuringExecution'),
    });
  const weight = whole(at(spec, 'weight'));
  return {
    className: 'volcano.Queue',
    overrides: 'spec',
    props: {
      parent: referenceTo(at(spec, 'parent'), 'volcano.Queue'),
      weight: weight === 1 ? undefined : weight,
      reclaimable: at(spec, 'reclaimable') === false ? false : undefined,
      priority: at(spec, 'priority'),
      capability: amounts(at(spec, 'capability')),
      deserved: amounts(at(spec, 'deserved')),
      guarantee: amounts(at(spec, 'guarantee', 'resource')),
      dequeueStrategy: oneOf(at(spec, 'dequeueStrategy'), 'fifo', 'traverse'),
      type: at(spec, 'type'),
      nodeGroupAffinity: affinity('nodeGroupAffinity'),
      nodeGroupAntiAffinity: affinity('nodeGroupAntiAffinity'),
    },
  };
};

const podGroup: Inverse = (object) => {
  const { spec } = object;
  const members = at(spec, 'minTaskMember');
  const minMember = whole(at(spec, 'minMember'));
  const sum = Object.values(fieldsOf(members)).reduce<number>((total, count) => total + (whole(count) ?? 0), 0);
  const groups = all(at(spec, 'subGroupPolicy'), (group) => ({
    name: at(group, 'name'),
    size: whole(at(group, 'subGroupSize')),
    minimum: whole(at(group, 'minSubGroups')),
    selector: at(group, 'labelSelector'),
    matchLabelKeys: at(group, 'matchLabelKeys'),
    networkTopology: topologyOf(at(group, 'networkTopology')),
  }));
  return {
    className: 'volcano.PodGroup',
    overrides: 'spec',
    props: {
      queue: referenceTo(at(spec, 'queue'), 'volcano.Queue'),
      minMember: members !== undefined && minMember === sum ? undefined : minMember,
      minTaskMember: members,
      minResources: amounts(at(spec, 'minResources')),
      priorityClass: referenceTo(at(spec, 'priorityClassName'), 'PriorityClass'),
      networkTopology: topologyOf(at(spec, 'networkTopology')),
      subGroups: nonEmpty(groups ?? []),
    },
  };
};

const jobFlow: Inverse = (object) => {
  const { spec } = object;
  const reference = (name: Expression): Expression => referenceTo(name, 'volcano.JobTemplate');
  const flows = all(at(spec, 'flows'), (flow): MethodCall | undefined => {
    const template = reference(at(flow, 'name'));
    const after = listOf(at(flow, 'dependsOn', 'targets')).map(reference);
    return template === undefined
      ? undefined
      : { method: 'addFlow', args: [template, ...(after.length === 0 ? [] : [{ after }])] };
  });
  return (
    flows && {
      className: 'volcano.JobFlow',
      overrides: 'spec',
      props: { jobRetainPolicy: oneOf(at(spec, 'jobRetainPolicy'), 'delete') },
      calls: flows,
    }
  );
};

const hyperNode: Inverse = (object) => {
  const { spec } = object;
  const members = all(at(spec, 'members'), (member) => {
    const selector = fieldsOf(at(member, 'selector'));
    const name = at(selector, 'exactMatch', 'name');
    const [kind = '', ...others] = Object.keys(selector);
    if (others.length > 0) {
      return undefined;
    }
    if (at(member, 'type') === 'HyperNode') {
      return name === undefined
        ? undefined
        : new Call('volcano.HyperNodeMember.hyperNode', [referenceTo(name, 'volcano.HyperNode')]);
    }
    switch (kind) {
      case 'exactMatch':
        return new Call('volcano.HyperNodeMember.node', [name]);
      case 'regexMatch':
        return new Call('volcano.HyperNodeMember.nodesMatching', [at(selector, 'regexMatch', 'pattern')]);
      case 'labelMatch':
        return new Call('volcano.HyperNodeMember.nodesSelected', [selector.labelMatch]);
      default:
        return undefined;
    }
  });
  return (
    members && {
      className: 'volcano.HyperNode',
      overrides: 'spec',
      props: { tier: at(spec, 'tier'), tierName: at(spec, 'tierName'), members },
    }
  );
};

export const VOLCANO: Readonly<Record<string, Inverse>> = {
  'batch.volcano.sh/v1alpha1/Job': job,
  'batch.volcano.sh/v1alpha1/CronJob': cronJob,
  'flow.volcano.sh/v1alpha1/JobTemplate': jobTemplate,
  'flow.volcano.sh/v1alpha1/JobFlow': jobFlow,
  'scheduling.volcano.sh/v1beta1/Queue': queue,
  'scheduling.volcano.sh/v1beta1/PodGroup': podGroup,
  'topology.volcano.sh/v1alpha1/HyperNode': hyperNode,
};
