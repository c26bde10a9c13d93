/**
 * KT12: the torchrun command line against what the operator already says in `PET_*`, the replicas and the devices.
 *
 * torchrun reads an option from the command line first and from `PET_<OPTION>` else, so what is repeated there by hand wins and
 * goes stale when a replica count changes.
 */
import { type Rule } from '../../../checks/rules/rule';
import { asArray, asObject, asString } from '../../../manifests/read';
import {
  launchCommandOf,
  type LaunchCommand,
  type LaunchOption,
  optionNamed,
  variablesIn,
  wordsOf,
} from '../../pods/launch-command';
import {
  operatorNnodes,
  podCount,
  rendezvousHost,
  rendezvousPort,
  type Role,
  roleNamed,
  type TrainingJob,
} from '../training-job';
import { devicesOf } from './devices';
import { jobRule, namedJobRule } from './job-rule';
import { allOf, counted } from '../../../facts/words';

const ENV_SOURCE = 'pkg/controller.v1/pytorch/envvar.go, master.go, elastic.go';

interface Launch {
  readonly role: Role;
  readonly command: LaunchCommand;
}

const launchesByJob = new WeakMap<TrainingJob, readonly Launch[]>();

function launchesOf(job: TrainingJob): readonly Launch[] {
  let launches = launchesByJob.get(job);
  if (launches === undefined) {
    launches = job.roles.flatMap((role) => {
      const command = role.main && launchCommandOf(role.main.value, role.main.path);
      return command === undefined ? [] : [{ role, command }];
    });
    launchesByJob.set(job, launches);
  }
  return launches;
}

const nnodesIsPodCount = jobRule(
  {
    id: 'torchrun-nnodes-is-pod-count',
    concerns: ['command', 'args'],
    row: 'KT12',
    tier: 'advice',
    severity: 'error',
    kinds: ['PyTorchJob'],
    summary: 'A literal --nnodes must equal the number of pods, or min:max of an elastic job.',
    why: 'With fewer nodes than pods the remaining pods are rejected or wait; with more, training never starts. A single number also disables elasticity.',
    source: ENV_SOURCE,
    fix: 'Remove --nnodes, because the operator sets PET_NNODES.',
  },
  function* (job) {
    const expected = operatorNnodes(job);
    for (const { role, command } of launchesOf(job)) {
      const option = optionNamed(command, 'nnodes');
      if (
        option?.value === undefined ||
        !/^\d+(:\d+)?$/.test(option.value) ||
        expected === undefined ||
        option.value === expected
      ) {
        continue;
      }
      const [low, high] = expected.split(':');
      if (low === high && option.value === low) {
        continue;
      }
      const pods = podCount(job);
      yield {
        path: option.path,
        message: `the role "${role.name}" sets ${option.text}, but the job has ${counted(pods, 'pod')}${job.elasticPolicy === undefined ? '' : ` and an elastic range of ${expected}`}`,
        found: option.text,
        expected: `PET_NNODES=${expected}, which the operator sets, and no --nnodes`,
        fix: `Remove ${option.text} from ${listOf(option)}, because the operator sets PET_NNODES.`,
      };
    }
  },
);

