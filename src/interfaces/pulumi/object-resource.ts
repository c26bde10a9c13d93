/**
 * One Kubernetes object as a resource of Pulumi: the one that `@pulumi/kubernetes` would make, with the rendered object as its inputs.
 */
import * as pulumi from '@pulumi/pulumi';
import { versionsOfKind } from '../../facts/api/kinds';
import { type ObjectId } from '../../manifests/manifest';
import { annotated, providerAnnotations } from './annotations';
import { formerPaths, type ObjectOptions } from './resource-options';
import { type StackObject } from './object-check';
import { type TokenRegistry } from './tokens';

/** Members that the cluster writes, so that they are outputs also where the inputs lack them. */
const WRITTEN_BY_CLUSTER = ['metadata', 'status'] as const;
const SECRET_FIELDS = ['data', 'stringData'] as const;

/** `kubernetes:apps/v1:Deployment`; the core group is called `core`. */
export function typeToken(apiVersion: string, kind: string): string {
  return `kubernetes:${apiVersion.includes('/') ? apiVersion : `core/${apiVersion}`}:${kind}`;
}

/** An object of a cluster as Pulumi knows it. */
export class ObjectResource extends pulumi.CustomResource {
  /** The members of the object as outputs. */
  readonly members: readonly string[];

  constructor(type: string, name: string, inputs: pulumi.Inputs, options: pulumi.CustomResourceOptions) {
    const props: pulumi.Inputs = {
      ...Object.fromEntries(WRITTEN_BY_CLUSTER.map((key) => [key, undefined])),
      ...inputs,
    };
    super(type, name, props, options);
    this.members = Object.keys(props);
  }

  /** The object with what the cluster wrote. */
  get object(): pulumi.Output<unknown> {
    const outputs = this as unknown as Readonly<Record<string, pulumi.Output<unknown>>>;
    return pulumi.output(Object.fromEntries(this.members.map((key) => [key, outputs[key]])));
  }
}

/** What is the same for all objects of a stack. */
export interface Registration {
  readonly parent: pulumi.Resource;
  readonly registry: TokenRegistry;
  /** Name of a resource, by the path of its construct. */
  readonly nameOf: (path: string) => string;
  /** Version of the provider plugin. */
  readonly version: string | undefined;
}

/** Registers an object with Pulumi. */
export function registerObject(
  { construct, manifest }: StackObject,
  options: ObjectOptions,
  dependsOn: readonly pulumi.Input<pulumi.Resource>[],
  { parent, registry, nameOf, version }: Registration,
): ObjectResource {
  const { id } = manifest;
  const object = registry.resolved(manifest.object, (output) => output, '') as pulumi.Inputs;
  const inputs = annotated(object, providerAnnotations(id, options));
  return new ObjectResource(
    typeToken(id.apiVersion, id.kind),
    nameOf(construct.node.path),
    isSecret(id) ? withSecrets(inputs) : inputs,
    {
      parent,
      dependsOn: [...dependsOn, ...(options.dependsOn ?? [])],
      aliases: aliasesOf(id, formerPaths(construct).map(nameOf), options),
      ...(version === undefined ? {} : { version }),
      ...(isSecret(id) ? { additionalSecretOutputs: [...SECRET_FIELDS] } : {}),
      ...definedOptions(options),
    },
  );
}

function isSecret({ group, kind }: ObjectId): boolean {
  return group === '' && kind === 'Secret';
}

/** As the typed class does: what a Secret holds is secret, whether it came from an Output or not. */
function withSecrets(inputs: pulumi.Inputs): pulumi.Inputs {
  const secret = SECRET_FIELDS.flatMap((field) =>
    inputs[field] === undefined ? [] : [[field, pulumi.secret(inputs[field])] as const],
  );
  return { ...inputs, ...Object.fromEntries(secret) };
}

/** Other versions of the kind, as in the typed classes, and former names. */
function aliasesOf(
  { group, apiVersion, kind }: ObjectId,
  formerNames: readonly string[],
  { aliases = [] }: ObjectOptions,
): pulumi.Input<pulumi.URN | pulumi.Alias>[] {
  const otherTypes = versionsOfKind(group, kind)
    .filter((info) => info.apiVersion !== apiVersion)
    .map((info) => ({ type: typeToken(info.apiVersion, kind) }));
  return [...otherTypes, ...formerNames.map((name) => ({ name })), ...aliases];
}

function definedOptions(options: ObjectOptions): pulumi.CustomResourceOptions {
  const { provider, protect, retainOnDelete, ignoreChanges, replaceOnChanges } = options;
  const { deleteBeforeReplace, customTimeouts, transforms } = options;
  const stated: pulumi.CustomResourceOptions = {
    provider,
    protect,
    retainOnDelete,
    ignoreChanges: ignoreChanges && [...ignoreChanges],
    replaceOnChanges: replaceOnChanges && [...replaceOnChanges],
    deleteBeforeReplace,
    customTimeouts,
    transforms: transforms && [...transforms],
    import: options.import,
  };
  return Object.fromEntries(Object.entries(stated).filter(([, value]) => value !== undefined));
}

/** The version of `@pulumi/kubernetes` that is installed, which selects the provider plugin; `undefined` where it is not. */
export function providerVersion(): string | undefined {
  try {
    // oxlint-disable-next-line typescript/no-require-imports -- the package itself takes seconds to load
    const { version } = require('@pulumi/kubernetes/package.json') as { readonly version: string };
    return version;
  } catch {
    return undefined;
  }
}
