/**
 * The checks of a stack: the same rules as everywhere, on the objects with the values that their Outputs have by now.
 *
 * Objects for different clusters are checked apart, since equal names do not collide there.
 */
import type * as pulumi from '@pulumi/pulumi';
import { type JsonObject } from '../../facts/api/schema';
import { checkOptionsOf } from '../../checks/synth/check-settings';
import { check } from '../../checks/engine';
import { type Finding, type NotJudged } from '../../checks/report/finding';
import { type Report } from '../../checks/report/report';
import { type RenderedObject } from '../../manifests/constructs';
import { idOf } from '../../manifests/identity';
import { type Manifest } from '../../manifests/manifest';
import { ManifestSet } from '../../manifests/manifest-set';
import { guarded, UNKNOWN } from '../../manifests/values/unknown';
import { type Settled } from './outputs';
import { type TokenRegistry } from './tokens';
import '../checks';

/** How an Output that has no value yet is written in findings. */
const NOT_KNOWN = '(known after up)';

/** An object with what it needs to be checked and registered. */
export interface StackObject extends RenderedObject {
  /** Tells clusters apart; absent for the provider of the stack. */
  readonly provider?: pulumi.ProviderResource;
}

/**
 * Checks the objects with the values that are known.
 *
 * @param values what Outputs came to; one that is missing counts as unknown
 */
export function checkObjects(
  objects: readonly StackObject[],
  registry: TokenRegistry,
  values: ReadonlyMap<pulumi.Output<unknown>, Settled>,
): Report {
  const clusters = new Map<pulumi.ProviderResource | undefined, StackObject[]>();
  for (const object of objects) {
    clusters.set(object.provider, [...(clusters.get(object.provider) ?? []), object]);
  }
  const reports = [...clusters.values()].map((members) => {
    const manifests = members.map((member) => manifestOf(member, registry, values));
    const [first] = members;
    return check(new ManifestSet(manifests), first === undefined ? {} : checkOptionsOf(first.construct));
  });
  const all = <T>(of: (report: Report) => readonly T[]): readonly T[] => reports.flatMap((report) => [...of(report)]);
  const notJudged = all<NotJudged>((report) => report.notJudged ?? []);
  return {
    documents: reports.reduce((sum, { documents }) => sum + documents, 0),
    findings: all((report) => report.findings).flatMap((finding) => withoutTokens(finding, registry)),
    notChecked: all((report) => report.notChecked),
    suppressed: all((report) => report.suppressed),
    skipped: [],
    ...(notJudged.length === 0 ? {} : { notJudged }),
  };
}

function manifestOf(
  { manifest }: StackObject,
  registry: TokenRegistry,
  values: ReadonlyMap<pulumi.Output<unknown>, Settled>,
): Manifest {
  const object = registry.resolved(
    manifest.object,
    (output) => {
      const settled = values.get(output);
      return settled === undefined ? UNKNOWN : settled.value;
    },
    '',
  ) as JsonObject;
  if (object === manifest.object) {
    return manifest;
  }
  const plain = withoutUndefined(object) as JsonObject;
  // An unknown namespace keeps its token in the identity: objects of one Output share a namespace, whichever it is.
  const id = idOf(plain);
  const { namespace } = id.namespace === '' ? manifest.id : id;
  return { id: { ...id, namespace }, object: guarded(plain), origin: manifest.origin };
}

/** As cdk8s leaves out members without a value; list items become null. */
function withoutUndefined(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || value === UNKNOWN) {
    return value;
  }
  if (Array.isArray(value)) {
    return value.map((item: unknown) => withoutUndefined(item) ?? null);
  }
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, member]) => (member === undefined ? [] : [[key, withoutUndefined(member)]])),
  );
}

/** A finding that quotes a token is about a value that is not known; the name of the object may contain one. */
function withoutTokens(finding: Finding, registry: TokenRegistry): readonly Finding[] {
  const { object, ...said } = finding;
  if (registry.has(JSON.stringify(said))) {
    return [];
  }
  return [registry.has(object) ? { ...finding, object: registry.shown(object, NOT_KNOWN) } : finding];
}
