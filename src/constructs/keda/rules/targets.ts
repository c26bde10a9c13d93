/**
 * KE1 and KE22 to KE24: the object that is scaled, and who else scales it.
 */
import { type Rule, type SetRule, type Violation } from '../../../checks/rules/rule';
import { mayShareNamespace } from '../../../manifests/identity';
import { type Manifest } from '../../../manifests/manifest';
import { type ManifestSet } from '../../../manifests/manifest-set';
import { asArray, asInteger, asObject, asString } from '../../../manifests/read';
import {
  HPA_OWNERSHIP,
  hpaNameOf,
  isResourceTrigger,
  KEDA_PROJECT,
  SCALED_OBJECT_KIND,
  TRANSFER_HPA_OWNERSHIP,
} from '../keda-facts';
import { withArticle } from '../../../facts/words';
import { type Target, keyOf, targetName, targetOf } from './target';
import { targetPodRules } from './target-pods';
import { scaledJobRule, scaledObjectRule, scaledView, type ScaledView } from './view';

const WEBHOOK = `${KEDA_PROJECT}, apis/keda/v1alpha1/scaledobject_webhook.go`;
const HPA_KIND = 'autoscaling/HorizontalPodAutoscaler';
const VPA_KIND = 'autoscaling.k8s.io/VerticalPodAutoscaler';

function hpaOf({ manifest, spec }: ScaledView): { readonly name: string; readonly stated: boolean } {
  const stated = asString(asObject(asObject(spec.advanced).horizontalPodAutoscalerConfig).name);
  return { name: hpaNameOf(manifest.id.name, stated), stated: stated !== undefined && stated !== '' };
}

const oneScaler: SetRule = {
  id: 'keda/target-scaled-once',
  row: 'KE1',
  tier: 'webhook',
  severity: 'error',
  summary: 'A workload must be the target of only one ScaledObject, and of no HorizontalPodAutoscaler in addition.',
  why: 'Two autoscalers change the replicas in turn. The webhook rejects the ScaledObject that is applied second, unless it has the annotation to take over the autoscaler and sets its name.',
  source: WEBHOOK,
  fix: `Move all triggers to one ScaledObject, and delete the HorizontalPodAutoscaler or take it over with the annotation ${TRANSFER_HPA_OWNERSHIP}: "true".`,
  on: 'set',
  check: function* ({ set }) {
    const first = new Map<string, Manifest>();
    const names = new Map<string, Manifest>();
    for (const manifest of set.ofKind(SCALED_OBJECT_KIND)) {
      const view = scaledView(manifest);
      const target = targetOf(manifest, view.spec.scaleTargetRef);
      if (target === undefined || manifest.id.name === '') {
        continue;
      }
      const other = first.get(keyOf(target));
      if (other !== undefined && other.id.name !== manifest.id.name) {
        yield {
          manifest,
          path: '/spec/scaleTargetRef',
          message: `${targetName(target)} is already scaled by the ScaledObject "${other.id.name}"`,
          found: target.name,
          fix: `Move the entries of spec.triggers to the ScaledObject "${other.id.name}", and remove this ScaledObject.`,
        };
      } else {
        first.set(keyOf(target), manifest);
      }
      const hpa = `${manifest.id.namespace}\n${hpaOf(view).name}`;
      const sharer = names.get(hpa);
      if (sharer !== undefined && sharer.id.name !== manifest.id.name) {
        yield {
          manifest,
          path: '/spec/advanced/horizontalPodAutoscalerConfig/name',
          message: `the HorizontalPodAutoscaler name "${hpaOf(view).name}" is already used by the ScaledObject "${sharer.id.name}"`,
          found: hpaOf(view).name,
          fix: 'Set advanced.horizontalPodAutoscalerConfig.name to a different name, or remove it.',
        };
      } else {
        names.set(hpa, manifest);
      }
      yield* autoscalersBeside(set, view, target);
    }
  },
};

