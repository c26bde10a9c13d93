/**
 * The inverse of each covered kind, by `group/version/Kind`. A construct writes one version of its kind, so objects of other versions stay
 * typed objects.
 */
import { type Composite, type Inverse } from '../proposal';
import { BATCH } from './batch';
import { KEDA } from './keda';
import { KUBEFLOW } from './kubeflow';
import { KUEUE } from './kueue';
import { RAY } from './ray';
import { TEAM } from './team';
import { TENANCY } from './tenancy';
import { TRAINER } from './trainer';
import { VOLCANO } from './volcano';

export const INVERSES: Readonly<Record<string, Inverse>> = {
  ...BATCH,
  ...KEDA,
  ...KUBEFLOW,
  ...KUEUE,
  ...RAY,
  ...TENANCY,
  ...TRAINER,
  ...VOLCANO,
};

/** Constructs of several objects, by `group/version/Kind` of the first. */
export const COMPOSITES: Readonly<Record<string, Composite>> = { 'v1/Namespace': TEAM };
