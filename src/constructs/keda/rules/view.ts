/**
 * ScaledObject and ScaledJob as rules see them, and the shape that most of the rules share.
 */
import { type JsonObject } from '../../../facts/api/schema';
import { type ObjectRule, type RuleContext, type RuleFacts, type Violation } from '../../../checks/rules/rule';
import { type Manifest } from '../../../manifests/manifest';
import { asInteger, asObject, asString, objectsAt } from '../../../manifests/read';
import { KEDA_PROJECT, SCALED_JOB_KIND, SCALED_OBJECT_KIND } from '../keda-facts';

export interface TriggerView {
  readonly type: string;
  readonly trigger: JsonObject;
  readonly metadata: JsonObject;
  /** JSON pointer of the trigger. */
  readonly path: string;
}

export interface ScaledView {
  readonly manifest: Manifest;
  readonly spec: JsonObject;
  readonly annotations: JsonObject;
  readonly triggers: readonly TriggerView[];
}

const views = new WeakMap<Manifest, ScaledView>();

/** Made once for each manifest, since many rules ask. Where it cannot be made, because a value is not known, each rule notices that. */
export function scaledView(manifest: Manifest): ScaledView {
  let view = views.get(manifest);
  if (view === undefined) {
    views.set(manifest, (view = makeView(manifest)));
  }
  return view;
}

function makeView(manifest: Manifest): ScaledView {
  const { object } = manifest;
  return {
    manifest,
    spec: asObject(object.spec),
    annotations: asObject(asObject(object.metadata).annotations),
    triggers: objectsAt(object, '/spec/triggers').map(({ value, path }) => ({
      type: asString(value.type) ?? '',
      trigger: value,
      metadata: asObject(value.metadata),
      path,
    })),
  };
}

/** `minReplicaCount` as KEDA takes it: nothing is zero. */
export function minimumOf({ spec }: ScaledView): number | undefined {
  return spec.minReplicaCount === undefined || spec.minReplicaCount === null ? 0 : asInteger(spec.minReplicaCount);
}

export function scalesToZero(view: ScaledView): boolean {
  return minimumOf(view) === 0 || view.spec.idleReplicaCount === 0;
}

/** Whether a spec says anything of `scalingModifiers`, which makes one value out of all triggers. */
export function usesModifiers(spec: JsonObject): boolean {
  return Object.values(asObject(asObject(spec.advanced).scalingModifiers)).some(
    (value) => value !== '' && value !== null,
  );
}

export type Facts = Omit<RuleFacts, 'source'> & Partial<Pick<RuleFacts, 'source'>>;

const WEBHOOK = `${KEDA_PROJECT}, apis/keda/v1alpha1/scaledobject_webhook.go`;

/** A rule on ScaledObjects. */
export function scaledObjectRule(
  facts: Facts,
  check: (view: ScaledView, context: RuleContext) => Iterable<Violation>,
): ObjectRule {
  return {
    source: WEBHOOK,
    ...facts,
    on: 'object',
    kinds: [SCALED_OBJECT_KIND],
    check: (manifest, context) => check(scaledView(manifest), context),
  };
}

/** A rule on ScaledObjects and ScaledJobs. */
export function scaledRule(
  facts: Facts,
  check: (view: ScaledView, context: RuleContext) => Iterable<Violation>,
): ObjectRule {
  return { ...scaledObjectRule(facts, check), kinds: [SCALED_OBJECT_KIND, SCALED_JOB_KIND] };
}

/** A rule on ScaledJobs. */
export function scaledJobRule(
  facts: Facts,
  check: (view: ScaledView, context: RuleContext) => Iterable<Violation>,
): ObjectRule {
  return { ...scaledObjectRule(facts, check), kinds: [SCALED_JOB_KIND] };
}

/** A rule on the triggers of both, one by one. */
export function triggerRule(
  facts: Facts,
  check: (trigger: TriggerView, view: ScaledView, context: RuleContext) => Iterable<Violation>,
): ObjectRule {
  return scaledRule(facts, function* (view, context) {
    for (const trigger of view.triggers) {
      yield* check(trigger, view, context);
    }
  });
}
