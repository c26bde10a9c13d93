/**
 * Loads the program that reads a running cluster: as a bundle, or as source where there is none, in the project itself.
 */
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { type JsonObject } from '../../facts/api/schema';
import { type ObjectId } from '../../manifests/manifest';
import { versionOf } from '../checks/version';
import type * as Live from '../live/main';
import { UsageError } from './terminal';

const load = createRequire(__filename);
const BUNDLE = join(__dirname, 'live-bundle.js');

export interface LiveRequest {
  readonly context?: string;
  readonly kubeconfig?: string;
  readonly configMaps?: readonly string[];
  /** Objects to read whole, beside the snapshot. @default - none */
  readonly objects?: readonly ObjectId[];
  readonly progress?: (text: string) => void;
}

/** @throws UsageError where the cluster cannot be read */
export function readLive(request: LiveRequest): Promise<Live.LiveCluster> {
  // A snapshot says when it was taken to the second.
  const takenAt = new Date().toISOString().replace(/\.\d+Z$/, 'Z');
  return loaded(({ readLiveCluster }) => readLiveCluster({ ...request, takenAt, takenBy: versionOf() }));
}

/**
 * The ConfigMaps of the history of a scheduler.
 * @throws UsageError where they cannot be read
 */
export function readHistoryOf(request: Omit<Live.LiveHistoryOptions, 'version'>): Promise<readonly JsonObject[]> {
  return loaded(({ readLiveHistory }) => readLiveHistory({ ...request, version: versionOf() }));
}

async function loaded<T>(work: (live: typeof Live) => Promise<T>): Promise<T> {
  try {
    return await work(load(existsSync(BUNDLE) ? BUNDLE : '../live/main') as typeof Live);
  } catch (error) {
    throw error instanceof Error && error.name === 'LiveClusterError' ? new UsageError(error.message) : error;
  }
}
