/**
 * A kube-scheduler of its own configuration, beside that of the control plane.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { components, programPath } from '../control-plane/components';
import { type ProcessRecord, startProcess } from '../control-plane/process';

/**
 * @param config path of a KubeSchedulerConfiguration
 * @param folder where its log is written
 */
export function startKubeScheduler(config: string, folder: string): ProcessRecord {
  const program = programPath(components().find(({ name }) => name === 'kube-scheduler')!);
  if (!existsSync(program)) {
    throw new Error(`${program} is not built.`);
  }
  return startProcess(
    'own-kube-scheduler',
    program,
    [`--config=${config}`, '--secure-port=0'],
    join(folder, 'log'),
    folder,
  );
}
