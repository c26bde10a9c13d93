/**
 * Prometheus' own configuration as a text in a ConfigMap: jobs, their times, their relabelings, and whether they find the DCGM exporter.
 */
import { cite } from '../../../facts/upstream';
import { type JsonObject } from '../../../facts/api/schema';
import { type ObjectRule, type Rule } from '../../../checks/rules/rule';
import { type Manifest } from '../../../manifests/manifest';
import { pointer } from '../../../manifests/pointer';
import { asArray, asObject, asString, isObject, objectsAt, stringEntries, stringsIn } from '../../../manifests/read';
import { parseValue } from '../../../manifests/yaml';
import { matchesWhole, parseDuration } from '../../../facts/promql';
import { monitoringRule, PROMETHEUS } from './monitoring-rule';
import { SCRAPE_CONFIGS } from './query-places';
import { problemsInSteps, PROMETHEUS_FIELDS } from './relabeling';

interface ScrapeFile {
  readonly key: string;
  readonly path: string;
  readonly config: JsonObject;
  readonly jobs: readonly { readonly value: JsonObject; readonly name: string }[];
}

interface Found {
  readonly files: readonly ScrapeFile[];
  readonly broken: readonly { readonly path: string; readonly message: string }[];
}

const cache = new WeakMap<Manifest, Found>();

function look(manifest: Manifest): Found {
  let found = cache.get(manifest);
  if (found === undefined) {
    const files: ScrapeFile[] = [];
    const broken: { path: string; message: string }[] = [];
    for (const [key, text] of stringEntries(manifest.object.data)) {
      if (!SCRAPE_CONFIGS.test(text) || /\{\{-|^[ \t]*\{\{/m.test(text)) {
        continue;
      }
      const path = pointer('/data', key);
      const parsed = parseValue(text, key);
      if (!('value' in parsed)) {
        broken.push({
          path,
          message: `${key} is not valid YAML: line ${parsed.problem.position.line}: ${parsed.problem.message.split('\n', 1)[0] ?? ''}`,
        });
      } else if (isObject(parsed.value)) {
        const config = parsed.value;
        const jobs = objectsAt(config, '/scrape_configs').map(({ value, index }) => ({
          value,
          name:
            (asString(value.job_name) ?? '') === ''
              ? `scrape_configs[${index}]`
              : `the job "${asString(value.job_name)}"`,
        }));
        files.push({ key, path, config, jobs });
      }
    }
    found = { files, broken };
    cache.set(manifest, found);
  }
  return found;
}

const ENDS = 'Prometheus rejects the configuration: at startup it exits, and on a reload it keeps the current one.';
const CONFIG = `${PROMETHEUS}, config/config.go`;

function fileRule(
  id: string,
  facts: Parameters<typeof monitoringRule>[2],
  check: (file: ScrapeFile) => ReturnType<ObjectRule['check']>,
): ObjectRule {
  return monitoringRule(id, ['ConfigMap'], facts, function* (manifest) {
    for (const file of look(manifest).files) {
      yield* check(file);
    }
  });
}

export const scrapeFileRules: readonly Rule[] = [
  monitoringRule(
    'scrape-file-readable',
    ['ConfigMap'],
    {
      row: 'SF1',
      summary: 'A Prometheus configuration in a ConfigMap must be valid YAML.',
      why: ENDS,
      source: CONFIG,
      fix: 'Write valid YAML in data["prometheus.yml"], at the line in the message.',
    },
    (manifest) => look(manifest).broken,
  ),

  fileRule(
    'scrape-job-valid',
    {
      row: 'SF1',
      summary:
        'Each job of a Prometheus configuration must have a unique name, a timeout no longer than its interval, and valid relabelings.',
      why: ENDS,
      source: `${CONFIG}; model/relabel/relabel.go`,
      fix: 'Set job_name to a unique name, and scrape_timeout to at most scrape_interval.',
    },
    function* ({ path, config, jobs }) {
      const seen = new Set<string>();
      const shared = asObject(config.global);
      for (const { value, name } of jobs) {
        const own = asString(value.job_name);
        if (own === undefined || own === '') {
          yield { path, message: `${name} must set job_name`, fix: `Set ${name}.job_name to a unique name.` };
        } else if (seen.has(own)) {
          yield {
            path,
            message: `duplicate job_name "${own}"`,
            found: own,
            fix: 'Set job_name to a unique name in one of the jobs.',
          };
        }
        seen.add(own ?? '');
        const interval = asString(value.scrape_interval) ?? asString(shared.scrape_interval) ?? '1m';
        const timeout = asString(value.scrape_timeout);
        const [limit, waits] = [parseDuration(interval), parseDuration(timeout ?? '')];
        if (timeout !== undefined && waits !== undefined && limit !== undefined && waits > limit) {
          yield {
            path,
            message: `scrape_timeout in ${name} must be less than or equal to scrape_interval (${timeout} > ${interval})`,
            found: timeout,
            fix: `Set scrape_timeout to at most ${interval}, or raise scrape_interval.`,
          };
        }
        for (const list of ['relabel_configs', 'metric_relabel_configs']) {
          for (const { index, message, fix } of problemsInSteps(value[list], PROMETHEUS_FIELDS)) {
            yield { path, message: `${list}[${index}] in ${name}: ${message}`, fix };
          }
        }
      }
    },
  ),

  fileRule(
    'scrape-job-finds-dcgm-exporter',
    {
      row: 'SM6',
      tier: 'advice',
      summary:
        "A job that keeps the DCGM exporter's pods by their label app must keep app: nvidia-dcgm-exporter if the GPU operator deploys them.",
      why: 'The regular expression of a relabeling must match the whole value: dcgm-exporter matches no pod of the operator, and no target remains.',
      source: `${cite('nvidia-gpu-operator')}, assets/state-dcgm-exporter/0800_daemonset.yaml; Prometheus, model/relabel/relabel.go NewRegexp`,
      fix: 'Set regex to nvidia-dcgm-exporter in relabel_configs, or use a ServiceMonitor for the Service "nvidia-dcgm-exporter".',
    },
    function* ({ path, jobs }) {
      for (const { value, name } of jobs) {
        const namespaces = objectsAt(value, '/kubernetes_sd_configs').flatMap(({ value: discovery }) =>
          stringsIn(asObject(discovery.namespaces).names),
        );
        for (const step of asArray(value.relabel_configs).map(asObject)) {
          const sources = stringsIn(step.source_labels);
          const regex = asString(step.regex);
          const keeps = (asString(step.action) ?? '').toLowerCase() === 'keep';
          if (
            !keeps ||
            regex === undefined ||
            sources.length !== 1 ||
            !/^__meta_kubernetes_(pod|service)_label_app$/.test(sources[0] ?? '')
          ) {
            continue;
          }
          if (!matchesWhole(regex, 'dcgm-exporter') || matchesWhole(regex, 'nvidia-dcgm-exporter')) {
            continue;
          }
          const certain = namespaces.includes('gpu-operator');
          yield {
            path,
            message: `${name} keeps only pods with the label app: ${regex}, but the DCGM exporter pods of the GPU operator have app: nvidia-dcgm-exporter`,
            found: regex,
            expected: 'nvidia-dcgm-exporter',
            ...(certain ? {} : { severity: 'warning' as const }),
          };
        }
      }
    },
  ),
];
