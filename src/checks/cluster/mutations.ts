/**
 * What the MutatingAdmissionPolicies of a cluster make of a manifest on its creation.
 *
 * Policies are applied once each, in the order of their names; the server may evaluate one again after another changed the object. A mutation
 * that needs what only the server knows changes nothing here. Source: Kubernetes 1.36,
 * staging/src/k8s.io/apiserver/pkg/admission/plugin/policy/mutating.
 */
import { createRequire } from 'node:module';
import { type JsonObject, type JsonValue, type Schema } from '../../facts/api/schema';
import { type Manifest } from '../../manifests/manifest';
import { asArray, asObject, asString, isObject } from '../../manifests/read';
import type * as JsonValueTypes from '../../cel/json-value';
import { type RuleContext } from '../rules/rule';
import { KnownKinds } from '../schema/known-kinds';
import { atomicFieldIn } from '../schema/structure';
import { mergedWith } from '../schema/structured-merge';
import { type AdmissionRequest } from './admission-matching';
import { patched } from './json-patch';
import { type ChosenPolicy, chosenPolicy } from './policy-evaluation';
import { type TargetCluster } from './target-cluster';

const POLICY = 'admissionregistration.k8s.io/MutatingAdmissionPolicy';
const BINDING = 'admissionregistration.k8s.io/MutatingAdmissionPolicyBinding';
const CRD = 'apiextensions.k8s.io/CustomResourceDefinition';

const load = createRequire(__filename);

/** A mutation that fails, so that the server rejects the object. */
export interface FailedMutation {
  readonly policy: string;
  /** As the end of a sentence about the policy. */
  readonly why: string;
}

export interface Mutated {
  /** The manifest itself if no policy changes it. */
  readonly object: JsonObject;
  /** Names of the policies that changed it. */
  readonly by: readonly string[];
  readonly failures: readonly FailedMutation[];
}

type Context = Pick<RuleContext, 'set' | 'kubernetes'>;

/** The mutations of one check: each manifest is mutated once. */
export class Mutations {
  private readonly known = new WeakMap<Manifest, Mutated>();
  private kinds?: KnownKinds;

  constructor(private readonly cluster: TargetCluster) {}

  of(manifest: Manifest, context: Context): Mutated {
    let mutated = this.known.get(manifest);
    if (mutated === undefined) {
      mutated = this.mutated(manifest, context);
      this.known.set(manifest, mutated);
    }
    return mutated;
  }

  private mutated(manifest: Manifest, context: Context): Mutated {
    const { set } = context;
    const bindings = set.ofKind(BINDING).map(({ object }) => asObject(object.spec));
    const by: string[] = [];
    const failures: FailedMutation[] = [];
    let { object } = manifest;
    for (const policy of [...set.ofKind(POLICY)].sort((a, b) => (a.id.name < b.id.name ? -1 : 1))) {
      const own = bindings.filter(({ policyName }) => policyName === policy.id.name);
      const request: AdmissionRequest = { manifest: { ...manifest, object }, set, cluster: this.cluster };
      const { mutations, failurePolicy } = asObject(policy.object.spec);
      for (const mutation of asArray(mutations).filter(isObject)) {
        // Each mutation sees what the ones before it made.
        const chosen = chosenPolicy(policy, own, { ...request, manifest: { ...manifest, object } });
        const result = chosen === undefined ? object : this.applied(mutation, chosen, object, context);
        if (typeof result !== 'string') {
          by.push(...(result === object || by.includes(policy.id.name) ? [] : [policy.id.name]));
          object = result;
        } else if (failurePolicy !== 'Ignore') {
          failures.push({ policy: policy.id.name, why: result });
        }
      }
    }
    return { object, by, failures };
  }

  /** The object after the mutation, or why it fails. */
  private applied(
    mutation: JsonObject,
    { valueOf }: ChosenPolicy,
    object: JsonObject,
    context: Context,
  ): JsonObject | string {
    const isPatch = mutation.patchType === 'JSONPatch';
    const value = valueOf(asObject(isPatch ? mutation.jsonPatch : mutation.applyConfiguration).expression);
    const { jsonOf } = load('../../cel/json-value') as typeof JsonValueTypes;
    const change = value === undefined ? undefined : jsonOf(value);
    if (isPatch && Array.isArray(change)) {
      return patched(object, change.map(asObject));
    }
    return !isPatch && isObject(change) ? this.merged(object, change, context) : object;
  }

  private merged(object: JsonObject, change: JsonValue, context: Context): JsonObject | string {
    const schema = this.schemaOf(object, context);
    const atomic = atomicFieldIn(change, schema);
    return atomic === undefined
      ? mergedWith(object, change, schema)
      : `its apply configuration sets ${atomic.slice(1)}, which is atomic; set it with a JSONPatch`;
  }

  private schemaOf({ apiVersion, kind }: JsonObject, { set, kubernetes }: Context): Schema | undefined {
    this.kinds ??= new KnownKinds(
      kubernetes,
      [],
      set.ofKind(CRD).map(({ object }) => object),
      this.cluster,
    );
    const known = this.kinds.lookUp(asString(apiVersion) ?? '', asString(kind) ?? '');
    return 'schema' in known ? known.schema : undefined;
  }
}
