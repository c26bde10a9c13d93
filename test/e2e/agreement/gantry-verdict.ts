/**
 * What Gantry says to one object, asked for what a bare API server decides: schema, CEL rules, and the server's own code.
 */
import { type JsonObject, type KubernetesMinor } from '../../../src/facts/api/schema';
import { ManifestSet } from '../../../src/manifests/manifest-set';
import { idOf } from '../../../src/manifests/identity';
import { parseYaml } from '../../../src/manifests/yaml';
import { check, type Finding, type Tier } from '../../../src/interfaces/checks';

export interface GantryVerdict {
  /** `failed`: the check threw, which is a defect whatever the server says. */
  readonly verdict: 'accepted' | 'refused' | 'not checked' | 'failed';
  /** Findings of severity error. */
  readonly findings: readonly Pick<Finding, 'rule' | 'tier' | 'path' | 'message'>[];
}

const TIERS: readonly Tier[] = ['schema', 'cel', 'server'];

export function askGantry(object: JsonObject, kubernetes: KubernetesMinor): GantryVerdict {
  return verdictOn(new ManifestSet([{ id: idOf(object), object, origin: { file: 'mutant' } }]), kubernetes);
}

/** Asks about a manifest as text, the way a file is read. */
export function askGantryAboutText(text: string, kubernetes: KubernetesMinor): GantryVerdict {
  const { manifests, problems } = parseYaml(text, 'mutant');
  return verdictOn(new ManifestSet(manifests, problems), kubernetes);
}

export function verdictOn(set: ManifestSet, kubernetes: KubernetesMinor): GantryVerdict {
  let report;
  try {
    report = check(set, { kubernetes, tiers: TIERS });
  } catch (error) {
    return {
      verdict: 'failed',
      findings: [
        { rule: 'threw', tier: 'schema', path: '', message: error instanceof Error ? error.message : String(error) },
      ],
    };
  }
  const findings = report.findings.filter(({ severity }) => severity === 'error');
  if (findings.length > 0) {
    return { verdict: 'refused', findings };
  }
  return { verdict: report.notChecked.length > 0 ? 'not checked' : 'accepted', findings };
}
