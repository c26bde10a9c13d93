/**
 * What Gantry says to one object beside others: first what a bare API server decides, then the rules of the tier `webhook`.
 */
import { type JsonObject, type KubernetesMinor } from '../../../src/facts/api/schema';
import { allRules } from '../../../src/interfaces/checks/all-rules';
import { check, type Finding } from '../../../src/interfaces/checks';
import { idOf } from '../../../src/manifests/identity';
import { describeId } from '../../../src/manifests/manifest';
import { ManifestSet } from '../../../src/manifests/manifest-set';
import { askGantry } from '../agreement/gantry-verdict';
import { type WebhookProject } from './projects';

export type WebhookFinding = Pick<Finding, 'rule' | 'path' | 'message'>;

export interface GantryWebhookVerdict {
  /** `not counted`: a bare API server refuses the object, so no webhook sees it. */
  readonly verdict: 'accepted' | 'refused' | 'not counted';
  /** Errors of the tier `webhook`, of rules that state what the project's validators do. */
  readonly findings: readonly WebhookFinding[];
  /** Whether Gantry reports another error. */
  readonly hasOther: boolean;
}

const WEBHOOK_RULES = allRules().filter(
  ({ tier, otherTiers }) => tier === 'webhook' || otherTiers?.includes('webhook'),
);

/** Asks Gantry about objects beside others that stay the same; what it reports about those without the object does not count. */
export function gantryAsWebhook(
  { rules, elsewhere = {} }: Pick<WebhookProject, 'rules' | 'elsewhere'>,
  beside: readonly JsonObject[],
  kubernetes: KubernetesMinor,
): (object: JsonObject, known?: 'accepted by a server') => GantryWebhookVerdict {
  const before = new Set(beside.length === 0 ? [] : errorsOf(beside, kubernetes).map(keyOf));
  return (object, known) => {
    if (known === undefined && askGantry(object, kubernetes).verdict !== 'accepted') {
      return { verdict: 'not counted', findings: [], hasOther: false };
    }
    const own = describeId(idOf(object));
    // Of one identity a cluster has one object, which is the judged one.
    const others = beside.filter((other) => describeId(idOf(other)) !== own);
    const errors = errorsOf([object, ...others], kubernetes).filter((finding) => !before.has(keyOf(finding)));
    const findings = errors.filter(
      (finding) => finding.object === own && rules.test(finding.rule) && !Object.hasOwn(elsewhere, finding.rule),
    );
    return {
      verdict: findings.length > 0 ? 'refused' : 'accepted',
      findings,
      hasOther: errors.length > findings.length,
    };
  };
}

function errorsOf(objects: readonly JsonObject[], kubernetes: KubernetesMinor): readonly Finding[] {
  const set = new ManifestSet(objects.map((object) => ({ id: idOf(object), object, origin: { file: 'mutant' } })));
  return check(set, { kubernetes, tiers: ['webhook'], rules: WEBHOOK_RULES }).findings.filter(
    ({ severity }) => severity === 'error',
  );
}

function keyOf({ rule, object, path, message }: Finding): string {
  return `${rule} ${object ?? ''} ${path} ${message}`;
}
