/**
 * The annotations that set how the Kubernetes provider of Pulumi treats an object.
 *
 * Source: pulumi-kubernetes v4, "Annotations" of its documentation. The provider waits until Jobs complete, Pods are ready, and claims are
 * bound. On a GPU platform a queue or a scheduler decides when these start, often hours later, so that they are not waited for.
 */
import * as pulumi from '@pulumi/pulumi';
import { type ObjectId } from '../../manifests/manifest';
import { kindKey } from '../../manifests/identity';
import { isInput } from './outputs';
import { type ObjectOptions } from './resource-options';

type Annotations = Readonly<Record<string, string>>;

const NOT_AWAITED: ReadonlySet<string> = new Set(['batch/Job', 'Pod', 'PersistentVolumeClaim']);
const DELETED_IN_BACKGROUND: ReadonlySet<string> = new Set(['apiextensions.k8s.io/CustomResourceDefinition']);

/** The annotations of an object, those that its construct or its author wrote excepted. */
export function providerAnnotations(id: ObjectId, options: ObjectOptions): Annotations {
  const kind = kindKey(id);
  const {
    waitFor,
    patchForce,
    deletionPropagation = DELETED_IN_BACKGROUND.has(kind) ? 'background' : undefined,
  } = options;
  const skipAwait = options.skipAwait ?? (waitFor === undefined && NOT_AWAITED.has(kind));
  return {
    ...(waitFor === undefined
      ? {}
      : { 'pulumi.com/waitFor': typeof waitFor === 'string' ? waitFor : JSON.stringify(waitFor) }),
    ...(skipAwait ? { 'pulumi.com/skipAwait': 'true' } : {}),
    ...(patchForce === true ? { 'pulumi.com/patchForce': 'true' } : {}),
    ...(deletionPropagation === undefined ? {} : { 'pulumi.com/deletionPropagationPolicy': deletionPropagation }),
  };
}

/** The object with these annotations; annotations that it has already win. */
export function annotated(inputs: pulumi.Inputs, annotations: Annotations): pulumi.Inputs {
  if (Object.keys(annotations).length === 0) {
    return inputs;
  }
  const metadata = (inputs.metadata ?? {}) as pulumi.Inputs;
  const own = metadata.annotations as pulumi.Input<Annotations> | undefined;
  // A whole map that is an Output is merged where it is known.
  const all: pulumi.Input<Annotations> = isInput(own)
    ? pulumi.output(own).apply((known) => ({ ...annotations, ...(known as Annotations) }))
    : { ...annotations, ...own };
  return { ...inputs, metadata: { ...metadata, annotations: all } };
}
