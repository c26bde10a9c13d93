/**
 * What changes when an upstream release is replaced by another: a plan as a value, from the definitions of the new release and the tree.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { CHARTS } from '../../src/constructs/charts/chart-facts';
import { allKinds } from '../../src/facts/api/kinds';
import { cite, KUBERNETES_RELEASES, UPSTREAM, type Upstream, type UpstreamRelease } from '../../src/facts/upstream';
import { allRuleFacts } from '../../src/interfaces/checks/all-rules';
import { compareCrds, type Difference } from '../api/compare';
import { crdVersions } from '../api/crd';
import { PROJECT_ROOT } from '../api/lock';
import { PROJECTS, type ProjectSource } from '../api/sources';

/** A project of the table, or `kubernetes`, whose minors are upgraded one by one. */
export type Target = Upstream | 'kubernetes';

export interface UpgradePlan {
  readonly target: Target;
  readonly from: string;
  readonly to: string;
  /** Kinds that the new release defines and the library does not have. */
  readonly addedKinds: readonly string[];
  /** Kinds that the library has from this project and the new release does not define. */
  readonly removedKinds: readonly string[];
  /** What differs in kinds that both have. */
  readonly changes: readonly Difference[];
  /** Rules whose source names the project. */
  readonly rules: readonly { readonly id: string; readonly source: string }[];
  readonly charts: readonly string[];
  /** Pages of `docs/` with a table that names the release. */
  readonly pages: readonly string[];
  /** `go.mod` files of the suites that require the project's module. */
  readonly pins: readonly string[];
}

/** A request that cannot be carried out, in words for the person who made it. */
export class UpgradeError extends Error {}

/** The version that the table has now. @throws UpgradeError where the table has no such minor of Kubernetes */
export function currentVersion(target: Target, to: string): string {
  if (target !== 'kubernetes') {
    return UPSTREAM[target].version;
  }
  const minor = minorOf(to);
  const releases: Readonly<Record<string, string>> = KUBERNETES_RELEASES;
  if (minor === undefined || !Object.hasOwn(releases, minor)) {
    throw new UpgradeError(
      `Kubernetes ${to} is not a patch release of a covered minor (${Object.keys(releases).join(', ')}). ` +
        'Add a new minor to KUBERNETES_RELEASES and to KubernetesMinor first.',
    );
  }
  return releases[minor];
}

export function minorOf(version: string): string | undefined {
  return /^v(\d+\.\d+)\.\d+$/.exec(version)?.[1];
}

/** The schema source of a target; `undefined` where no schema is taken from it. */
export function schemaSource(target: Target): ProjectSource | undefined {
  return PROJECTS.find(({ project }) => project === target);
}

/**
 * @param definitions the files with CustomResourceDefinitions of the new release; `undefined` where no schema is taken from the project
 */
export function upgradePlan(
  target: Target,
  to: string,
  definitions: ReadonlyMap<string, string> | undefined,
): UpgradePlan {
  const differences =
    definitions === undefined ? [] : compareCrds([{ project: target, files: definitions }]).differences;
  const isMissing = ({ path, what }: Difference): boolean => path === '' && what === 'is missing';
  const cited = cite(target);
  return {
    target,
    from: currentVersion(target, to),
    to,
    addedKinds: differences.filter(isMissing).map(({ kind }) => withoutProject(kind)),
    removedKinds: definitions === undefined ? [] : removedKinds(target, definitions),
    changes: differences
      .filter((difference) => !isMissing(difference))
      .map((difference) => ({ ...difference, kind: withoutProject(difference.kind) })),
    rules: allRuleFacts()
      .filter(({ source }) => source.includes(cited))
      .map(({ id, source }) => ({ id, source })),
    charts: target === 'kubernetes' ? [] : chartsOf(target),
    pages: pagesNaming(cited),
    pins: pinsOf(target),
  };
}

function removedKinds(target: Target, definitions: ReadonlyMap<string, string>): readonly string[] {
  const label = schemaSource(target)?.label;
  const defined = new Set(
    [...definitions]
      .flatMap(([path, text]) => crdVersions(text, path))
      .map(({ group, version, kind }) => `${group}/${version} ${kind}`),
  );
  return allKinds()
    .filter(({ builtIn, source }) => !builtIn && source === label)
    .map(({ apiVersion, kind }) => `${apiVersion} ${kind}`)
    .filter((name) => !defined.has(name));
}

function withoutProject(kind: string): string {
  return kind.slice(kind.indexOf(' ') + 1);
}

function chartsOf(target: Upstream): readonly string[] {
  const { chart, version }: UpstreamRelease = UPSTREAM[target];
  return Object.values(CHARTS)
    .filter(
      (facts) =>
        chart !== undefined && facts.repository === chart && facts.version?.replace(/^v/, '') === version.slice(1),
    )
    .map(({ name }) => name);
}

function pagesNaming(cited: string): readonly string[] {
  const docs = join(PROJECT_ROOT, 'docs');
  return readdirSync(docs)
    .filter((file) => file.endsWith('.md') && readFileSync(join(docs, file), 'utf8').includes(cited))
    .map((file) => `docs/${file}`)
    .sort();
}

function pinsOf(target: Target): readonly string[] {
  const module = target === 'kubernetes' ? 'k8s.io/kubernetes' : moduleOf(target);
  if (module === undefined) {
    return [];
  }
  const suites = join(PROJECT_ROOT, 'test', 'e2e');
  return readdirSync(suites, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('go.mod'))
    .flatMap((file) => {
      const path = join(suites, file);
      const line = readFileSync(path, 'utf8')
        .split('\n')
        .find((text) => text.trim().startsWith(`${module} v`));
      return line === undefined ? [] : [`${relative(PROJECT_ROOT, path)} requires ${line.trim()}`];
    });
}

function moduleOf(target: Target): string | undefined {
  const source = schemaSource(target)?.source;
  return source !== undefined && 'module' in source ? source.module : undefined;
}