const nprocIsDeviceCount = jobRule(
  {
    id: 'torchrun-nproc-is-device-count',
    concerns: ['command', 'args'],
    row: 'KT12',
    tier: 'advice',
    severity: 'error',
    kinds: ['PyTorchJob'],
    summary: "A literal --nproc-per-node must equal the number of devices of the role's pod.",
    why: 'With more processes than devices, two processes share a device and fail; with fewer, devices stay idle.',
    source: ENV_SOURCE,
    fix: 'Remove --nproc-per-node and set spec.nprocPerNode to the number of devices of each pod.',
  },
  function* (job) {
    const stated = asString(job.spec.nprocPerNode);
    for (const { role, command } of launchesOf(job)) {
      const option = optionNamed(command, 'nproc_per_node');
      if (option?.value === undefined || !/^\d+$/.test(option.value)) {
        continue;
      }
      const processes = Number(option.value);
      const devices = role.main && devicesOf(role.main.value);
      if (devices !== undefined && devices !== processes) {
        yield {
          path: option.path,
          message: `the role "${role.name}" sets ${option.text}, but its pod has ${counted(devices, 'device')}`,
          found: option.text,
          expected: `nprocPerNode: "${devices}", and no ${flagOf(option)}`,
          fix: `Remove ${option.text} from ${listOf(option)}, and set spec.nprocPerNode to "${devices}".`,
          severity: processes > devices ? 'error' : 'warning',
        };
      } else if (stated !== undefined && /^\d+$/.test(stated) && Number(stated) !== processes) {
        yield {
          path: option.path,
          message: `the role "${role.name}" sets ${option.text}, but spec.nprocPerNode, which determines WORLD_SIZE, is "${stated}"`,
          found: option.text,
          expected: `PET_NPROC_PER_NODE=${stated}, which the operator sets, and no ${flagOf(option)}`,
          fix: `Remove ${option.text} from ${listOf(option)}, because the operator sets PET_NPROC_PER_NODE.`,
          severity: 'warning',
        };
      }
    }
  },
);

const nprocPerNodeIsDeviceCount = jobRule(
  {
    id: 'nproc-per-node-is-device-count',
    concerns: ['nprocPerNode'],
    row: 'KT12',
    tier: 'advice',
    severity: 'error',
    kinds: ['PyTorchJob'],
    summary: 'spec.nprocPerNode must equal the number of devices of each pod.',
    why: 'torchrun starts this number of processes in every pod: with more than the number of devices, two processes share a device and fail; with fewer, devices stay idle.',
    source: ENV_SOURCE,
    fix: 'Set spec.nprocPerNode to the number of devices of a pod, which must be the same in every role.',
  },
  function* (job) {
    const stated = asString(job.spec.nprocPerNode);
    if (stated === undefined || !/^[1-9]\d*$/.test(stated)) {
      return;
    }
    const processes = Number(stated);
    const others = job.roles.flatMap((role) => {
      const devices = role.main && devicesOf(role.main.value);
      // A literal on the command line wins; it has a rule of its own.
      const literal = launchesOf(job).some(
        (launch) => launch.role === role && optionNamed(launch.command, 'nproc_per_node') !== undefined,
      );
      return devices === undefined || devices === processes || literal ? [] : [{ name: role.name, devices }];
    });
    const [first] = others;
    if (first === undefined) {
      return;
    }
    yield {
      path: '/spec/nprocPerNode',
      message: `nprocPerNode is "${stated}", but ${others.map(({ name, devices }) => `a pod of the role "${name}" has ${counted(devices, 'device')}`).join(' and ')}`,
      found: stated,
      expected: `"${first.devices}"`,
      severity: others.some(({ devices }) => processes > devices) ? 'error' : 'warning',
    };
  },
);

const portIsOperators = jobRule(
  {
    id: 'torchrun-port-is-operators',
    concerns: ['command', 'args'],
    row: 'KT12',
    tier: 'advice',
    severity: 'warning',
    kinds: ['PyTorchJob'],
    summary: 'A literal --master-port or rendezvous port must be the port that the operator sets.',
    why: 'MASTER_PORT and the Service of the first pod use the port named pytorchjob-port, 23456 by default; pods that use this port and pods that use a literal one never connect.',
    source: `${ENV_SOURCE}; pkg/apis/kubeflow.org/v1/pytorch_types.go`,
    fix: 'Remove the port from command or args, or set the container port pytorchjob-port to the same port in every role.',
  },
  function* (job) {
    const port = rendezvousPort(job);
    const launches = launchesOf(job);
    const ports = new Set(
      launches.map(({ command }) => command.options.map(portIn).find((literal) => literal !== undefined) ?? port),
    );
    for (const { role, command } of launches) {
      for (const option of command.options) {
        const literal = portIn(option);
        if (literal === undefined || literal === port) {
          continue;
        }
        yield {
          path: option.path,
          message: `the role "${role.name}" sets ${option.text}, but the operator sets the port to ${port}${ports.size > 1 ? ', and another role uses that port' : ''}`,
          found: option.text,
          expected: `PET_MASTER_PORT=${port}, which the operator sets, and no ${flagOf(option)}`,
          fix: `Remove ${option.text} from ${listOf(option)}, or set the container port named pytorchjob-port to ${literal} in every role.`,
          // The Service is headless: another port is reached as well, if only all pods agree on it.
          severity: ports.size > 1 ? 'error' : 'warning',
        };
      }
    }
  },
);

