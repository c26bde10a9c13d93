/**
 * ServiceMonitors and PodMonitors (and ScrapeConfigs): what the operator drops, and what Prometheus never finds.
 */
import { allOf, oneOfStrings } from '../../../facts/words';
import { fixesByField, keepOne } from '../../../checks/rules/field-fix';
import { cite } from '../../../facts/upstream';
import { type JsonObject } from '../../../facts/api/schema';
import { type Rule } from '../../../checks/rules/rule';
import { type Manifest } from '../../../manifests/manifest';
import { type ManifestSet } from '../../../manifests/manifest-set';
import { type PodTemplate } from '../../../manifests/pods/pod-template';
import { fieldOf, pointer } from '../../../manifests/pointer';
import { asArray, asObject, asString, isObject, objectsAt, stringEntries } from '../../../manifests/read';
import { labelsHold } from '../../../manifests/references/selectors';
import { parseDuration } from '../../../facts/promql';
import { monitoringRule, OPERATOR } from './monitoring-rule';
import { OPERATOR_FIELDS, problemsInSteps } from './relabeling';

const SERVICE_MONITOR = 'monitoring.coreos.com/ServiceMonitor';
const POD_MONITOR = 'monitoring.coreos.com/PodMonitor';
const SCRAPE_CONFIG = 'monitoring.coreos.com/ScrapeConfig';
const MONITORS = [SERVICE_MONITOR, POD_MONITOR];
const NEVER = 'The operator ignores the whole object and only records an event: none of its targets is scraped.';
const SELECTOR = `${OPERATOR}, pkg/prometheus/resource_selector.go`;

interface Endpoint {
  readonly value: JsonObject;
  readonly path: string;
}

function endpointsOf({ id, object }: Manifest): readonly Endpoint[] {
  if (id.kind === 'ScrapeConfig') {
    return [{ value: asObject(object.spec), path: '/spec' }];
  }
  return objectsAt(object, id.kind === 'ServiceMonitor' ? '/spec/endpoints' : '/spec/podMetricsEndpoints');
}

/** The ways to authenticate, which exclude each other. */
const AUTHENTICATIONS = ['authorization', 'basicAuth', 'bearerTokenSecret', 'oauth2'];

