/**
 * Whether a Prometheus of the set picks an object up: by its labels, and by the labels of its namespace.
 */
import { oneOfStrings } from '../../../facts/words';
import { type JsonObject, type JsonValue } from '../../../facts/api/schema';
import { type Rule } from '../../../checks/rules/rule';
import { kindKey } from '../../../manifests/identity';
import { type Manifest } from '../../../manifests/manifest';
import { type ManifestSet } from '../../../manifests/manifest-set';
import { pointer } from '../../../manifests/pointer';
import { asArray, asObject, asString, isObject, objectsAt, stringEntries, stringsIn } from '../../../manifests/read';
import { selectorChooses } from '../../../manifests/references/selectors';
import { monitoringRule, OPERATOR } from './monitoring-rule';

const PROMETHEUS_KIND = 'monitoring.coreos.com/Prometheus';

/** The selectors of a Prometheus for objects of a kind. */
const SELECTORS: Readonly<Record<string, string>> = {
  'monitoring.coreos.com/ServiceMonitor': 'serviceMonitor',
  'monitoring.coreos.com/PodMonitor': 'podMonitor',
  'monitoring.coreos.com/PrometheusRule': 'rule',
  'monitoring.coreos.com/ScrapeConfig': 'scrapeConfig',
  'monitoring.coreos.com/Probe': 'probe',
};

export const pickedUpRules: readonly Rule[] = [
  monitoringRule(
    'picked-up-by-prometheus',
    Object.keys(SELECTORS),
    {
      row: 'SM7',
      tier: 'advice',
      severity: 'warning',
      summary: 'A monitor or rule should have the labels by which the Prometheus in the manifests selects.',
      why: 'Prometheus ignores the object, and no error is reported.',
      source: `${OPERATOR}, pkg/prometheus/resource_selector.go; Documentation: getting started, selectors`,
      fix: 'Add the labels in the selector to metadata.labels, or change the selector of the Prometheus, such as serviceMonitorSelector, so that it matches.',
    },
    function* (manifest, { set }) {
      const prometheuses = set.ofKind(PROMETHEUS_KIND);
      const prefix = SELECTORS[kindKey(manifest.id)];
      if (prometheuses.length === 0 || prefix === undefined) {
        return;
      }
      const why = prometheuses.map((prometheus) => whyNot(manifest, prometheus, prefix, set));
      if (why.includes(undefined)) {
        return;
      }
      const [first = ''] = why.filter((text) => text !== undefined);
      yield {
        path: '/metadata/labels',
        message: prometheuses.length === 1 ? first : `no Prometheus in these manifests selects the object; ${first}`,
      };
    },
  ),

  monitoringRule(
    'scrape-class-exists',
    ['monitoring.coreos.com/ServiceMonitor', 'monitoring.coreos.com/PodMonitor', 'monitoring.coreos.com/ScrapeConfig'],
    {
      row: 'SM8',
      summary: 'The scrape class of a monitor must be defined in the Prometheus of the manifests.',
      why: 'The operator ignores the whole object and only records an event: none of its targets is scraped.',
      source: `${OPERATOR}, pkg/prometheus/resource_selector.go validateScrapeClass`,
      fix: 'Set spec.scrapeClass to a class in spec.scrapeClasses of the Prometheus, or add the class to that list.',
    },
    function* (manifest, { set }) {
      const spec = asObject(manifest.object.spec);
      const named = asString(spec.scrapeClass);
      const prometheuses = set.ofKind(PROMETHEUS_KIND);
      if (named === undefined || named === '' || prometheuses.length === 0) {
        return;
      }
      const known = prometheuses.flatMap(({ object }) =>
        objectsAt(object, '/spec/scrapeClasses').flatMap(({ value }) => asString(value.name) ?? []),
      );
      if (known.includes(named)) {
        return;
      }
      const expected = known.length === 0 ? undefined : oneOfStrings(known);
      yield {
        path: '/spec/scrapeClass',
        message: `no Prometheus in these manifests has the scrape class "${named}"`,
        found: named,
        expected,
      };
    },
  ),

  monitoringRule(
    'no-file-access-where-denied',
    ['monitoring.coreos.com/ServiceMonitor'],
    {
      row: 'SM8',
      summary: 'A ServiceMonitor must not refer to files if the Prometheus in the manifests denies file access.',
      why: 'The operator ignores the whole object and only records an event: none of its targets is scraped.',
      source: `${OPERATOR}, pkg/prometheus/resource_selector.go testForArbitraryFSAccess`,
      fix: 'Replace the file with a reference to a Secret, for example in authorization.credentials.',
    },
    function* (manifest, { set }) {
      const prometheuses = set.ofKind(PROMETHEUS_KIND);
      const denies = ({ object }: Manifest): boolean =>
        asObject(asObject(object.spec).arbitraryFSAccessThroughSMs).deny === true;
      if (prometheuses.length === 0 || !prometheuses.every(denies)) {
        return;
      }
      for (const { value, path } of objectsAt(manifest.object, '/spec/endpoints')) {
        const files = [
          ['bearerTokenFile'],
          ['tlsConfig', 'caFile'],
          ['tlsConfig', 'certFile'],
          ['tlsConfig', 'keyFile'],
        ];
        for (const tokens of files) {
          const found = asString(tokens.reduce<JsonValue | undefined>((at, token) => asObject(at)[token], value));
          if (found !== undefined && found !== '') {
            yield {
              path: pointer(path, ...tokens),
              message: `the endpoint reads the file "${found}", but the Prometheus denies file access`,
              found,
            };
          }
        }
      }
    },
  ),
];

/** Why a Prometheus does not select an object; `undefined` where it does, or where one cannot know. */
function whyNot(manifest: Manifest, prometheus: Manifest, prefix: string, set: ManifestSet): string | undefined {
  const spec = asObject(prometheus.object.spec);
  const selector = spec[`${prefix}Selector`];
  const name = `the Prometheus "${prometheus.id.name}"`;
  if (!isObject(selector)) {
    return `${name} has no ${prefix}Selector, so it selects no objects of this kind`;
  }
  const labels = asObject(asObject(manifest.object.metadata).labels);
  if (!selectorChooses(selector, labels)) {
    return `${name} selects objects with ${selectorText(selector)}, but this object ${Object.keys(labels).length === 0 ? 'has no labels' : 'does not have these labels'}`;
  }
  const namespaces = spec[`${prefix}NamespaceSelector`];
  const { namespace } = manifest.id;
  if (!isObject(namespaces)) {
    const own = namespace === prometheus.id.namespace || namespace === '' || prometheus.id.namespace === '';
    return own
      ? undefined
      : `${name} has no ${prefix}NamespaceSelector, so it selects objects only in its own namespace "${prometheus.id.namespace}"`;
  }
  const object = set.get('Namespace', namespace);
  if (object === undefined) {
    return undefined;
  }
  const ownLabels: JsonObject = {
    'kubernetes.io/metadata.name': namespace,
    ...asObject(asObject(object.object.metadata).labels),
  };
  return selectorChooses(namespaces, ownLabels)
    ? undefined
    : `${name} selects namespaces with ${selectorText(namespaces)}, but the namespace "${namespace}" does not have these labels`;
}

function selectorText(selector: JsonObject): string {
  const labels = stringEntries(selector.matchLabels).map(([key, value]) => `${key}: ${value}`);
  const expressions = asArray(selector.matchExpressions)
    .map(asObject)
    .map(({ key, operator, values }) =>
      `${asString(key) ?? ''} ${asString(operator) ?? ''} ${stringsIn(values).join(', ')}`.trim(),
    );
  return [...labels, ...expressions].join(', ');
}
