/** All files of `src/facts/api` that are generated, from sources that have been read: a pure function, so that a test can run it on a fixture. */
import { type KubernetesMinor } from '../../src/facts/api/schema';
import { type CrdVersion, crdVersions } from './crd';
import { CrdTypes, type Embedding } from './crd-types';
import { lifecycles } from './lifecycle';
import { KubernetesMatch } from './kubernetes-match';
import { KubernetesTypes } from './kubernetes-types';
import { order, readKubernetesApi } from './openapi';
import { kedaScalers } from './scalers';
import { triggerFile } from './trigger-file';
import { compressed, type ProjectCrds, runtimeFiles } from './write-runtime';

/** Texts by path. */
export type Texts = ReadonlyMap<string, string>;

export interface ProjectFiles {
  readonly project: string;
  readonly label: string;
  readonly files: Texts;
}

export interface ApiSources {
  /** OpenAPI v3 files by minor, ascending. */
  readonly kubernetes: ReadonlyMap<KubernetesMinor, Texts>;
  /** Go files of `k8s.io/api` that say when a version is deprecated and removed, by path `group/version/…`. */
  readonly kubernetesLifecycle?: Texts;
  readonly projects: readonly ProjectFiles[];
  /** KEDA's scaler schema and scalers, by path; none in a fixture without them. */
  readonly kedaScalers?: Texts;
}

export interface ApiFiles {
  /** Contents by path below `src/facts/api`, sorted. */
  readonly files: ReadonlyMap<string, string | Buffer>;
  /** Text of `src/constructs/keda/generated-triggers.ts`; none in a fixture without scalers. */
  readonly triggers?: string;
  /** Where a custom resource's type was taken for a Kubernetes type. */
  readonly embeddings: readonly Embedding[];
}

/** @throws Error where two projects define the same kind and version */
export function apiFiles(sources: ApiSources): ApiFiles {
  const apis = [...sources.kubernetes].map(([minor, files]) => readKubernetesApi(minor, files));
  const projects: readonly ProjectCrds[] = sources.projects.map(({ project, label, files }) => ({
    project,
    source: label,
    versions: sortedVersions(files),
  }));
  refuseDoubles(projects);

  const files = new Map<string, string | Buffer>();
  const kubernetes = new KubernetesTypes(apis);
  kubernetes.generate();
  const custom = new CrdTypes(kubernetes, new KubernetesMatch(apis));
  custom.generate(projects.flatMap(({ versions }) => versions));
  for (const file of [...kubernetes.files.values(), ...custom.files.values()]) {
    if (!file.isEmpty) {
      files.set(`types/${file.module}.ts`, file.text());
    }
  }
  const runtime = runtimeFiles(apis, projects, lifecycles(sources.kubernetesLifecycle ?? new Map()));
  files.set('kind-table.ts', runtime.kindTable);
  for (const [name, content] of runtime.bundles) {
    files.set(`schemas/${name}`, content);
  }
  const scalers = sources.kedaScalers && kedaScalers(sources.kedaScalers);
  if (scalers !== undefined) {
    files.set('schemas/keda-scalers.br', compressed([JSON.stringify(scalers)]));
  }
  return {
    files: new Map([...files].sort(([a], [b]) => order(a, b))),
    triggers: scalers && triggerFile(scalers),
    embeddings: custom.embeddings,
  };
}

function sortedVersions(files: Texts): readonly CrdVersion[] {
  return [...files]
    .flatMap(([path, text]) => crdVersions(text, path))
    .sort((a, b) => order(`${a.group}/${a.kind}/${a.version}`, `${b.group}/${b.kind}/${b.version}`));
}

function refuseDoubles(projects: readonly ProjectCrds[]): void {
  const owner = new Map<string, string>();
  for (const { project, versions } of projects) {
    for (const { group, version, kind } of versions) {
      const key = `${group}/${version} ${kind}`;
      const other = owner.get(key);
      if (other !== undefined) {
        throw new Error(`${key} is defined by ${other} and by ${project}`);
      }
      owner.set(key, project);
    }
  }
}