export const monitorRules: readonly Rule[] = [
  monitoringRule(
    'monitor-one-authentication',
    [...MONITORS, SCRAPE_CONFIG],
    {
      row: 'SM1',
      summary: 'An endpoint must set at most one of authorization, basicAuth, bearerTokenSecret, and oauth2.',
      why: NEVER,
      source: `${OPERATOR}, pkg/apis/monitoring/v1/http_config.go Validate`,
      fix: 'Keep one of authorization, basicAuth, bearerTokenSecret, and oauth2.',
    },
    function* (manifest) {
      for (const { value, path } of endpointsOf(manifest)) {
        const used = AUTHENTICATIONS.filter((key) => isObject(value[key]));
        if (used.length > 1) {
          yield {
            path: pointer(path, used[1] ?? ''),
            message: `${allOf(used)} must not be set together`,
            found: used,
            expected: 'one way to authenticate',
            fix: keepOne(used, fieldOf(path)),
          };
        }
        const authorization = asObject(value.authorization);
        if (asString(authorization.type)?.trim().toLowerCase() === 'basic') {
          yield {
            path: pointer(path, 'authorization', 'type'),
            message: 'basic authentication must be set in basicAuth, not in authorization',
            found: 'Basic',
            fix: 'Remove authorization, and set basicAuth.username and basicAuth.password.',
          };
        } else if (
          isObject(value.authorization) &&
          !isObject(authorization.credentials) &&
          manifest.id.kind !== 'ScrapeConfig'
        ) {
          yield {
            path: pointer(path, 'authorization'),
            message: 'authorization.credentials must be set',
            fix: 'Set authorization.credentials to the name of a Secret and a key in it.',
          };
        }
      }
    },
  ),

  monitoringRule(
    'scrape-timeout-within-interval',
    [...MONITORS, SCRAPE_CONFIG],
    {
      row: 'SM2',
      summary: 'The timeout of a scrape must be less than or equal to its interval.',
      why: NEVER,
      source: `${SELECTOR} validateScrapeIntervalAndTimeout`,
      fix: 'Lower scrapeTimeout, or raise interval.',
    },
    function* (manifest, { set }) {
      for (const { value, path } of endpointsOf(manifest)) {
        const timeout = asString(value.scrapeTimeout);
        const interval = asString(value[manifest.id.kind === 'ScrapeConfig' ? 'scrapeInterval' : 'interval']);
        const [limit, waits] = [parseDuration(interval ?? ''), parseDuration(timeout ?? '')];
        if (timeout === undefined || waits === undefined) {
          continue;
        }
        const at = { path: pointer(path, 'scrapeTimeout'), found: timeout };
        if (interval !== undefined && interval !== '') {
          if (limit === undefined || waits <= limit) {
            continue;
          }
          yield {
            ...at,
            message: `scrapeTimeout must be less than or equal to interval (${timeout} > ${interval})`,
            expected: `at most ${interval}`,
            fix: `Set scrapeTimeout to at most ${interval}, or raise interval.`,
          };
          continue;
        }
        const shared = sharedInterval(set);
        if (shared !== undefined && waits > (parseDuration(shared) ?? Infinity)) {
          yield {
            ...at,
            message: `scrapeTimeout must be less than or equal to the scrape interval of Prometheus (${timeout} > ${shared})`,
            expected: `at most ${shared}`,
            fix: `Set scrapeTimeout to at most ${shared}, or set interval in the endpoint.`,
          };
        }
      }
    },
  ),

  fixesByField(
    monitoringRule(
      'relabeling-valid',
      [...MONITORS, SCRAPE_CONFIG],
      {
        row: 'SM3',
        summary: 'A relabeling must set the members that its action uses, and a valid RE2 regular expression.',
        why: NEVER,
        source: `${OPERATOR}, pkg/prometheus/validation/validator.go; Prometheus, model/relabel/relabel.go`,
        fix: 'Set action, regex, sourceLabels, and targetLabel of the relabeling to values that Prometheus accepts together.',
      },
      function* (manifest) {
        for (const { value, path } of endpointsOf(manifest)) {
          for (const list of ['relabelings', 'metricRelabelings']) {
            for (const { index, field, message, fix } of problemsInSteps(value[list], OPERATOR_FIELDS)) {
              yield { path: pointer(path, list, index, field), message, fix };
            }
          }
        }
      },
    ),
  ),

  monitoringRule(
    'monitor-selects-services-by-their-labels',
    [SERVICE_MONITOR],
    {
      row: 'SM4',
      tier: 'advice',
      summary: 'A ServiceMonitor must select by labels of Services, not by labels of the pods behind them.',
      why: 'The monitor selects no Service, so nothing is scraped, and no error is reported.',
      source: `${OPERATOR}, Documentation: ServiceMonitor, selector`,
      fix: 'Add the labels to metadata.labels of the Service, or set spec.selector to labels that it has.',
    },
    function* (manifest, { set }) {
      const spec = asObject(manifest.object.spec);
      const wanted = asObject(asObject(spec.selector).matchLabels);
      if (Object.keys(wanted).length === 0 || set.servicesSelectedBy(manifest).length > 0) {
        return;
      }
      const meant = servicesSeenBy(manifest, set).find((service) => {
        const pods = asObject(asObject(service.object.spec).selector);
        // A Service without the ports of the monitor has the same pods for another purpose.
        return Object.keys(pods).length > 0 && labelsHold(wanted, pods) && hasPortOf(manifest, service);
      });
      if (meant === undefined) {
        return;
      }
      const text = stringEntries(wanted)
        .map(([key, value]) => `${key}=${value}`)
        .join(', ');
      yield {
        path: '/spec/selector/matchLabels',
        message: `no Service has the labels ${text}: the Service "${meant.id.name}" selects pods with these labels, but has other labels itself`,
        found: text,
      };
    },
  ),

  monitoringRule(
    'monitor-port-exists',
    MONITORS,
    {
      row: 'SM5',
      tier: 'advice',
      summary: 'The port of an endpoint must be the name of a port of the selected object.',
      why: 'No target remains, so nothing is scraped, and no error is reported.',
      source: `${OPERATOR}, pkg/prometheus/promcfg.go generateServiceMonitorConfig, generatePodMonitorConfig`,
      fix: 'Set port to the name of a port of the Service or container, or replace port with targetPort or portNumber.',
    },
    function* (manifest, { set }) {
      const names = portNames(manifest, set);
      if (names === undefined) {
        return;
      }
      for (const { value, path } of endpointsOf(manifest)) {
        const port = asString(value.port);
        if (port === undefined || port === '' || names.has(port)) {
          continue;
        }
        const what = manifest.id.kind === 'ServiceMonitor' ? 'Service' : 'pod';
        const known = [...names].filter((name) => name !== '').sort();
        yield {
          path: pointer(path, 'port'),
          message: `no ${what} that the monitor selects has a port named "${port}"`,
          found: port,
          ...(known.length === 0
            ? {
                expected: `a port named "${port}"`,
                fix: `Set name: ${port} on a port of the ${what}, or set targetPort or portNumber to a number.`,
              }
            : { expected: oneOfStrings(known) }),
        };
      }
    },
  ),

  monitoringRule(
    'dcgm-exporter-labels',
    [SERVICE_MONITOR, POD_MONITOR],
    {
      row: 'SM6',
      tier: 'advice',
      summary:
        'A monitor for the DCGM exporter must select its labels: app: nvidia-dcgm-exporter with the GPU operator, app.kubernetes.io/name: dcgm-exporter with its own chart.',
      why: 'No target remains, so no GPU metrics are collected, and no error is reported.',
      source: `${cite('nvidia-gpu-operator')}, assets/state-dcgm-exporter; dcgm-exporter, deployment`,
      fix: 'Set spec.selector.matchLabels.app to nvidia-dcgm-exporter.',
    },
    function* (manifest, { set }) {
      const wanted = asObject(asObject(asObject(manifest.object.spec).selector).matchLabels);
      const chosen =
        manifest.id.kind === 'ServiceMonitor' ? set.servicesSelectedBy(manifest) : set.podsSelectedBy(manifest);
      if (wanted.app !== 'dcgm-exporter' || chosen.length > 0) {
        return;
      }
      const operators = namespacesOf(manifest).includes('gpu-operator');
      yield {
        path: '/spec/selector/matchLabels/app',
        message: `no DCGM exporter object has the label app: dcgm-exporter${operators ? ' in the namespace "gpu-operator"' : ''}`,
        found: 'dcgm-exporter',
        expected: 'nvidia-dcgm-exporter',
        ...(operators ? {} : { severity: 'warning' as const }),
      };
    },
  ),
];

