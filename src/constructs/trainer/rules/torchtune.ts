/**
 * TJ7: TrainJobs that run TorchTune (`command: [tune, run]`), whose recipe the controller derives from the name of the runtime.
 */
import { type Rule } from '../../../checks/rules/rule';
import { asInteger, asObject, stringsIn } from '../../../manifests/read';
import { policyOf, type TrainJobView } from '../../../manifests/trainer/runtime-view';
import {
  TORCHTUNE_MANAGED,
  TORCHTUNE_MODELS,
  TORCHTUNE_MULTI_NODE_MODEL,
  TRAINER,
} from '../../../manifests/trainer/trainer-facts';
import { trainJobRule } from './train-job';
import { oneOf } from '../../../facts/words';

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
    summary: "The name of a TorchTune job's runtime must be <prefix>-<family>-<size> of a supported model.",
    why: 'Trainer derives the model from the name of the runtime; the webhook rejects any other.',
    source: SOURCE,
    fix: `Set runtimeRef.name to a runtime for ${oneOf(TORCHTUNE_MODELS)}, for example torchtune-llama3.2-1b.`,
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
      message: `the runtime name "${job.runtimeName}" does not identify a TorchTune model`,
      found: job.runtimeName,
    };
  },
);

const nodes = trainJobRule(
  {
    id: 'trainer/torchtune-nodes',
    row: 'TJ7',
    summary: 'TorchTune must train on one node, except for llama3_3/70B without LoRA or QLoRA.',
    why: 'The webhook rejects more nodes: TorchTune has no recipe for them.',
    source: SOURCE,
    fix: 'Set trainer.numNodes to 1.',
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
          ? `numNodes must be 1 for LoRA, but is ${count}`
          : `numNodes must be 1 for the model "${model}", but is ${count}`,
      found: count,
      expected: '1',
    };
  },
);

const qlora = trainJobRule(
  {
    id: 'trainer/torchtune-qlora-single-device',
    row: 'TJ7',
    summary:
      'QLoRA of llama3_2/1B and llama3_2/3B must run in one process on one GPU; qwen2_5/1.5B does not support QLoRA.',
    why: 'The webhook rejects jobs for which TorchTune has no configuration.',
    source: SOURCE,
    fix: 'Set trainer.numProcPerNode to 1, or remove model.quantize_base from trainer.args.',
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
      yield {
        path: '/spec/trainer/args',
        message: 'the model "qwen2_5/1.5B" does not support QLoRA',
        fix: 'Remove model.quantize_base from trainer.args.',
      };
      return;
    }
    const single = asInteger(job.trainer.numProcPerNode) === 1 || gpusOf(job) === 1;
    // Without resources of its own the runtime's count, and it may ask for one GPU.
    if (single || gpusOf(job) === undefined || (model !== 'llama3_2/1B' && model !== 'llama3_2/3B')) {
      return;
    }
    yield {
      path: '/spec/trainer',
      message: `numProcPerNode must be 1 for QLoRA with the model "${model}"`,
      found: job.trainer.numProcPerNode,
      expected: 'numProcPerNode: 1',
    };
  },
);

const managed = trainJobRule(
  {
    id: 'trainer/torchtune-settings-not-managed',
    row: 'TJ7',
    summary: `Arguments of a TorchTune job must not set what the runtime manages: ${TORCHTUNE_MANAGED.join(', ')}.`,
    why: 'They follow from the mounted model; the webhook rejects them.',
    source: SOURCE,
    fix: 'Remove the argument from trainer.args.',
  },
  function* (job, runtime) {
    if (!runsTorchTune(job) || policyOf(job, runtime) !== 'torch') {
      return;
    }
    for (const [index, arg] of stringsIn(job.trainer.args).entries()) {
      const [key = ''] = arg.split('=');
      if (TORCHTUNE_MANAGED.includes(key)) {
        yield {
          path: `/spec/trainer/args/${index}`,
          message: `${key} must not be set, because the runtime sets it`,
          found: arg,
          fix: `Remove ${key} from trainer.args.`,
        };
      }
    }
  },
);

export const torchTuneRules: readonly Rule[] = [modelKnown, nodes, qlora, managed];
