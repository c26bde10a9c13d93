/**
 * Synthesis in memory: an app's objects with the report of their check.
 */
import { createRequire } from 'node:module';
import { type IConstruct } from 'constructs';
import { type JsonObject } from '../../facts/api/schema';
import { type ManifestSet } from '../../manifests/manifest-set';
import { CheckError } from './check-error';
import type * as CheckTree from './check-tree';
import { withPath } from './pending-mistakes';
import { hasErrors, type Report } from '../report/report';
import { renderText } from '../report/text';
import { synthState } from './synth-state';

/** Options of `synthesize`. */
export interface SynthesizeOptions {
  /**
   * What errors in the report do: `throw` a `CheckError`, or `return` with the rest.
   * @default 'throw'
   */
  readonly onErrors?: 'throw' | 'return';
}

/** What an app renders to, and what the checks find in it. */
export interface Synthesis {
  /** The objects in the order in which cdk8s writes them. */
  readonly objects: readonly JsonObject[];
  /** The same objects as a set, each with the path of its construct: what rules and `check` read. */
  readonly manifests: ManifestSet;
  /** Findings of every severity, what was not checked, and what was suppressed. */
  readonly report: Report;
}

/**
 * Synthesizes everything below a construct in memory, and checks it. No file is written.
 *
 * @param scope an app, a chart, or any construct
 * @throws CheckError with the whole report if a finding is an error, unless `onErrors` is `return`
 * @throws Error if a construct was given what it cannot be built from, or a validation of a construct fails
 * @example
 * const { objects, report } = synthesize(app, { onErrors: 'return' });
 * console.log(`${objects.length} objects, ${report.findings.length} findings`);
 */
export function synthesize(scope: IConstruct, options: SynthesizeOptions = {}): Synthesis {
  validateConstructs(scope);
  const { checkRendered } = createRequire(__filename)('./check-tree') as typeof CheckTree;
  const { report, rendered, set } = checkRendered(scope);
  if (options.onErrors !== 'return' && hasErrors(report)) {
    throw new CheckError(renderText(report), report);
  }
  return { objects: rendered.map(({ manifest }) => manifest.object), manifests: set, report };
}

/** The validations of constructs, as `App.synth` runs them, without the check, which comes next. */
export function validateConstructs(scope: IConstruct): void {
  const state = synthState(scope);
  const { phase } = state;
  state.phase = 'off';
  try {
    const errors = scope.node
      .findAll()
      .flatMap((construct) => construct.node.validate().map((error) => withPath(construct.node.path, error)));
    if (errors.length > 0) {
      throw new Error(`Validation failed with the following errors:\n  ${errors.join('\n  ')}`);
    }
  } finally {
    state.phase = phase;
  }
}
