/**
 * One runner for an engine. A volume of the engine carries the identity of the store whose tasks run there: making a volume that exists returns the one that exists, so
 * of two runners exactly one finds its own identity.
 */
import { type Engine } from '../engine/engine';
import { RunnerError } from '../runner-error';
import { LABELS } from './container-spec';

const VOLUME = 'gantry-runner';
const FOLDER_LABEL = 'dev.gantry.folder';

/**
 * @returns the identity that the engine carries now
 * @throws RunnerError if the engine belongs to another store
 */
export async function own(
  engine: Pick<Engine, 'volume' | 'name'>,
  { runner, folder }: { readonly runner: string; readonly folder: string },
): Promise<void> {
  const labels = await engine.volume(VOLUME, { [LABELS.runner]: runner, [FOLDER_LABEL]: folder });
  const owner = labels[LABELS.runner];
  if (owner !== runner) {
    throw new RunnerError(
      `the engine at ${engine.name} is used by the runner whose tasks are in ${labels[FOLDER_LABEL] ?? 'another folder'}`,
      'Start that runner instead. If its tasks are lost, start this one with --adopt.',
      'conflict',
    );
  }
}

/** The identity that the engine carries, or the given one if it carries none yet. */
export async function ownerOf(engine: Pick<Engine, 'volume'>, runner: string, folder: string): Promise<string> {
  const labels = await engine.volume(VOLUME, { [LABELS.runner]: runner, [FOLDER_LABEL]: folder });
  return labels[LABELS.runner] ?? runner;
}
