/**
 * The upstream releases whose behavior the rules and schemas here are taken from, as the catalog lists them.
 */
import { UPSTREAM, type UpstreamRelease } from '../upstream';
import { frozen } from './frozen';

/** An upstream project, with the release that Gantry is written for. */
export interface ProjectFact {
  /** Name of the project. */
  readonly name: string;
  /** The release whose schemas, webhooks, and charts Gantry knows. */
  readonly version: string;
  /** Helm repository, or OCI registry, of its chart. Absent where there is no chart. */
  readonly chart?: string;
}

/** The upstream projects, with the release of each that Gantry is written for. */
export const PROJECTS: readonly ProjectFact[] = frozen(
  Object.values<UpstreamRelease>(UPSTREAM).map(({ title, version, chart }) => ({
    name: title,
    version,
    ...(chart === undefined ? {} : { chart }),
  })),
);
