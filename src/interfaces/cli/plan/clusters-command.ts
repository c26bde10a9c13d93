/**
 * `gantry plan PATH... --cluster NAME=A --cluster NAME=B`: which of several clusters runs each workload.
 */
import { type NamedCluster, planClusters } from '../../../planning/clusters/plan-clusters';
import { oneOf } from '../check/check-options';
import { readClusterOption } from '../cluster-option';
import { readWholeManifests } from '../inputs';
import { clustersJson, clustersText } from './clusters-text';
import { explained, type PlanFlags, write } from './plan-command';
import { policyNamed } from './policy-option';
import { Progress, UsageError, wantsColor, type Terminal } from '../terminal';

const FORMATS = ['text', 'json'] as const;
/** The name of a MultiKueueCluster, or any other. */
const NAMED = /^([a-z0-9](?:[-.a-z0-9]{0,251}[a-z0-9])?)=(.+)$/s;

/** @returns the exit status: 0 if every gang has a cluster, 1 if one waits */
export async function planClustersCommand(
  paths: readonly string[],
  flags: PlanFlags & { readonly cluster: readonly string[] },
  terminal: Terminal,
): Promise<number> {
  if (flags.format === 'html') {
    throw new UsageError('--format html shows one cluster; pass one --cluster, or use text or json');
  }
  const format = flags.format === undefined ? 'text' : oneOf('--format', flags.format, FORMATS, 'format');
  for (const [flag, value] of [
    ['--what-if', flags.whatIf],
    ['--price', flags.price],
  ] as const) {
    if (value !== undefined) {
      throw new UsageError(`${flag} changes one cluster; pass one --cluster`);
    }
  }
  if (paths.length === 0) {
    throw new UsageError('no manifests to plan on several clusters; pass files or folders');
  }
  const named = flags.cluster.map(nameAndSource);
  const names = named.map(({ name }) => name);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) {
    throw new UsageError(`--cluster ${twice}=…: two clusters have the name ${twice}; give each a unique name`);
  }
  const progress = new Progress(terminal);
  try {
    const policy = flags.policy === undefined ? undefined : policyNamed(flags.policy, terminal);
    const clusters: NamedCluster[] = [];
    for (const { name, source } of named) {
      const input = await readClusterOption({ cluster: source, maxAge: flags.maxAge }, terminal);
      clusters.push({ name, state: { ...input.state(), name } });
    }
    const set = await readWholeManifests(paths, terminal, progress);
    progress.say(`planning on ${clusters.length} clusters`);
    const plan = explained(() => planClusters(set, clusters, { policy }));
    progress.done();
    const toFile = flags.output !== undefined;
    const options = {
      color: !toFile && wantsColor(terminal, flags.color),
      width: toFile ? undefined : terminal.columns,
    };
    write(format === 'json' ? clustersJson(plan) : clustersText(plan, options), flags, terminal);
    return plan.good ? 0 : 1;
  } finally {
    progress.done();
  }
}

function nameAndSource(text: string): { readonly name: string; readonly source: string } {
  const [, name, source] = NAMED.exec(text) ?? [];
  if (name === undefined) {
    throw new UsageError(
      `--cluster ${text}: each of several clusters must have a name; write --cluster NAME=CLUSTER with the name of its MultiKueueCluster`,
    );
  }
  return { name, source };
}
