/**
 * TJ11: the numbers of a TrainJob against its devices and against what its command repeats by hand.
 */
import { isAcceleratorResource } from '../../../facts/catalog/resource-names';
import { type JsonObject } from '../../../facts/api/schema';
import { type Rule } from '../../../checks/rules/rule';
import { asInteger, asObject } from '../../../manifests/read';
import { launchCommandOf } from '../../pods/launch-command';
import { policyOf } from '../../../manifests/trainer/runtime-view';
import { TRAINER } from '../../../manifests/trainer/trainer-facts';
import { trainJobRule } from './train-job';
import { counted } from '../../../facts/words';

const ENV = `${TRAINER}, pkg/runtime/framework/plugins/torch/torch.go (EnforceMLPolicy)`;

function devicesIn(resources: JsonObject): number | undefined {
  const amounts = { ...asObject(resources.requests), ...asObject(resources.limits) };
  const asked = Object.entries(amounts).filter(([name]) => isAcceleratorResource(name));
  const count = asked.reduce((sum, [, amount]) => sum + Number(amount), 0);
  return Number.isInteger(count) && count > 0 ? count : undefined;
}

const processesAreDevices = trainJobRule(
  {
    id: 'trainer/processes-are-devices',
    row: 'TJ11',
    tier: 'advice',
    severity: 'warning',
    summary: 'numProcPerNode must equal the number of accelerators in resourcesPerNode.',
    why: 'With more processes than devices, two processes share a device and fail; with fewer, devices stay idle.',
    source: ENV,
    fix: 'Set trainer.numProcPerNode to the number of devices of a node.',
  },
  function* (job, runtime) {
    const policy = policyOf(job, runtime);
    const processes = asInteger(job.trainer.numProcPerNode);
    const devices = devicesIn(asObject(job.trainer.resourcesPerNode));
    if (
      (policy !== 'torch' && policy !== 'mpi') ||
      processes === undefined ||
      devices === undefined ||
      processes === devices
    ) {
      return;
    }
    yield {
      path: '/spec/trainer/numProcPerNode',
      message: `numProcPerNode is ${processes}, but each node requests ${counted(devices, 'device')}`,
      found: processes,
      expected: String(devices),
      fix: `Set trainer.numProcPerNode to ${devices}.`,
      severity: processes > devices ? 'error' : 'warning',
    };
  },
);

const BY_HAND = ['nnodes', 'nproc_per_node', 'node_rank', 'master_addr', 'master_port', 'rdzv_endpoint'];

/** Fields of a TrainJob for options of torchrun. */
const INSTEAD: Readonly<Record<string, string>> = {
  nnodes: 'and set trainer.numNodes instead',
  nproc_per_node: 'and set trainer.numProcPerNode instead',
};

const countsLeftToTrainer = trainJobRule(
  {
    id: 'trainer/torchrun-left-to-runtime',
    row: 'TJ11',
    tier: 'advice',
    severity: 'warning',
    summary: 'torchrun must not set what a torch runtime sets: nodes, processes, rank, and master.',
    why: 'Trainer sets PET_NNODES, PET_NPROC_PER_NODE, PET_NODE_RANK, PET_MASTER_ADDR, and PET_MASTER_PORT; an option overrides its variable and becomes outdated.',
    source: ENV,
    fix: 'Remove the option from trainer.command or trainer.args, and set trainer.numNodes and trainer.numProcPerNode instead.',
  },
  function* (job, runtime) {
    if (policyOf(job, runtime) !== 'torch') {
      return;
    }
    const launch = launchCommandOf(job.trainer, '/spec/trainer');
    for (const option of launch?.options ?? []) {
      if (!BY_HAND.includes(option.name)) {
        continue;
      }
      const nodes = option.name === 'nnodes' && /^\d+$/.test(option.value ?? '') ? Number(option.value) : undefined;
      const wrong = nodes !== undefined && job.numNodes !== undefined && nodes !== job.numNodes;
      yield {
        path: option.path,
        message: wrong
          ? `--nnodes is ${nodes}, but numNodes is ${job.numNodes ?? 1}`
          : `the option ${JSON.stringify(option.text.trim())} must not be set, because the runtime sets it`,
        found: option.text,
        expected: `no --${option.name.replace(/_/g, '-')}`,
        fix: `Remove ${/^\S+?(?=[\s=]|$)/.exec(option.text.trim())?.[0] ?? option.text} from ${option.path.includes('/args/') ? 'trainer.args' : 'trainer.command'}, ${INSTEAD[option.name] ?? 'because the runtime sets it'}.`,
        severity: wrong ? 'error' : 'warning',
      };
    }
  },
);

export const launchRules: readonly Rule[] = [processesAreDevices, countsLeftToTrainer];
