/**
 * Checks that run by themselves: an app that holds a Gantry construct is checked whenever it is synthesized.
 *
 * They use the validation of `constructs`, which `App.synth()` runs before it writes a file: errors stop the synth, and each is reported
 * at its construct; warnings go to standard error, once.
 */
import { createRequire } from 'node:module';
import { type IConstruct } from 'constructs';
import { type ApiObject, type App } from 'cdk8s';
import { type RenderedObject } from '../../manifests/constructs';
import { addTo } from '../../facts/collections';
import type * as CheckTree from './check-tree';
import { type Finding } from '../report/finding';
import { withinPackage } from './open-call';
import { mistakesWithoutConstruct, mistakeTexts } from './pending-mistakes';
import { type Report } from '../report/report';
import { writeReportFile } from '../report/report-file';
import { findingText, notCheckedByReason } from '../report/text';
import { type SynthState, synthState } from './synth-state';
import { printValidationWithoutTrace, printWithoutTrace, withoutEmptyPath } from './uncaught';

/** Has the tree that `scope` belongs to checked on synth. Calling it again changes nothing. */
export function checkOnSynth(scope: IConstruct): void {
  const root = scope.node.root;
  const state = synthState(root);
  if (state.listening) {
    return;
  }
  state.listening = true;
  let errors = new Map<IConstruct, string[]>();
  const answering = new WeakSet<IConstruct>();
  const handOver = oncePerSynth(root, state);
  const check = (): void => {
    errors = new Map();
    // What is built from a mistake is not worth checking, and may not even render.
    const withoutConstruct = mistakesWithoutConstruct();
    if (state.hasMistakes || withoutConstruct.length > 0) {
      errors.set(root, mistakeTexts(withoutConstruct));
      return;
    }
    const { checkRendered } = createRequire(__filename)('./check-tree') as typeof CheckTree;
    const { report, rendered } = withinPackage(() => checkRendered(root));
    handOver(rendered);
    if (writeReportFile(report)) {
      return;
    }
    const constructs = new Map(rendered.map(({ construct, manifest }) => [manifest.origin.construct, construct]));
    for (const finding of report.findings.filter(({ severity }) => severity === 'error')) {
      // Validation visits parents first, so what is handed to a construct here is read when its turn comes.
      const construct = constructs.get(finding.construct) ?? root;
      addTo(errors, construct, errorText(finding));
      if (construct !== root && !answering.has(construct)) {
        answering.add(construct);
        construct.node.addValidation({ validate: () => (state.phase === 'off' ? [] : (errors.get(construct) ?? [])) });
      }
    }
    printOnce(state, noticesOf(report));
  };
  root.node.addValidation({
    validate: () => {
      if (state.phase === 'off') {
        return [];
      }
      if (state.phase !== 'done') {
        check();
        if (state.phase === 'outside' && errors.size > 0) {
          printValidationWithoutTrace();
        }
      }
      if (state.phase === 'due') {
        state.phase = 'done';
      }
      return errors.get(root) ?? [];
    },
  });
}

/** Findings that do not stop a synth; they are printed to standard error. */
function noticesOf(report: Report): readonly string[] {
  return [
    ...report.findings.filter(({ severity }) => severity !== 'error').map((finding) => findingText(finding)),
    ...notCheckedByReason(report.notChecked).map(
      ([why, objects]) => `not checked: ${objects.map(({ object }) => object).join(', ')}: ${why}`,
    ),
  ];
}

/** `Chart.toJson` validates the whole app, as `App.synth` does: what was printed for one chart is not printed for the next. */
function printOnce(state: SynthState, notices: readonly string[]): void {
  for (const notice of notices.filter((text) => !state.printed.has(text))) {
    process.stderr.write(`${notice}\n`);
  }
  state.printed = new Set(notices);
}

/**
 * `App.synth` validates the whole app, and then again for each chart that it writes. Nothing changes in between, and a check of the
 * whole app for each of its charts would make the time grow with their product; so one call of `synth` is one check.
 *
 * What was checked is what is written: within that call each construct returns the JSON that the check has read, once, instead of
 * rendering itself again. A program that changes what a construct returned changes what is written, and not what it returns next.
 *
 * cdk8s offers nothing for this: a validation does not know which call it is part of, an `IResolver` sees values before patches are
 * applied to them, and there are no aspects. `npm run test:matrix` runs the tests of this file with every supported line of cdk8s.
 *
 * @returns lets the rest of this synth write the manifests that were checked
 */
function oncePerSynth(root: IConstruct, state: SynthState): (rendered: readonly RenderedObject[]) => void {
  if (!canSynth(root)) {
    return () => undefined;
  }
  const waiting = new Set<ApiObject>();
  const withdraw = (construct: ApiObject): void => {
    if (waiting.delete(construct)) {
      Reflect.deleteProperty(construct, 'toJson');
    }
  };
  const within =
    <T>(synth: () => T) =>
    (): T => {
      state.phase = 'due';
      try {
        return synth();
      } catch (error) {
        if (error instanceof Error) {
          error.message = withoutEmptyPath(error.message);
          printWithoutTrace(error);
        }
        throw error;
      } finally {
        state.phase = 'outside';
        for (const construct of waiting) {
          withdraw(construct);
        }
      }
    };
  root.synth = within(root.synth.bind(root));
  root.synthYaml = within(root.synthYaml.bind(root));
  return (rendered) => {
    if (state.phase === 'outside') {
      return;
    }
    for (const {
      construct,
      manifest: { object },
    } of rendered) {
      // A method that somebody put on this one object stays in charge.
      if (Object.hasOwn(construct, 'toJson')) {
        continue;
      }
      // The JSON alone is kept: what rules have worked out for the manifest may go before files are written.
      const toJson = (): unknown => {
        withdraw(construct);
        return object;
      };
      Object.defineProperty(construct, 'toJson', { value: toJson, configurable: true, writable: true });
      waiting.add(construct);
    }
  };
}

/** By its methods, since the app may be of another copy of cdk8s. */
function canSynth(root: IConstruct): root is IConstruct & Pick<App, 'synth' | 'synthYaml'> {
  return 'synth' in root && 'synthYaml' in root;
}

/** One indented block, since `App.synth` prints `[path] error` for each. */
function errorText(finding: Finding): string {
  return findingText(finding, { withoutConstruct: true });
}
