/**
 * TJ7: TrainJobs that run TorchTune (`command: [tune, run]`), whose recipe the controller derives from the name of the runtime.
 */
import { type Rule } from '../../../checks/rule';
import { asInteger, asObject, stringsIn } from '../../../manifests/read';
import { policyOf, type TrainJobView } from '../../../manifests/trainer/runtime-view';
import {
  TORCHTUNE_MANAGED,
  TORCHTUNE_MODELS,
  TORCHTUNE_MULTI_NODE_MODEL,
  TRAINER,
} from '../../../manifests/trainer/trainer-facts';
import { trainJobRule } from './train-job';

const SOURCE = `${TRAINER}, pkg/runtime/framework/plugins/torch/torchtune.go`;

function runsTorchTune({ trainer }: TrainJobView): boolean {
  return JSON.stringify(trainer.command) === '["tune","run"]';
}

/** `torchtune-llama3.2-1b` trains `llama3_2/1B`. */
function modelOf(runtimeName: string): string {
  const [, family, size, ...rest] = runtimeName.split('-');
  return family === undefined || size === undefined || rest.length > 0
    ? ''
    : `${family.replace(/\./g, '_')}/${size.toUpperCase()}`;
}

function switchedOn(args: readonly string[], setting: string): boolean {
  return args.some((arg) => {
    const [name = '', ...value] = arg.split('=');
    return value.length > 0 && name.includes(setting) && value.join('=').trim().toLowerCase() === 'true';
  });
}

const usesLora = (args: readonly string[]): boolean => args.some((arg) => arg.includes('model.lora_attn_modules'));
const usesQlora = (args: readonly string[]): boolean =>
  !switchedOn(args, 'model.use_dora') && switchedOn(args, 'model.quantize_base');

function gpusOf({ trainer }: TrainJobView): number | undefined {
  const { limits, requests } = asObject(trainer.resourcesPerNode);
  const amount = asObject(limits)['nvidia.com/gpu'] ?? asObject(requests)['nvidia.com/gpu'];
  return amount === undefined ? undefined : Number(amount);
}

const modelKnown = trainJobRule(
  {
    id: 'trainer/torchtune-model-known',
    row: 'TJ7',
    summary: 'The runtime of a TorchTune job is called <prefix>-<family>-<size> after a model that is supported.',
    why: 'The model is read from the name of the runtime; the webhook refuses others.',
    source: SOURCE,
    fix: `Use a runtime for one of ${TORCHTUNE_MODELS.join(', ')}, for example torchtune-llama3.2-1b.`,
  },
  function* (job, runtime) {
    if (
      !runsTorchTune(job) ||
      policyOf(job, runtime) !== 'torch' ||
      TORCHTUNE_MODELS.includes(modelOf(job.runtimeName))
    ) {
      return;
    }
    yield {
      path: '/spec/runtimeRef/name',
      message: `No model of TorchTune is meant by "${job.runtimeName}".`,
      found: job.runtimeName,
    };
  },
);

const nodes = trainJobRule(
  {
    id: 'trainer/torchtune-nodes',
    row: 'TJ7',
    summary: 'TorchTune trains on one node, except for llama3_3/70B, and with LoRA or QLoRA always on one.',
    why: 'The webhook refuses more nodes: TorchTune has no recipe for them.',
    source: SOURCE,
    fix: 'Set numNodes to 1.',
  },
  function* (job, runtime) {
    const count = job.numNodes ?? 1;
    if (!runsTorchTune(job) || policyOf(job, runtime) !== 'torch' || count < 2) {
      return;
    }
    const model = modelOf(job.runtimeName);
    const args = stringsIn(job.trainer.args);
    if (model === TORCHTUNE_MULTI_NODE_MODEL && !usesLora(args) && !usesQlora(args)) {
      return;
    }
    yield {
      path: '/spec/trainer/numNodes',
      message:
        model === TORCHTUNE_MULTI_NODE_MODEL
          ? `LoRA is not trained on ${count} nodes.`
          : `The model "${model}" is not trained on ${count} nodes.`,
      found: count,
      expected: '1',
    };
  },
);

const qlora = trainJobRule(
  {
    id: 'trainer/torchtune-qlora-single-device',
    row: 'TJ7',
    summary: 'QLoRA of llama3_2/1B and llama3_2/3B runs in one process on one GPU; qwen2_5/1.5B has none.',
    why: 'The webhook refuses what TorchTune has no configuration for.',
    source: SOURCE,
    fix: 'Set numProcPerNode to 1, or ask for one GPU; or leave model.quantize_base out.',
  },
  function* (job, runtime) {
    if (
      !runsTorchTune(job) ||
      policyOf(job, runtime) !== 'torch' ||
      (job.numNodes ?? 1) !== 1 ||
      !usesQlora(stringsIn(job.trainer.args))
    ) {
      return;
    }
    const model = modelOf(job.runtimeName);
    if (model === 'qwen2_5/1.5B') {
      yield { path: '/spec/trainer/args', message: 'There is no QLoRA for qwen2_5/1.5B.' };
      return;
    }
    const single = asInteger(job.trainer.numProcPerNode) === 1 || gpusOf(job) === 1;
    // Without resources of its own the runtime's count, and it may ask for one GPU.
    if (single || gpusOf(job) === undefined || (model !== 'llama3_2/1B' && model !== 'llama3_2/3B')) {
      return;
    }
    yield {
      path: '/spec/trainer',
      message: `QLoRA of ${model} runs on one GPU only.`,
      found: job.trainer.numProcPerNode,
      expected: 'numProcPerNode: 1',
    };
  },
);

const managed = trainJobRule(
  {
    id: 'trainer/torchtune-settings-not-managed',
    row: 'TJ7',
    summary: `Arguments of a TorchTune job do not set what the runtime manages: ${TORCHTUNE_MANAGED.join(', ')}.`,
    why: 'They follow from the mounted model; the webhook refuses them.',
    source: SOURCE,
    fix: 'Take the argument out.',
  },
  function* (job, runtime) {
    if (!runsTorchTune(job) || policyOf(job, runtime) !== 'torch') {
      return;
    }
    for (const [index, arg] of stringsIn(job.trainer.args).entries()) {
      const [key = ''] = arg.split('=');
      if (TORCHTUNE_MANAGED.includes(key)) {
        yield { path: `/spec/trainer/args/${index}`, message: `${key} is managed by the runtime.`, found: arg };
      }
    }
  },
);

export const torchTuneRules: readonly Rule[] = [modelKnown, nodes, qlora, managed];