/** The field of a container that contains a word: `command` or `args`. */
function listOf({ path }: { readonly path: string }): 'command' | 'args' {
  return /\/command(?:\/\d+)?$/.test(path) ? 'command' : 'args';
}

/** The flag of an option as the command spells it: `--master_addr`. */
function flagOf({ text }: LaunchOption): string {
  return text.split(/[= ]/, 1)[0] ?? text;
}

function portIn(option: LaunchOption): number | undefined {
  if (option.name === 'master_port') {
    return option.value !== undefined && /^\d+$/.test(option.value) ? Number(option.value) : undefined;
  }
  if (option.name !== 'rdzv_endpoint') {
    return undefined;
  }
  const match = /:(\d+)$/.exec(option.value ?? '');
  // Port 0 lets the c10d backend choose, which only a job of one pod can do.
  return match?.[1] === undefined || match[1] === '0' ? undefined : Number(match[1]);
}

const addressFromOperator = namedJobRule(
  {
    id: 'torchrun-address-from-operator',
    concerns: ['command', 'args'],
    row: 'KT12',
    tier: 'advice',
    severity: 'warning',
    kinds: ['PyTorchJob'],
    summary: '--master-addr and --rdzv-endpoint must be left to the operator.',
    why: 'The operator sets PET_MASTER_ADDR (static) or PET_RDZV_ENDPOINT (elastic); a literal address breaks when the job is renamed or made elastic.',
    source: ENV_SOURCE,
    fix: 'Remove --master-addr and --rdzv-endpoint from command and args, because the operator sets the address.',
  },
  function* (job) {
    const elastic = job.elasticPolicy !== undefined;
    const expected = rendezvousHost(job);
    for (const { role, command } of launchesOf(job)) {
      for (const name of ['master_addr', 'rdzv_endpoint']) {
        const option = optionNamed(command, name);
        if (option?.value === undefined || variablesIn(option.value).length > 0) {
          continue;
        }
        const host = option.value.replace(/:\d+$/, '');
        const right =
          (host === expected || host.split('.')[0] === expected) &&
          name === (elastic ? 'rdzv_endpoint' : 'master_addr');
        yield {
          path: option.path,
          message: right
            ? `the role "${role.name}" sets ${option.text}, which the operator already sets`
            : `the role "${role.name}" sets ${option.text}, but ${elastic ? 'the rendezvous endpoint of the elastic job is' : 'the address of the Master is'} ${expected}`,
          found: option.text,
          expected: elastic ? `PET_RDZV_ENDPOINT=${expected}:${rendezvousPort(job)}` : `PET_MASTER_ADDR=${expected}`,
          fix: `Remove ${option.text} from ${listOf(option)}, because the operator sets the address (${elastic ? 'PET_RDZV_ENDPOINT' : 'PET_MASTER_ADDR'}).`,
          severity: right ? 'info' : 'warning',
        };
      }
    }
  },
);

/** Which variables the operator puts into every container, given the roles. */
function operatorVariables(job: TrainingJob): ReadonlySet<string> {
  const names = ['PYTHONUNBUFFERED', 'PET_NPROC_PER_NODE', 'PET_NNODES'];
  if (roleNamed(job, 'Master') !== undefined) {
    names.push(
      'MASTER_ADDR',
      'MASTER_PORT',
      'PET_MASTER_ADDR',
      'PET_MASTER_PORT',
      'WORLD_SIZE',
      'RANK',
      'PET_NODE_RANK',
    );
  }
  if (job.elasticPolicy !== undefined) {
    names.push('PET_RDZV_ENDPOINT', 'PET_RDZV_BACKEND');
  }
  return new Set(names);
}

