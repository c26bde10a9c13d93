/**
 * Rules about what Prometheus scrapes: monitors, and its own configuration in ConfigMaps.
 */
import { monitoringRules } from '../../../src/constructs/monitoring/rules';
import { findingsOf } from '../../support/findings';
import { file, fires, said } from './manifests';

describe('monitors', () => {
  const monitor = (endpoint: string, selector = '{ matchLabels: { app: server } }'): string => `
apiVersion: monitoring.coreos.com/v1
kind: ServiceMonitor
metadata: { name: server, namespace: web, labels: { release: prometheus } }
spec:
  selector: ${selector}
  endpoints: [${endpoint}]
`;
  const service = (labels: string, port = 'metrics'): string => `
---
apiVersion: v1
kind: Service
metadata: { name: server, namespace: web, labels: ${labels} }
spec: { selector: { app: server }, ports: [{ name: ${port}, port: 9100 }] }
`;

  test('two ways to say who one is', () => {
    expect(
      fires(
        monitor(
          '{ port: metrics, basicAuth: { username: { name: a, key: b } }, bearerTokenSecret: { name: a, key: b } }',
        ),
      ),
    ).toEqual(['monitor-one-authentication']);
    expect(
      fires(monitor('{ port: metrics, authorization: { type: Basic, credentials: { name: a, key: b } } }')),
    ).toEqual(['monitor-one-authentication']);
    expect(fires(monitor('{ port: metrics, authorization: { type: Bearer } }'))).toEqual([
      'monitor-one-authentication',
    ]);
    expect(fires(monitor('{ port: metrics, authorization: { credentials: { name: a, key: b } } }'))).toEqual([]);
  });

  test('a timeout longer than the interval', () => {
    expect(fires(monitor('{ port: metrics, interval: 15s, scrapeTimeout: 1m }'))).toEqual([
      'scrape-timeout-within-interval',
    ]);
    expect(fires(monitor('{ port: metrics, interval: 1m, scrapeTimeout: 60s }'))).toEqual([]);
    expect(fires(monitor('{ port: metrics, scrapeTimeout: 1m }'))).toEqual([]);
    const prometheus =
      '\n---\napiVersion: monitoring.coreos.com/v1\nkind: Prometheus\nmetadata: { name: p, namespace: web }\nspec: { serviceMonitorSelector: {} }\n';
    expect(fires(monitor('{ port: metrics, scrapeTimeout: 1m }') + prometheus)).toEqual([
      'scrape-timeout-within-interval',
    ]);
  });

  test('labels of pods where those of the Service are meant', () => {
    expect(fires(monitor('{ port: metrics }') + service('{ tier: web }'))).toEqual([
      'monitor-selects-services-by-their-labels',
    ]);
    expect(fires(monitor('{ port: metrics }') + service('{ app: server }'))).toEqual([]);
    expect(fires(monitor('{ port: metrics }'))).toEqual([]);
  });

  test('a Service with the same pods and other ports is not the one that the monitor means', () => {
    const other = service('{ purpose: other }');
    expect(fires(monitor('{ port: gpu-metrics }') + other)).toEqual([]);
    expect(fires(monitor('{ targetPort: 9100 }') + other)).toEqual(['monitor-selects-services-by-their-labels']);
  });

  test('a port that the Service has not, or has under a number', () => {
    expect(findingsOf(monitor('{ port: "9100" }') + service('{ app: server }'), monitoringRules)).toMatchObject([
      { rule: 'monitoring/monitor-port-exists', expected: 'metrics' },
    ]);
    expect(fires(monitor('{ targetPort: 9100 }') + service('{ app: server }'))).toEqual([]);
  });

  test('a port that the pods have not', () => {
    const pods = (port: string): string => `
apiVersion: monitoring.coreos.com/v1
kind: PodMonitor
metadata: { name: m, namespace: web }
spec: { selector: { matchLabels: { app: s } }, podMetricsEndpoints: [{ port: ${port} }] }
---
apiVersion: apps/v1
kind: Deployment
metadata: { name: s, namespace: web }
spec:
  selector: { matchLabels: { app: s } }
  template: { metadata: { labels: { app: s } }, spec: { containers: [{ name: c, image: i, ports: [{ name: metrics, containerPort: 1 }] }] } }
`;
    expect(fires(pods('http'))).toEqual(['monitor-port-exists']);
    expect(fires(pods('metrics'))).toEqual([]);
  });

  test('the DCGM exporter by a label that it has not', () => {
    const dcgm = (namespace: string, app: string): string =>
      monitor('{ port: gpu-metrics }', `{ matchLabels: { app: ${app} } }`).replace(
        'namespace: web',
        `namespace: ${namespace}`,
      );
    expect(findingsOf(dcgm('gpu-operator', 'dcgm-exporter'), monitoringRules)).toMatchObject([
      { rule: 'monitoring/dcgm-exporter-labels', severity: 'error' },
    ]);
    expect(findingsOf(dcgm('monitoring', 'dcgm-exporter'), monitoringRules)).toMatchObject([{ severity: 'warning' }]);
    expect(fires(dcgm('gpu-operator', 'nvidia-dcgm-exporter'))).toEqual([]);
  });

  describe('beside a Prometheus', () => {
    const prometheus = (spec: string): string =>
      `\n---\napiVersion: monitoring.coreos.com/v1\nkind: Prometheus\nmetadata: { name: main, namespace: monitoring }\nspec: ${spec}\n`;
    const web = '\n---\napiVersion: v1\nkind: Namespace\nmetadata: { name: web, labels: { team: a } }\n';

    test.each([
      [
        '{ serviceMonitorSelector: { matchLabels: { release: other } }, serviceMonitorNamespaceSelector: {} }',
        'selects objects with release: other',
      ],
      ['{ podMonitorSelector: {} }', 'has no serviceMonitorSelector'],
      ['{ serviceMonitorSelector: {} }', 'selects objects only in its own namespace "monitoring"'],
      [
        '{ serviceMonitorSelector: {}, serviceMonitorNamespaceSelector: { matchLabels: { team: b } } }',
        'selects namespaces with team: b',
      ],
    ])('%s does not pick it up', (spec, message) => {
      expect(said(monitor('{ port: metrics }') + prometheus(spec) + web)).toEqual([expect.stringContaining(message)]);
    });

    test.each([
      '{ serviceMonitorSelector: { matchLabels: { release: prometheus } }, serviceMonitorNamespaceSelector: {} }',
      '{ serviceMonitorSelector: {}, serviceMonitorNamespaceSelector: { matchLabels: { kubernetes.io/metadata.name: web } } }',
      '{ serviceMonitorSelector: {}, serviceMonitorNamespaceSelector: { matchLabels: { team: a } } }',
    ])('%s picks it up', (spec) => {
      expect(fires(monitor('{ port: metrics }') + prometheus(spec) + web)).toEqual([]);
    });

    test('scrape classes and files', () => {
      const classes = prometheus(
        '{ serviceMonitorSelector: {}, serviceMonitorNamespaceSelector: {}, arbitraryFSAccessThroughSMs: { deny: true }, scrapeClasses: [{ name: tls }] }',
      );
      expect(fires(`${monitor('{ port: metrics }').trimEnd()}\n  scrapeClass: mtls\n${classes}`)).toEqual([
        'scrape-class-exists',
      ]);
      expect(fires(`${monitor('{ port: metrics }').trimEnd()}\n  scrapeClass: tls\n${classes}`)).toEqual([]);
      expect(fires(monitor('{ port: metrics, bearerTokenFile: /var/token }') + classes)).toEqual([
        'no-file-access-where-denied',
      ]);
      expect(fires(monitor('{ port: metrics, bearerTokenFile: /var/token }'))).toEqual([]);
    });
  });
});

