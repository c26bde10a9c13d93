/**
 * What Kubeflow Trainer v2 demands of TrainJobs and runtimes beyond their schema. Rows TJ2 to TJ9 and TJ11 of docs/trainer.md. TJ1 and
 * TJ10 (names, immutable fields, one ML policy) are rules of the CRDs themselves.
 *
 * Must not import a construct: the command line loads this and nothing of cdk8s.
 */
import { seeAllButName } from '../../../checks/rules/all-but-name';
import { type Rule } from '../../../checks/rules/rule';
import { launchRules } from './launch';
import { runtimeRules } from './runtime';
import { torchTuneRules } from './torchtune';
import { trainJobRules } from './train-job';

export const trainerRules: readonly Rule[] = seeAllButName(
  [...trainJobRules, ...torchTuneRules, ...runtimeRules, ...launchRules],
  [
    'trainer/ancestor-job-fits',
    'trainer/runtime-has-trainer-job',
    'trainer/env-injection-targets-exist',
    'trainer/flux-installer-reserved',
    'trainer/volcano-queue-named',
    'trainer/volcano-policy-has-scheduler',
  ],
);
