/**
 * How an app says what it wants of its checks: the target, rules of its own, what to silence and why.
 */
import { type IConstruct } from 'constructs';
import { type JsonObject, type KubernetesMinor } from '../facts/api/schema';
import { type CheckOptions } from './engine';
import { defaultRules } from './registry';
import { type Rule } from './rule';
import { type Suppression } from './suppression';

const CHECKS = Symbol.for('gantry.checks');

interface WithChecks {
  [CHECKS]?: Checks;
}

export class Checks {
  /**
   * The checks of a construct. Silences hold for the construct and everything below it; all else holds for the whole app, wherever
   * it is said.
   */
  static of(scope: IConstruct): Checks {
    const holder = scope as IConstruct & WithChecks;
    holder[CHECKS] ??= new Checks(scope);
    return holder[CHECKS];
  }

  /** What was silenced at this construct itself, parents not included; asking leaves no trace on it. */
  static silencedAt(scope: IConstruct): readonly Suppression[] {
    return (scope as IConstruct & WithChecks)[CHECKS]?.silenced ?? [];
  }

  private readonly silenced: Suppression[] = [];
  private readonly ownRules: Rule[] = [];
  private readonly ownCrds: JsonObject[] = [];
  private kubernetes: KubernetesMinor | undefined;

  private constructor(private readonly scope: IConstruct) {}

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
    this.silenced.push({ rule, reason });
    return this;
  }

  /** Adds rules of your own to those that Gantry brings. */
  addRules(...rules: readonly Rule[]): this {
    this.root.ownRules.push(...rules);
    return this;
  }

  /** Adds CustomResourceDefinition objects for kinds that Gantry does not know. Those that the app itself emits are known already. */
  addCustomResourceDefinitions(...crds: readonly JsonObject[]): this {
    this.root.ownCrds.push(...crds);
    return this;
  }

  /** What the app's checks run with. */
  get options(): CheckOptions {
    const { kubernetes, ownRules, ownCrds } = this.root;
    return {
      kubernetes,
      crds: ownCrds,
      crdOption: 'Checks.of(app).addCustomResourceDefinitions(…)',
      rules: ownRules.length === 0 ? defaultRules() : [...defaultRules(), ...ownRules],
    };
  }

  private get root(): Checks {
    return Checks.of(this.scope.node.root);
  }
}
