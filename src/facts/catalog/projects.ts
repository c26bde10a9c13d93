/**
 * The upstream releases whose behaviour the rules and schemas here are taken from, as the catalog lists them.
 */
import { UPSTREAM, type UpstreamRelease } from '../upstream';
import { frozen } from './frozen';

export interface ProjectFact {
  readonly name: string;
  readonly version: string;
  /** Helm repository, or the OCI registry, of its chart. */
  readonly chart?: string;
}

export const PROJECTS: readonly ProjectFact[] = frozen(
  Object.values<UpstreamRelease>(UPSTREAM).map(({ title, version, chart }) => ({
    name: title,
    version,
    ...(chart === undefined ? {} : { chart }),
  })),
);