function* autoscalersBeside(
  set: ManifestSet,
  view: ScaledView,
  target: Target,
): Iterable<Violation & { readonly manifest: Manifest }> {
  const { manifest, annotations } = view;
  for (const hpa of set.ofKind(HPA_KIND)) {
    const scaled = targetOf(hpa, asObject(hpa.object.spec).scaleTargetRef);
    if (scaled === undefined || keyOf(scaled) !== keyOf(target)) {
      continue;
    }
    const metadata = asObject(hpa.object.metadata);
    const owned = asArray(metadata.ownerReferences).some(
      (owner) => asObject(owner).kind === 'ScaledObject' && asObject(owner).name === manifest.id.name,
    );
    if (owned || asObject(metadata.annotations)[HPA_OWNERSHIP] === 'false') {
      continue;
    }
    const own = hpaOf(view);
    const takesOver = annotations[TRANSFER_HPA_OWNERSHIP] === 'true';
    if (takesOver && own.stated && own.name === hpa.id.name) {
      continue;
    }
    yield {
      manifest,
      path: takesOver ? '/spec' : '/spec/scaleTargetRef',
      message: takesOver
        ? `the ScaledObject takes over the HorizontalPodAutoscaler "${hpa.id.name}", but does not set horizontalPodAutoscalerConfig.name`
        : `${targetName(target)} is already scaled by the HorizontalPodAutoscaler "${hpa.id.name}"`,
      found: target.name,
      ...(takesOver
        ? {
            expected: `advanced.horizontalPodAutoscalerConfig.name: ${hpa.id.name}`,
            fix: `Set advanced.horizontalPodAutoscalerConfig.name to "${hpa.id.name}".`,
          }
        : {
            fix: `Delete the HorizontalPodAutoscaler "${hpa.id.name}", or take it over with the annotation ${TRANSFER_HPA_OWNERSHIP}: "true" and advanced.horizontalPodAutoscalerConfig.name: ${hpa.id.name}.`,
          }),
    };
  }
}

const apartFromVertical: SetRule = {
  id: 'keda/vertical-autoscaler-apart',
  row: 'KE1',
  tier: 'advice',
  severity: 'warning',
  summary: 'A workload whose requests a VerticalPodAutoscaler changes should not have cpu or memory triggers.',
  why: 'More replicas lower the usage of each pod, which lowers the requests, which raises the usage in percent: the two autoscalers work against each other.',
  source: 'Kubernetes autoscaler, vertical-pod-autoscaler v1.2, docs/known-limitations.md',
  fix: 'Replace the trigger with one that measures the amount of work, or set updateMode: "Off" in the VerticalPodAutoscaler.',
  on: 'set',
  check: function* ({ set }) {
    for (const manifest of set.ofKind(SCALED_OBJECT_KIND)) {
      const view = scaledView(manifest);
      const target = targetOf(manifest, view.spec.scaleTargetRef);
      const trigger = view.triggers.find(({ type }) => isResourceTrigger(type));
      if (target === undefined || trigger === undefined) {
        continue;
      }
      for (const vpa of set.ofKind(VPA_KIND)) {
        const spec = asObject(vpa.object.spec);
        const adjusted = targetOf(vpa, spec.targetRef);
        if (
          adjusted === undefined ||
          keyOf(adjusted) !== keyOf(target) ||
          asObject(spec.updatePolicy).updateMode === 'Off'
        ) {
          continue;
        }
        yield {
          manifest,
          path: trigger.path,
          message: `the VerticalPodAutoscaler "${vpa.id.name}" changes the requests of ${targetName(target)}, on which the ${trigger.type} trigger depends`,
          found: trigger.type,
        };
      }
    }
  },
};

/** Built-in kinds that nothing can scale. */
const NOT_SCALABLE: ReadonlySet<string> = new Set(['apps/DaemonSet', 'batch/Job', 'batch/CronJob', 'Pod', 'Service']);

const targetScales = scaledObjectRule(
  {
    id: 'keda/target-has-scale',
    row: 'KE22',
    tier: 'webhook',
    severity: 'error',
    summary: 'scaleTargetRef must refer to a kind with a scale subresource, with its apiVersion as group/version.',
    why: 'KEDA writes the replicas to that subresource; the controller rejects a target without one.',
    source: `${KEDA_PROJECT}, controllers/keda/scaledobject_controller.go`,
    fix: 'Set scaleTargetRef to a Deployment, a StatefulSet, or another kind with replicas, and use a ScaledJob for Jobs.',
    concerns: ['scaleTargetRef'],
  },
  function* ({ manifest, spec }) {
    const version = asString(asObject(spec.scaleTargetRef).apiVersion) ?? '';
    if (version.split('/', 3).length > 2) {
      yield {
        path: '/spec/scaleTargetRef/apiVersion',
        message: 'apiVersion must contain at most one "/"',
        found: version,
        expected: 'a group and a version, such as apps/v1',
        fix: 'Set scaleTargetRef.apiVersion to the group and version of the target, such as apps/v1.',
      };
      return;
    }
    const target = targetOf(manifest, spec.scaleTargetRef);
    if (target !== undefined && NOT_SCALABLE.has(target.kind)) {
      yield {
        path: '/spec/scaleTargetRef',
        message: `${withArticle(targetName(target).split(' ')[0] ?? 'target')} has no scale subresource, so KEDA cannot scale it`,
        found: target.name,
      };
    }
  },
);

