/**
 * A chart installation as a Flux or Argo CD manifest declares it.
 */
import { type JsonObject } from '../../../facts/api/schema';
import { type Manifest } from '../../../manifests/manifest';
import { type ManifestSet } from '../../../manifests/manifest-set';
import { asObject, asString } from '../../../manifests/read';
import { parseValue } from '../../../manifests/yaml';
import { type ChartFacts, factsOfName } from '../chart-facts';

export const HELM_RELEASE = 'helm.toolkit.fluxcd.io/HelmRelease';
export const ARGO_APPLICATION = 'argoproj.io/Application';

export interface Install {
  readonly facts: ChartFacts;
  readonly version: string | undefined;
  /** Also where the version is unset. */
  readonly versionPath: string;
  /** `undefined` where another manifest says it and is not in the set. */
  readonly repository: string | undefined;
  readonly repositoryPath: string;
  /** The field to change, as a user writes it. */
  readonly repositoryField: string;
  readonly values: JsonObject;
  readonly valuesPath: string;
}

/** `undefined` where the manifest installs no chart of the catalog. */
export function installOf({ object, id }: Manifest, set: ManifestSet): Install | undefined {
  const spec = asObject(object.spec);
  if (id.kind === 'HelmRelease') {
    const chart = asObject(asObject(spec.chart).spec);
    const facts = factsOfName(asString(chart.chart) ?? '');
    if (facts === undefined) {
      return undefined;
    }
    const source = asObject(chart.sourceRef);
    const repository = set.get(
      'source.toolkit.fluxcd.io/HelmRepository',
      asString(source.name) ?? '',
      asString(source.namespace) ?? id.namespace,
    );
    return {
      facts,
      version: asString(chart.version),
      versionPath: '/spec/chart/spec/version',
      repository: asString(asObject(repository?.object.spec).url),
      repositoryPath: '/spec/chart/spec/sourceRef',
      repositoryField: 'spec.url of the HelmRepository',
      values: asObject(spec.values),
      valuesPath: '/spec/values',
    };
  }
  const source = asObject(spec.source);
  const facts = factsOfName(asString(source.chart) ?? '');
  if (facts === undefined) {
    return undefined;
  }
  const helm = asObject(source.helm);
  return {
    facts,
    version: asString(source.targetRevision),
    versionPath: '/spec/source/targetRevision',
    repository: asString(source.repoURL),
    repositoryPath: '/spec/source/repoURL',
    repositoryField: 'spec.source.repoURL',
    ...(typeof helm.values === 'string' && helm.valuesObject === undefined
      ? { values: objectIn(helm.values), valuesPath: '/spec/source/helm/values' }
      : { values: asObject(helm.valuesObject), valuesPath: '/spec/source/helm/valuesObject' }),
  };
}

function objectIn(text: string): JsonObject {
  const parsed = parseValue(text, 'values.yaml');
  return 'value' in parsed ? asObject(parsed.value) : {};
}
