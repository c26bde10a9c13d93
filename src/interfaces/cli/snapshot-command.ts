/**
 * `gantry snapshot`: reads a cluster once into a file that every other command takes in its place.
 */
import { stringify } from 'yaml';
import { counted, printable } from '../../facts/words';
import { anonymous } from '../../manifests/snapshot/anonymous';
import { snapshotClusterRole } from '../../manifests/snapshot/cluster-role';
import { type ClusterSnapshot, writeSnapshot } from '../../manifests/snapshot/cluster-snapshot';
import { readLive } from './live-cluster';
import { Progress, UsageError, type Terminal } from './terminal';
import { writeWhole } from './whole-file';

export interface SnapshotFlags {
  readonly context?: string;
  readonly kubeconfig?: string;
  readonly output?: string;
  readonly includeConfigmap?: readonly string[];
  readonly anonymize?: boolean;
  readonly clusterRole?: boolean;
}

/** @returns the exit status */
export async function snapshotCommand(flags: SnapshotFlags, terminal: Terminal): Promise<number> {
  if (flags.clusterRole === true) {
    terminal.out(stringify(snapshotClusterRole(), { lineWidth: 0 }));
    return 0;
  }
  const configMaps = flags.includeConfigmap ?? [];
  const wrong = configMaps.find((text) => !/^[a-z0-9.-]+\/[a-z0-9.-]+$/.test(text));
  if (wrong !== undefined) {
    throw new UsageError(`--include-configmap ${wrong}: must be NAMESPACE/NAME`);
  }
  const progress = new Progress(terminal);
  try {
    const { snapshot: read } = await readLive({
      ...flags,
      configMaps,
      progress: (text) => progress.say(text),
    });
    const snapshot = flags.anonymize === true ? anonymous(read) : read;
    const output = flags.output ?? `${fileName(snapshot.name)}.gantry.json.gz`;
    progress.say('writing the snapshot');
    const bytes = writeSnapshot(snapshot, { compressed: output.endsWith('.gz') });
    writeWhole(output, bytes, terminal.cwd);
    progress.done();
    terminal.out(`${output}: ${summaryOf(snapshot)}, ${sizeOf(bytes.length)}\n`);
    for (const { what, why } of snapshot.gaps) {
      terminal.err(`gantry: not in the snapshot: ${printable(`${what}: ${why}`)}\n`);
    }
    return 0;
  } finally {
    progress.done();
  }
}

/** Contexts may be named `user@host:port/…`. */
function fileName(name: string): string {
  return name.replace(/[^A-Za-z0-9._-]+/g, '-').replace(/^[-.]+|-+$/g, '') || 'cluster';
}

function summaryOf({ serverVersion, lists }: ClusterSnapshot): string {
  const count = (kind: string): number =>
    lists.filter((list) => list.kind === kind).reduce((sum, { items }) => sum + items.length, 0);
  const objects = lists.reduce((sum, { items }) => sum + items.length, 0);
  return `Kubernetes ${serverVersion}, ${counted(count('Node'), 'node')}, ${counted(count('Pod'), 'pod')}, ${counted(objects, 'object')}`;
}

function sizeOf(bytes: number): string {
  return bytes < 1024 * 1024 ? `${Math.ceil(bytes / 1024)} KiB` : `${(bytes / 1024 / 1024).toFixed(1)} MiB`;
}