const targetHere = scaledObjectRule(
  {
    id: 'keda/target-in-namespace',
    row: 'KE22',
    tier: 'advice',
    severity: 'warning',
    summary: 'The target should be in the namespace of the ScaledObject, and scaleTargetRef should set its kind.',
    why: 'KEDA looks only in that namespace, and uses Deployment if no kind is set.',
    source: `${KEDA_PROJECT}, controllers/keda/scaledobject_controller.go`,
    fix: 'Create the ScaledObject in the namespace of the target, and, unless the target is a Deployment, set scaleTargetRef.apiVersion and scaleTargetRef.kind.',
    concerns: ['scaleTargetRef'],
  },
  function* ({ manifest, spec }, { set }) {
    const target = targetOf(manifest, spec.scaleTargetRef);
    if (target === undefined || set.get(target.kind, target.name, target.namespace) !== undefined) {
      return;
    }
    const named = set.ofKind(target.kind).filter(({ id }) => id.name === target.name);
    if (named.some(({ id }) => mayShareNamespace(id.namespace, target.namespace))) {
      return;
    }
    const [elsewhere] = named;
    if (elsewhere !== undefined) {
      yield {
        path: '/spec/scaleTargetRef/name',
        message: `${targetName(target)} is in the namespace "${elsewhere.id.namespace}", but KEDA looks only in the namespace of the ScaledObject, "${target.namespace}"`,
        found: target.name,
        fix: `Set metadata.namespace of the ScaledObject to "${elsewhere.id.namespace}".`,
      };
      return;
    }
    const other = ['apps/Deployment', 'apps/StatefulSet']
      .map((kind) => set.get(kind, target.name, target.namespace))
      .find((found) => found !== undefined);
    if (other !== undefined) {
      yield {
        path: '/spec/scaleTargetRef',
        message: `"${target.name}" is ${withArticle(other.id.kind)}, but scaleTargetRef refers to ${withArticle(targetName(target).split(' ')[0] ?? 'target')}`,
        found: target.name,
        fix: `Set scaleTargetRef.apiVersion: ${other.id.apiVersion} and scaleTargetRef.kind: ${other.id.kind}.`,
      };
    }
  },
);

const replicasLeft = scaledObjectRule(
  {
    id: 'keda/target-leaves-replicas',
    row: 'KE23',
    tier: 'advice',
    severity: 'info',
    summary: 'The manifest of a scaled target should not set replicas.',
    why: 'Each apply resets the target to that number until the next poll of the triggers.',
    source: 'Kubernetes v1.36 documentation, migrating Deployments and StatefulSets to horizontal autoscaling',
    fix: 'Remove spec.replicas from the target.',
    concerns: ['scaleTargetRef'],
  },
  function* ({ manifest, spec }, { set }) {
    const target = targetOf(manifest, spec.scaleTargetRef);
    const scaled = target && set.get(target.kind, target.name, target.namespace);
    if (target === undefined || scaled === undefined) {
      return;
    }
    const replicas = asInteger(asObject(scaled.object.spec).replicas);
    if (replicas !== undefined) {
      yield {
        path: '/spec/scaleTargetRef',
        message: `${targetName(target)} sets spec.replicas: ${replicas}, so each apply resets the number of replicas`,
        found: target.name,
        fix: `Remove spec.replicas from ${targetName(target)}.`,
      };
    }
  },
);

const jobsCountWork = scaledJobRule(
  {
    id: 'keda/scaled-job-counts-work',
    row: 'KE24',
    tier: 'advice',
    severity: 'error',
    summary: 'The triggers of a ScaledJob must measure an amount of work, so they must not be cpu or memory.',
    why: 'KEDA creates Jobs only from external metrics and ignores cpu and memory.',
    source: `${KEDA_PROJECT}, pkg/scaling/scale_handler.go`,
    fix: 'Replace the entry in triggers with one that measures an amount of work, such as the length of a queue.',
    concerns: ['triggers'],
  },
  function* ({ triggers }) {
    for (const { type, path } of triggers) {
      if (isResourceTrigger(type)) {
        yield {
          path: `${path}/type`,
          message: `a ${type} trigger does not measure an amount of work, so it creates no Jobs`,
          found: type,
        };
      }
    }
  },
);

export const targetRules: readonly Rule[] = [
  oneScaler,
  apartFromVertical,
  ...targetPodRules,
  targetScales,
  targetHere,
  replicasLeft,
  jobsCountWork,
];
