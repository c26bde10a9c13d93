/**
 * The charts that the Go modules of the covered projects contain, rendered by Helm itself and checked by the command.
 */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join, resolve } from 'node:path';
import { type Upstream } from '../../../src/facts/upstream';
import { type Report } from '../../../src/checks/report/report';
import { moduleFolder } from '../../corpus/official/examples';
import { buildHelm, helmFolder, helmVersion, whyNoHelm } from './helm';

interface Chart {
  readonly project: Upstream;
  readonly module: string;
  /** Path in the module. */
  readonly chart: string;
  /** Flags without which the chart refuses to be rendered. */
  readonly words?: readonly string[];
}

const CHARTS: readonly Chart[] = [
  { project: 'kueue', module: 'sigs.k8s.io/kueue', chart: 'charts/kueue' },
  { project: 'jobset', module: 'sigs.k8s.io/jobset', chart: 'charts/jobset' },
  {
    project: 'nvidia-dra-driver-gpu',
    module: 'sigs.k8s.io/dra-driver-nvidia-gpu',
    chart: 'deployments/helm/dra-driver-nvidia-gpu',
    words: ['--namespace', 'dra-driver', '--set', 'gpuResourcesEnabledOverride=true'],
  },
  {
    project: 'scheduler-plugins',
    module: 'sigs.k8s.io/scheduler-plugins',
    chart: 'manifests/install/charts/as-a-second-scheduler',
  },
  {
    project: 'node-feature-discovery',
    module: 'sigs.k8s.io/node-feature-discovery',
    chart: 'deployment/helm/node-feature-discovery',
  },
  {
    project: 'sriov-network-operator',
    module: 'github.com/k8snetworkplumbingwg/sriov-network-operator',
    chart: 'deployment/sriov-network-operator-chart',
  },
];

const reason = whyNoHelm();

(reason === undefined ? describe : describe.skip)(`helm ${helmVersion()}`, () => {
  beforeAll(() => {
    buildHelm();
  });

  test.each(CHARTS)(
    'renders the chart of $project, in which nothing is an error',
    ({ project, module, chart, words = [] }) => {
      const folder = join(moduleFolder({ project, module, folders: [] }), chart);
      const { stdout, stderr } = spawnSync(
        process.execPath,
        [resolve(__dirname, '../../../bin/gantry'), 'check', '--helm', folder, ...words, '--format', 'json'],
        {
          encoding: 'utf8',
          maxBuffer: 1 << 26,
          env: { ...process.env, PATH: `${helmFolder()}${delimiter}${process.env.PATH ?? ''}` },
        },
      );
      expect(stderr).toBe('');
      const { documents, findings } = JSON.parse(stdout) as Report;
      expect(documents).toBeGreaterThan(5);
      expect(findings.filter(({ severity }) => severity === 'error')).toEqual([]);
      // Where a finding is, Helm says: each is in a template of the chart.
      const files = findings.flatMap(({ file }) => file ?? []);
      expect(files.filter((file) => !existsSync(file))).toEqual([]);
    },
  );
});
