/**
 * What an app wants of its checks, held at its constructs: silences at the construct that states them, all else at the root.
 */
import { type IConstruct } from 'constructs';
import { type JsonObject, type KubernetesMinor } from '../../facts/api/schema';
import { type CheckOptions } from '../engine';
import { defaultRules } from '../rules/registry';
import { type OfferedDevices, offeredTogether } from '../offered-devices';
import { type TargetCluster } from '../cluster/target-cluster';
import { type Rule } from '../rules/rule';
import { type Suppression } from '../report/suppression';

const SETTINGS = Symbol.for('gantry.checks');

export interface CheckSettings {
  readonly silenced: Suppression[];
  readonly rules: Rule[];
  readonly crds: JsonObject[];
  /** What the pools of nodes in the app offer. */
  readonly offered: OfferedDevices[];
  kubernetes?: KubernetesMinor;
  cluster?: TargetCluster;
}

interface WithSettings {
  [SETTINGS]?: CheckSettings;
}

/** The settings of a construct itself, to be added to. */
export function settingsAt(scope: IConstruct): CheckSettings {
  const holder = scope as IConstruct & WithSettings;
  holder[SETTINGS] ??= { silenced: [], rules: [], crds: [], offered: [] };
  return holder[SETTINGS];
}

/** What was silenced at a construct itself, parents not included; asking leaves no trace on it. */
export function silencedAt(scope: IConstruct): readonly Suppression[] {
  return (scope as IConstruct & WithSettings)[SETTINGS]?.silenced ?? [];
}

/** What the checks of the tree that `scope` belongs to run with. */
export function checkOptionsOf(scope: IConstruct): CheckOptions {
  const { kubernetes, rules, crds, offered, cluster } = settingsAt(scope.node.root);
  return {
    kubernetes,
    ...(cluster !== undefined && { cluster }),
    crds,
    offered: offeredTogether(offered),
    crdOption: 'Checks.of(app).addCustomResourceDefinitions(…)',
    rules: rules.length === 0 ? defaultRules() : [...defaultRules(), ...rules],
  };
}
