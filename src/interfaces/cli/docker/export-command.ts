/**
 * `gantry docker export`: a task as a workload for a cluster.
 */
import { stringify } from 'yaml';
import { exported, type ExportKind } from '../../../runtime/docker/export/manifest';
import { type Terminal } from '../terminal';
import { clientOf, reported, type SocketFlags } from './connection';

export interface ExportFlags extends SocketFlags {
  readonly as: ExportKind;
}

export async function exportCommand(task: string, flags: ExportFlags, terminal: Terminal): Promise<number> {
  return reported(async () => {
    const { manifests, notes } = exported(await clientOf(flags, terminal).spec(task), flags.as);
    const comments = notes.map((note) => `# ${note}\n`).join('');
    terminal.out(`${comments}${manifests.map((manifest) => stringify(manifest)).join('---\n')}`);
    return 0;
  });
}
