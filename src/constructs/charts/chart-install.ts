/**
 * What is to be installed: a chart of the catalog with values, as one value that Flux, Argo CD and the command line say in their ways.
 */
import { stringify } from 'yaml';
import { type JsonObject } from '../../facts/api/schema';
import { type NamedReference, nameOf } from '../resources/references';
import { type CarriedDeep, isDeferred } from '../../manifests/values/deferred';
import { type AnyChart, type ChartFacts, type ChartName, factsOf, TRAINING_OPERATOR } from './chart-facts';
import { type ChartValues } from './chart-values';
import { publicFunction } from '../../facts/calls/public-function';

/** What every way of installing a chart takes. */
export interface ChartOptions<C extends AnyChart> {
  /** Name of a chart of the catalog, or any other chart: `{ name, repository, version, namespace }`. */
  readonly chart: C;
  /** Version of the chart. @default - that of the catalog; kube-prometheus-stack has none there */
  readonly version?: string;
  /** Another repository, for example a mirror. @default - the project's own */
  readonly repository?: string;
  /** Namespace of the operator. @default - by convention */
  readonly namespace?: NamedReference<'Namespace'>;
  /** Name of the release, after which objects are named. @default - the chart's name */
  readonly release?: string;
  /** Values of the chart. @default - the chart's own */
  readonly values?: C extends ChartName ? CarriedDeep<ChartValues[C]> : Readonly<Record<string, unknown>>;
}

/** A chart with everything that an installation needs. */
export interface ChartInstall {
  /** What is known of the chart. */
  readonly facts: ChartFacts;
  /** Version of the chart. */
  readonly version: string;
  /** Address of the Helm repository, or of the OCI registry. */
  readonly repository: string;
  /** Namespace of the release. */
  readonly namespace: string;
  /** Name of the release. */
  readonly release: string;
  /** Values of the chart. */
  readonly values: JsonObject;
}

/**
 * Completes the options with what is known of the chart.
 * @throws if the chart is unknown, no version is known and none is given, or the name of the release is too long
 */
export const chartInstall = publicFunction(
  'charts.chartInstall',
  <C extends AnyChart>(options: ChartOptions<C>): ChartInstall => {
    const facts = factsOf(options.chart);
    const version = options.version ?? facts.version;
    if (version === undefined) {
      throw new Error(
        `version of the chart ${facts.name} is required, because the catalog has none and a release without a version changes over time. Set version.`,
      );
    }
    const release = options.release ?? facts.name;
    if (release.length > 53) {
      throw new Error(`release "${release}" has ${release.length} characters; Helm allows at most 53.`);
    }
    return {
      facts,
      version,
      release,
      repository: (options.repository ?? facts.repository).replace(/\/+$/, ''),
      namespace: options.namespace === undefined ? facts.namespace : nameOf(options.namespace),
      values: plainCopy(options.values ?? {}) as JsonObject,
    };
  },
);

/** A copy without members that are undefined; Outputs of Pulumi stay. */
function plainCopy(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || isDeferred(value)) {
    return value;
  }
  if (Array.isArray(value)) {
    return value.map((item: unknown) => (item === undefined ? null : plainCopy(item)));
  }
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  return Object.fromEntries(members.map(([key, member]) => [key, plainCopy(member)]));
}

export function isOci(repository: string): boolean {
  return repository.startsWith('oci://');
}

/** The values file of an install, empty where there are none. */
export const valuesText = publicFunction('charts.valuesText', ({ values }: ChartInstall): string => {
  return Object.keys(values).length === 0
    ? ''
    : stringify(values, { lineWidth: 0, version: '1.1', aliasDuplicateObjects: false });
});

/**
 * The commands that install a chart, or move an install to this version: a fixed release name, a pinned version, values from a file.
 *
 * Helm does not change the CRDs of a chart that is installed already; where they are part of the chart's folder `crds`, they are
 * applied first, on the server's side.
 *
 * @example console.log(charts.helmCommands(charts.chartInstall({ chart: 'volcano' })));
 */
export const helmCommands = publicFunction(
  'charts.helmCommands',
  (install: ChartInstall, valuesFile = `${install.release}-values.yaml`): string => {
    const { facts, repository, release, namespace, version } = install;
    const oci = isOci(repository);
    const reference = oci ? `${repository}/${facts.name}` : `${facts.name}/${facts.name}`;
    const values = Object.keys(install.values).length === 0 ? '' : ` --values ${valuesFile}`;
    return [
      ...(oci ? [] : [`helm repo add ${facts.name} ${repository}`, `helm repo update ${facts.name}`]),
      ...(facts.largeCrds
        ? [`helm show crds ${reference} --version ${version} | kubectl apply --server-side --filename -`]
        : []),
      `helm upgrade ${release} ${reference} --install --namespace ${namespace} --create-namespace --version ${version}${values} --wait`,
    ]
      .map((line) => `${line}\n`)
      .join('');
  },
);

/** The command that installs the training-operator, which has no chart. */
export const trainingOperatorCommand = publicFunction(
  'charts.trainingOperatorCommand',
  (version: string = TRAINING_OPERATOR.version): string => {
    const { repository, path } = TRAINING_OPERATOR;
    return `kubectl apply --server-side --kustomize '${repository.replace('https://', '')}.git/${path}?ref=${version}'\n`;
  },
);