/** Names that people expect in a distributed job; others may come from the image. */
const EXPECTED_OF_OPERATOR = new Set([
  'NODE_RANK',
  'RANK',
  'WORLD_SIZE',
  'MASTER_ADDR',
  'MASTER_PORT',
  'LOCAL_RANK',
  'LOCAL_WORLD_SIZE',
  'NNODES',
  'NPROC_PER_NODE',
  'PET_NODE_RANK',
  'PET_MASTER_ADDR',
  'PET_MASTER_PORT',
  'PET_RDZV_ENDPOINT',
  'PET_RDZV_BACKEND',
]);

/** Variables of a distributed job that a word of a role's command refers to and nothing sets. */
function unsetVariables(job: TrainingJob, role: Role, text: string): readonly string[] {
  if (role.main === undefined || asArray(role.main.value.envFrom).length > 0) {
    return [];
  }
  const fromOperator = operatorVariables(job);
  const own = new Set(asArray(role.main.value.env).map((entry) => asString(asObject(entry).name)));
  return [...new Set(variablesIn(text))].filter(
    (name) =>
      EXPECTED_OF_OPERATOR.has(name) &&
      !fromOperator.has(name) &&
      !own.has(name) &&
      !new RegExp(`\\b${name}=`).test(text),
  );
}

const nodeRankFromOperator = jobRule(
  {
    id: 'torchrun-node-rank-from-operator',
    concerns: ['command', 'args'],
    row: 'KT12',
    tier: 'advice',
    severity: 'warning',
    kinds: ['PyTorchJob'],
    summary: '--node-rank must be left to the operator.',
    why: 'The operator sets PET_NODE_RANK in each pod of a static job; in an elastic one torchrun assigns ranks itself and ignores the option.',
    source: ENV_SOURCE,
    fix: 'Remove --node-rank from command and args, because torchrun reads PET_NODE_RANK.',
  },
  function* (job) {
    const isStatic = job.elasticPolicy === undefined;
    for (const { role, command } of launchesOf(job)) {
      const option = optionNamed(command, 'node_rank');
      // A rank from a variable that nothing sets is reported as that.
      if (option === undefined || unsetVariables(job, role, option.value ?? '').length > 0) {
        continue;
      }
      const literal = isStatic && /^\d+$/.test(option.value ?? '') && role.count > 1;
      yield {
        path: option.path,
        message: literal
          ? `${option.text} assigns the same rank to all ${role.count} pods of the role "${role.name}"`
          : `the role "${role.name}" sets ${option.text}, ${isStatic ? 'but the operator sets the rank' : 'which has no effect in an elastic job'}`,
        found: option.text,
        expected: isStatic
          ? `PET_NODE_RANK, which the operator sets, and no ${flagOf(option)}`
          : `no ${flagOf(option)}`,
        fix: `Remove ${option.text} from ${listOf(option)}, because torchrun ${isStatic ? 'reads PET_NODE_RANK' : 'assigns the ranks itself'}.`,
        severity: literal ? 'error' : 'warning',
      };
    }
  },
);