describe('configurations of Prometheus in ConfigMaps', () => {
  const job = (text: string): string => file(`scrape_configs:\n${text}`, 'prometheus.yml');
  const dcgm = (regex: string, namespace: string): string =>
    job(`- job_name: dcgm
  kubernetes_sd_configs: [{ role: pod, namespaces: { names: [${namespace}] } }]
  relabel_configs:
  - { source_labels: [__meta_kubernetes_pod_label_app], action: keep, regex: "${regex}" }`);

  test('a job that finds no pod of the GPU operator', () => {
    expect(findingsOf(dcgm('dcgm-exporter', 'gpu-operator'), monitoringRules)).toMatchObject([
      { rule: 'monitoring/scrape-job-finds-dcgm-exporter', severity: 'error', expected: 'nvidia-dcgm-exporter' },
    ]);
    expect(findingsOf(dcgm('dcgm-exporter', 'gpu'), monitoringRules)).toMatchObject([{ severity: 'warning' }]);
    expect(fires(dcgm('(nvidia-)?dcgm-exporter', 'gpu-operator'))).toEqual([]);
  });

  test('jobs that Prometheus refuses', () => {
    expect(fires(job('- job_name: a\n  scrape_interval: 10s\n  scrape_timeout: 20s'))).toEqual(['scrape-job-valid']);
    expect(fires(job('- job_name: a\n- job_name: a'))).toEqual(['scrape-job-valid']);
    expect(fires(job('- static_configs: []'))).toEqual(['scrape-job-valid']);
    expect(fires(job('- job_name: a\n  relabel_configs: [{ action: replace }]'))).toEqual(['scrape-job-valid']);
    expect(
      fires(job('- job_name: a\n  scrape_timeout: 20s\n  static_configs: [{ targets: [a:1] }]\n- job_name: b')),
    ).toEqual([]);
    expect(fires(job('- job_name: a\n x: [}'))).toEqual(['scrape-file-readable']);
  });
});
