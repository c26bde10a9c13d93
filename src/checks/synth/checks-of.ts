/**
 * How an app says what it wants of its checks: the target, rules of its own, what to silence and why.
 */
import { createRequire } from 'node:module';
import { type IConstruct } from 'constructs';
import { KUBERNETES_MINORS } from '../../facts/api/kinds';
import { type JsonObject, type KubernetesMinor } from '../../facts/api/schema';
import { publicFunction } from '../../facts/calls/public-function';
import { isObject } from '../../manifests/read';
import { checkOptionsOf, type CheckSettings, settingsAt } from './check-settings';
import { TargetCluster } from '../cluster/target-cluster';
import { ruleProblem } from '../rules/define-rule';
import { type CheckOptions } from '../engine';
import type * as KnownRules from '../rules/known-rules';
import { collectMistakes } from './mistakes';
import { checkOnSynth } from './on-synth';
import { type Rule } from '../rules/rule';

/**
 * Sets how an app is checked on synth: the Kubernetes minor version that it is for, rules of your own, and the rules
 * that one part of the app ignores.
 *
 * @example
 * Checks.of(app).target('1.34');
 * Checks.of(chart).ignore('tenancy/quota-key-counted', 'The quota of this team is counted by a webhook of our own.');
 */
export class Checks {
  /**
   * Returns the checks of a construct. `ignore` applies to the construct and everything below it; everything else
   * applies to the whole app, whichever construct sets it.
   */
  static readonly of = /* @__PURE__ */ publicFunction('Checks.of', (scope: IConstruct): Checks => new Checks(scope));

  private constructor(private readonly scope: IConstruct) {}

  /**
   * Checks the whole app on every synth, as an app that uses a construct of this library is checked anyway: errors fail the synth, and
   * warnings go to standard error. The one line that an existing app needs.
   *
   * @example
   * Checks.of(app).onSynth();
   */
  onSynth(): this {
    checkOnSynth(this.scope);
    return this;
  }

  /**
   * Sets the Kubernetes minor version that the app is for, for example `1.34`. Without a call it is 1.35.
   * @throws if Gantry has no schemas of the version
   */
  target(kubernetes: KubernetesMinor): this {
    collectMistakes(this.scope, () => {
      if (!(KUBERNETES_MINORS as readonly string[]).includes(kubernetes)) {
        throw new Error(
          `${this.at}unsupported Kubernetes version "${String(kubernetes)}". Supported versions are ${KUBERNETES_MINORS.join(', ')}.`,
        );
      }
      this.root.kubernetes = kubernetes;
    });
    return this;
  }

  /**
   * Checks the app against a cluster: its versions and schemas count before the bundled ones, its quotas and admission policies apply, and a
   * reference to what neither the app nor the cluster contains is an error.
   *
   * @param cluster a snapshot that `gantry snapshot` wrote, or the path of one
   * @throws SnapshotFileError if the file cannot be read as a snapshot
   */
  against(cluster: TargetCluster | string): this {
    this.root.cluster = typeof cluster === 'string' ? TargetCluster.read(cluster) : cluster;
    return this.onSynth();
  }

  /**
   * Ignores a rule for this construct and everything below it. The objects carry the annotation `gantry.dev/ignore`, so
   * that `gantry check` on the written YAML ignores it too.
   * @param rule id of the rule, for example `tenancy/quota-key-counted`
   * @param reason why it does not matter here
   * @throws if the reason is empty, or no rule has the id; add rules of your own first
   */
  ignore(rule: string, reason: string): this {
    collectMistakes(this.scope, () => {
      if (typeof reason !== 'string' || reason.trim() === '') {
        throw new Error(`${this.at}ignoring the rule "${rule}" requires a non-empty reason.`);
      }
      const { unknownRule } = createRequire(__filename)('../rules/known-rules') as typeof KnownRules;
      const problem = unknownRule(rule, this.root.rules);
      if (problem !== undefined) {
        throw new Error(`${this.at}${problem}. List the rules with \`gantry rules\`.`);
      }
      settingsAt(this.scope).silenced.push({ rule, reason });
    });
    return this;
  }

  /**
   * Adds rules of your own to the rules of Gantry.
   * @param rules what `defineRule` returns
   * @throws if one of them is not a rule
   */
  addRules(...rules: readonly Rule[]): this {
    collectMistakes(
      this.scope,
      () => {
        const problem = rules.map(ruleProblem).find((text) => text !== undefined);
        if (problem !== undefined) {
          throw new Error(`${this.at}addRules: ${problem}. Pass what defineRule returns.`);
        }
        this.root.rules.push(...rules);
      },
      ...rules,
    );
    return this;
  }

  /**
   * Adds CustomResourceDefinition objects for kinds that Gantry does not know. Those that the app itself emits are known already.
   * @throws if one of them is not an object, such as the path of a file
   */
  addCustomResourceDefinitions(...crds: readonly JsonObject[]): this {
    collectMistakes(
      this.scope,
      () => {
        const wrong = crds.findIndex((crd) => !isObject(crd));
        if (wrong >= 0) {
          throw new Error(
            `${this.at}addCustomResourceDefinitions: a definition must be an object, not ${JSON.stringify(crds[wrong])}. Read a file with Yaml.load of cdk8s.`,
          );
        }
        this.root.crds.push(...crds);
      },
      ...crds,
    );
    return this;
  }

  /** The options that the app is checked with. */
  get options(): CheckOptions {
    return checkOptionsOf(this.scope);
  }

  private get at(): string {
    const { path } = this.scope.node;
    return path === '' ? '' : `${path}: `;
  }

  private get root(): CheckSettings {
    return settingsAt(this.scope.node.root);
  }
}