function namespacesOf({ id, object }: Manifest): readonly string[] {
  const { any, matchNames } = asObject(asObject(object.spec).namespaceSelector);
  if (any === true) {
    return [];
  }
  const names = asArray(matchNames).flatMap((name) => asString(name) ?? []);
  return names.length > 0 ? names : [id.namespace];
}

function servicesSeenBy(manifest: Manifest, set: ManifestSet): readonly Manifest[] {
  const namespaces = namespacesOf(manifest);
  return set.ofKind('Service').filter(({ id }) => namespaces.length === 0 || namespaces.includes(id.namespace));
}

function hasPortOf(monitor: Manifest, service: Manifest): boolean {
  const names = portNamesOf(service);
  return endpointsOf(monitor).some(({ value }) => {
    const port = asString(value.port) ?? '';
    return port === '' || names.includes(port);
  });
}

function portNamesOf({ object }: Manifest): readonly string[] {
  return objectsAt(object, '/spec/ports').map(({ value }) => asString(value.name) ?? '');
}

/** Names of the ports of everything that the monitor selects; `undefined` where it selects nothing of the set, or ports are not known. */
function portNames(manifest: Manifest, set: ManifestSet): ReadonlySet<string> | undefined {
  if (manifest.id.kind === 'ServiceMonitor') {
    const services = set.servicesSelectedBy(manifest);
    if (services.length === 0) {
      return undefined;
    }
    return new Set(services.flatMap(portNamesOf));
  }
  const pods = set.podsSelectedBy(manifest);
  // A container that lists no port may still listen, but the monitor goes by the list.
  return pods.length === 0 ? undefined : new Set(pods.flatMap(portNamesOfPod));
}

const portNamesOfPods = new WeakMap<PodTemplate, readonly string[]>();

function portNamesOfPod(template: PodTemplate): readonly string[] {
  let names = portNamesOfPods.get(template);
  if (names === undefined) {
    const { spec } = template;
    names = [...objectsAt(spec, '/containers'), ...objectsAt(spec, '/initContainers')].flatMap(({ value }) =>
      objectsAt(value, '/ports').map((port) => asString(port.value.name) ?? ''),
    );
    portNamesOfPods.set(template, names);
  }
  return names;
}

/** The interval that endpoints without one have, where the set says it. */
function sharedInterval(set: ManifestSet): string | undefined {
  const intervals = new Set(
    set
      .ofKind('monitoring.coreos.com/Prometheus')
      .map(({ object }) => asString(asObject(object.spec).scrapeInterval) ?? '30s'),
  );
  const [only] = intervals;
  return intervals.size === 1 ? only : undefined;
}
