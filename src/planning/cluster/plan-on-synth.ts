/**
 * Placement as part of an app's synth. The only file of the folder that knows constructs.
 */
import { readFileSync } from 'node:fs';
import { type IConstruct } from 'constructs';
import { Checks } from '../../checks/synth/checks-of';
import { checkOnSynth } from '../../checks/synth/on-synth';
import { type Rule } from '../../checks/rules/rule';
import { type ClusterState } from './cluster-state';
import { attempt } from '../../manifests/input-error';
import { publicFunction } from '../../facts/calls/public-function';
import { textOfFile } from '../../manifests/snapshot/cluster-snapshot';
import { planRules, type PlanRuleOptions } from './plan-rules';
import { readCluster } from './read-cluster';

/**
 * What an app is planned against.
 *
 * @example
 * Plan.against('clusters/training.yaml').on(app);
 */
export class Plan {
  /**
   * Names the cluster that an app is planned against; `on` makes the plan part of its synth.
   * @param cluster a cluster, or the path of a snapshot, of a cluster file, or of what `kubectl get nodes,… -o json` printed
   * @throws InputError if the file cannot be read
   * @throws ClusterFileError if it is not a cluster
   */
  static readonly against = /* @__PURE__ */ publicFunction(
    'Plan.against',
    (cluster: ClusterState | string, options: PlanRuleOptions = {}): Plan =>
      new Plan(planRules(typeof cluster === 'string' ? clusterOfFile(cluster) : cluster, options)),
  );

  private constructor(
    /** `cluster/gang-fits`, an error, and `cluster/gangs-fit-together`, a warning: for `Checks.addRules` and for `check`. */
    readonly rules: readonly Rule[],
  ) {}

  /**
   * Makes the plan part of every synth of the app: a gang that can never fit is an error at its construct, one that only has to wait for
   * others a warning.
   *
   * @param scope the app, or any construct of it
   */
  on(scope: IConstruct): this {
    Checks.of(scope).addRules(...this.rules);
    checkOnSynth(scope);
    return this;
  }
}

function clusterOfFile(path: string): ClusterState {
  return readCluster(
    textOfFile(
      attempt(path, () => readFileSync(path)),
      path,
    ),
    path,
  );
}
