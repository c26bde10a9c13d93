/**
 * Shares of MIG instances and shared GPUs in queues and quotas, against how the GPU operator of the set exposes GPUs.
 */
import { cite } from '../../../facts/upstream';
import { type SetRule } from '../../../checks/rules/rule';
import { type JsonObject } from '../../../facts/api/schema';
import { migResource } from '../../../facts/catalog';
import { type ManifestSet } from '../../../manifests/manifest-set';
import { asObject, asString } from '../../../manifests/read';
import { deviceSharesIn } from '../../resources/shares';
import {
  CLUSTER_POLICY,
  CONFIG_KINDS,
  devicePluginConfigsOf,
  GPU_CLUSTER,
  migConfigsOf,
  operatorValues,
} from './embedded';

/** How the GPUs of a cluster are exposed, as far as the set says it. */
interface Exposure {
  /** Whether instances have resource names of their own. */
  readonly mixed: boolean;
  /** Resources of MIG instances that some layout makes; `undefined` if the layouts are not in the set. */
  readonly instances?: ReadonlySet<string>;
  /** Resources of shared GPUs and instances; `undefined` if a configuration is not in the set. */
  readonly shared?: ReadonlySet<string>;
}

type ConfigFinder<Reading> = (set: ManifestSet) => readonly Reading[];

const pluginConfigs: ConfigFinder<ReturnType<typeof devicePluginConfigsOf>[number]> = (set) =>
  CONFIG_KINDS.flatMap((kind) => set.ofKind(kind)).flatMap((manifest) => devicePluginConfigsOf(manifest, set));

/** `undefined` if the set has no operator, several, or one whose settings it does not know. */
function exposureIn(set: ManifestSet): Exposure | undefined {
  const installs = CONFIG_KINDS.flatMap((kind) => (kind === 'ConfigMap' ? [] : set.ofKind(kind))).flatMap(
    (manifest) => {
      const values = operatorValues(manifest);
      return values === undefined ? [] : [values];
    },
  );
  const policies: readonly JsonObject[] = set.ofKind(CLUSTER_POLICY).map(({ object }) => asObject(object.spec));
  const [settings, ...others] = [...policies, ...installs];
  if (settings === undefined || others.length > 0 || set.ofKind(GPU_CLUSTER).length > 0 || hasOtherPlugin(set)) {
    return undefined;
  }
  // The chart has a strategy by default; a ClusterPolicy without one leaves it to the configurations.
  const strategy = asString(asObject(settings.mig).strategy) ?? (policies.length === 0 ? 'single' : '');
  const knowsPlugin = isKnown(set, settings, 'devicePlugin');
  const readings = pluginConfigs(set).map(({ reading }) => reading);
  if (strategy === '' && !knowsPlugin) {
    return undefined;
  }
  const layouts = CONFIG_KINDS.flatMap((kind) => set.ofKind(kind)).flatMap((manifest) => migConfigsOf(manifest, set));
  const knowsLayouts = isStated(settings, 'migManager') && isKnown(set, settings, 'migManager');
  return {
    mixed: strategy === '' ? readings.some(({ migStrategy }) => migStrategy === 'mixed') : strategy === 'mixed',
    ...(knowsLayouts && {
      instances: new Set(layouts.flatMap(({ reading }) => reading.profiles.map((profile) => migResource(profile)))),
    }),
    ...(knowsPlugin && { shared: new Set(readings.flatMap(({ shared }) => shared)) }),
  };
}

/** Plugins that take the place of NVIDIA's on some nodes. */
function hasOtherPlugin(set: ManifestSet): boolean {
  return set.manifests.some((manifest) =>
    set.podTemplatesOf(manifest).some((template) => {
      const { containers } = template.spec;
      return (
        Array.isArray(containers) &&
        containers.some((container) => /device-plugin|hami/.test(asString(asObject(container).image) ?? ''))
      );
    }),
  );
}

function isStated(settings: JsonObject, component: 'devicePlugin' | 'migManager'): boolean {
  const { name, data } = asObject(asObject(settings[component]).config);
  return (asString(name) ?? '') !== '' || data !== undefined;
}

/** Whether the configuration of a component is in the set; one that is not stated is known to be the default. */
function isKnown(set: ManifestSet, settings: JsonObject, component: 'devicePlugin' | 'migManager'): boolean {
  const { name, data } = asObject(asObject(settings[component]).config);
  const map = asString(name) ?? '';
  return map === '' || data !== undefined || set.ofKind('ConfigMap').some(({ id }) => id.name === map);
}

/** Why no device is ever counted under a resource name of NVIDIA's plugin; `undefined` if one may be. */
function obstacle(resource: string, { mixed, instances, shared }: Exposure): string | undefined {
  if (resource.endsWith('.shared')) {
    return shared?.has(resource) === false
      ? 'no device-plugin configuration in these manifests creates this resource'
      : undefined;
  }
  if (!resource.startsWith('nvidia.com/mig-')) {
    return undefined;
  }
  if (!mixed) {
    return 'without the MIG strategy mixed, instances are offered as nvidia.com/gpu';
  }
  return instances?.has(resource) === false
    ? 'no MIG configuration in these manifests creates such instances'
    : undefined;
}

export const shareServed: SetRule = {
  id: 'gpu-operator/share-served',
  tier: 'advice',
  severity: 'warning',
  on: 'set',
  summary: 'A queue or quota must name MIG instances and shared GPUs that the GPU operator of these manifests creates.',
  why: 'No node offers the resource, so the share limits and guarantees nothing.',
  source: `${cite('k8s-device-plugin')}, README (MIG strategies, shared access); ${cite('nvidia-gpu-operator')}, mig.strategy`,
  fix: 'Rename the resource in spec.deserved, spec.capability, or spec.hard, or change mig.strategy, mig-configs, or sharing.timeSlicing so that nodes offer it.',
  *check({ set, offered }) {
    const shares = deviceSharesIn(set).filter(({ resource }) => /^nvidia\.com\/(?:mig-|.*\.shared$)/.test(resource));
    // What the pools of an app offer is known exactly, and another rule compares it.
    const exposure = shares.length === 0 || offered !== undefined ? undefined : exposureIn(set);
    if (exposure === undefined) {
      return;
    }
    for (const { manifest, path, resource, queue } of shares) {
      const why = obstacle(resource, exposure);
      if (why !== undefined) {
        const names = [...(exposure.mixed ? (exposure.instances ?? []) : []), ...(exposure.shared ?? [])];
        yield {
          manifest,
          path,
          message: `no node offers ${resource}${queue === undefined ? '' : ` for the queue "${queue}"`}: ${why}`,
          found: resource,
          expected: names.length === 0 ? 'nvidia.com/gpu' : names.slice(0, 6).join(', '),
        };
      }
    }
  },
};
