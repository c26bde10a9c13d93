/**
 * How an app says what it wants of its checks: the target, rules of its own, what to silence and why.
 */
import { type IConstruct } from 'constructs';
import { type JsonObject, type KubernetesMinor } from '../facts/api/schema';
import { checkOptionsOf, type CheckSettings, settingsAt } from './check-settings';
import { type CheckOptions } from './engine';
import { checkOnSynth } from './on-synth';
import { type Rule } from './rule';

/**
 * The checks of an app: the Kubernetes minor, rules of its own, and what to silence and why.
 *
 * @example
 * Checks.of(app).target('1.36');
 * Checks.of(job).ignore('pods/memory-volume-has-size-limit', 'the node is dedicated');
 */
export class Checks {
  /**
   * Returns the checks of a construct. Silences apply to the construct and everything below it; everything else applies to the whole app,
   * from whichever construct it is set.
   */
  static of(scope: IConstruct): Checks {
    return new Checks(scope);
  }

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
   * Names the Kubernetes minor that the app is meant for, for example `1.34`. Default: 1.35.
   */
  target(kubernetes: KubernetesMinor): this {
    this.root.kubernetes = kubernetes;
    return this;
  }

  /**
   * Silences a rule for this construct and everything below it. The objects carry the annotation `gantry.dev/ignore`, so that
   * `gantry check` on the written YAML knows it too.
   *
   * @param rule id of the rule, for example `tenancy/quota-key-counted`
   * @param reason why it does not matter here
   * @throws if the reason is empty
   */
  ignore(rule: string, reason: string): this {
    if (reason.trim() === '') {
      throw new Error(`${this.scope.node.path}: ignoring the rule "${rule}" needs a reason, found an empty one.`);
    }
    settingsAt(this.scope).silenced.push({ rule, reason });
    return this;
  }

  /** Adds rules of your own to those that Gantry brings. */
  addRules(...rules: readonly Rule[]): this {
    this.root.rules.push(...rules);
    return this;
  }

  /** Adds CustomResourceDefinition objects for kinds that Gantry does not know. Those that the app itself emits are known already. */
  addCustomResourceDefinitions(...crds: readonly JsonObject[]): this {
    this.root.crds.push(...crds);
    return this;
  }

  /** What the app's checks run with. */
  get options(): CheckOptions {
    return checkOptionsOf(this.scope);
  }

  private get root(): CheckSettings {
    return settingsAt(this.scope.node.root);
  }
}