const variablesFromOperator = jobRule(
  {
    id: 'launch-variables-set-by-operator',
    concerns: ['command', 'args'],
    row: 'KT12',
    tier: 'advice',
    severity: 'error',
    kinds: ['PyTorchJob'],
    summary: 'A command must refer only to variables that the operator or the container sets.',
    why: 'The operator never sets NODE_RANK; it sets RANK, WORLD_SIZE, and MASTER_* only if there is a Master. LOCAL_RANK exists only in processes that torchrun has started.',
    source: ENV_SOURCE,
    fix: 'Run torchrun without the option; it reads PET_NODE_RANK, PET_NNODES, PET_NPROC_PER_NODE, and PET_MASTER_*.',
  },
  function* (job) {
    for (const role of job.roles) {
      for (const word of role.main === undefined ? [] : wordsOf(role.main.value, role.main.path)) {
        const missing = unsetVariables(job, role, word.text);
        if (missing.length === 0) {
          continue;
        }
        const launched = missing.every((name) => name.startsWith('LOCAL_'));
        yield {
          path: word.path,
          message: `the ${listOf(word)} of the role "${role.name}" ${listOf(word) === 'args' ? 'refer' : 'refers'} to ${allOf(missing)}, which ${missing.length === 1 ? 'is' : 'are'} not set in this job`,
          found: word.text.length > 120 ? `${word.text.slice(0, 117)}...` : word.text,
          expected: missing.includes('NODE_RANK') ? 'PET_NODE_RANK, which torchrun reads' : 'a variable that is set',
          fix: missing.includes('NODE_RANK')
            ? `Remove ${word.text.startsWith('-') ? word.text : 'the torchrun option that refers to NODE_RANK'} from ${listOf(word)}, because torchrun reads PET_NODE_RANK.`
            : `Set ${allOf(missing)} in env of the container, or remove ${missing.length === 1 ? 'the reference' : 'the references'} from ${listOf(word)}.`,
          // A script may start processes itself and set these for them.
          severity: launched ? 'warning' : 'error',
        };
      }
    }
  },
);

const operatorVariablesNotByHand = jobRule(
  {
    id: 'operator-variables-not-by-hand',
    concerns: ['env'],
    row: 'KT12',
    tier: 'advice',
    severity: 'warning',
    kinds: ['PyTorchJob'],
    summary: 'Containers must not set the variables that the operator sets.',
    why: "The operator appends its own entries, and of two entries with the same name the last one counts: the container's value has no effect.",
    source: `${ENV_SOURCE} (setPodEnv appends)`,
    fix: 'Remove the variable from env.',
  },
  function* (job) {
    const fromOperator = operatorVariables(job);
    for (const role of job.roles) {
      if (role.main === undefined) {
        continue;
      }
      for (const [index, entry] of asArray(role.main.value.env).entries()) {
        const name = asString(asObject(entry).name);
        if (name === undefined || name === 'PYTHONUNBUFFERED' || !fromOperator.has(name)) {
          continue;
        }
        yield {
          path: `${role.main.path}/env/${index}`,
          message: `the operator overrides the environment variable ${name} in the role "${role.name}"`,
          found: asObject(entry).value ?? name,
          expected: `no ${name}`,
          fix: `Remove ${name} from env.`,
        };
      }
    }
  },
);

const torchrunNotStandalone = jobRule(
  {
    id: 'torchrun-not-standalone',
    concerns: ['command', 'args'],
    row: 'KT12',
    tier: 'advice',
    severity: 'error',
    kinds: ['PyTorchJob'],
    summary: 'torchrun must use --standalone only in a job with one pod.',
    why: 'A standalone torchrun forms a group of its own: each pod trains alone on all of the data.',
    source: 'torch/distributed/run.py (--standalone)',
    fix: 'Remove --standalone from command or args.',
  },
  function* (job) {
    const pods = podCount(job);
    if (pods < 2) {
      return;
    }
    for (const { role, command } of launchesOf(job)) {
      const option = optionNamed(command, 'standalone');
      if (option === undefined) {
        continue;
      }
      yield {
        path: option.path,
        message: `the role "${role.name}" uses --standalone in a job with ${pods} pods, so each pod trains alone`,
        found: option.text,
        expected: 'no --standalone',
        fix: `Remove --standalone from ${listOf(option)}.`,
      };
    }
  },
);

export const launchRules: readonly Rule[] = [
  nnodesIsPodCount,
  nprocIsDeviceCount,
  nprocPerNodeIsDeviceCount,
  portIsOperators,
  addressFromOperator,
  nodeRankFromOperator,
  variablesFromOperator,
  operatorVariablesNotByHand,
  torchrunNotStandalone,
];
