/**
 * Checks that run by themselves: an app that holds a Gantry construct is checked whenever it is synthesised.
 *
 * It hangs on the validation of `constructs`, which `App.synth()` runs before it writes a file: errors stop the synth and each is
 * reported at the construct that it lies in; warnings go to standard error.
 */
import { type IConstruct } from 'constructs';
import { ApiObject, type App } from 'cdk8s';
import { manifestsOf } from '../manifests/constructs';
import { Checks } from './checks-of';
import { check } from './engine';
import { type Finding } from './finding';
import { type Report } from './report';
import { writeReportFile } from './report-file';
import { findingText } from './report/text';
import { formatSuppressions, IGNORE_ANNOTATION } from './suppression';

const CHECKED = Symbol.for('gantry.checks.on-synth');

interface CheckedRoot {
  [CHECKED]?: true;
}

/** Sees to it that the tree which `scope` belongs to is checked on synth. Calling it again changes nothing. */
export function checkOnSynth(scope: IConstruct): void {
  const root = scope.node.root as IConstruct & CheckedRoot;
  if (root[CHECKED] === true) return;
  root[CHECKED] = true;
  const errors = new WeakMap<IConstruct, string[]>();
  const listening = new WeakSet<IConstruct>();
  const once = oncePerSynth(root);
  root.node.addValidation({
    validate: () => {
      if (!once.isDue()) return errors.get(root) ?? [];
      const report = checkTree(root);
      if (writeReportFile(report)) return [];
      const constructs = new Map(root.node.findAll().map((construct) => [construct.node.path, construct]));
      // Validation visits parents first, so what is handed to a construct here is read when its turn comes.
      for (const construct of constructs.values()) errors.delete(construct);
      for (const finding of report.findings) {
        if (finding.severity !== 'error') {
          process.stderr.write(`${findingText(finding)}\n`);
          continue;
        }
        const construct = constructs.get(finding.construct ?? '') ?? root;
        errors.set(construct, [...(errors.get(construct) ?? []), errorText(finding)]);
        if (construct !== root && !listening.has(construct)) {
          listening.add(construct);
          construct.node.addValidation({ validate: () => errors.get(construct) ?? [] });
        }
      }
      for (const { object, why } of report.notChecked) process.stderr.write(`not checked: ${object}: ${why}\n`);
      return errors.get(root) ?? [];
    },
  });
}

/**
 * `App.synth` validates the whole app, and then again for each chart that it writes. Nothing changes in between, and a check of the
 * whole app for each of its charts would make the time grow with their product; so one call of `synth` is one check.
 */
function oncePerSynth(root: IConstruct): { readonly isDue: () => boolean } {
  if (!canSynth(root)) return { isDue: () => true };
  let state: 'outside' | 'due' | 'done' = 'outside';
  const within = <T>(synth: () => T) => (): T => {
    state = 'due';
    try {
      return synth();
    } finally {
      state = 'outside';
    }
  };
  root.synth = within(root.synth.bind(root));
  root.synthYaml = within(root.synthYaml.bind(root));
  return {
    isDue: () => {
      if (state === 'done') return false;
      if (state === 'due') state = 'done';
      return true;
    },
  };
}

/** By its methods, since the app may be of another copy of cdk8s. */
function canSynth(root: IConstruct): root is IConstruct & Pick<App, 'synth' | 'synthYaml'> {
  return 'synth' in root && 'synthYaml' in root;
}

/**
 * Checks all objects below a construct with the options that `Checks.of` was given in its tree.
 *
 * Suppressions that were stated on constructs are written to the objects first, so that they hold for whoever checks the YAML later.
 */
export function checkTree(scope: IConstruct): Report {
  annotateSuppressions(scope);
  return check(manifestsOf(scope), Checks.of(scope.node.root).options);
}

function annotateSuppressions(scope: IConstruct): void {
  for (const construct of scope.node.findAll()) {
    if (!ApiObject.isApiObject(construct)) continue;
    const suppressions = construct.node.scopes.flatMap((parent) => Checks.of(parent).suppressions);
    if (suppressions.length > 0) construct.metadata.addAnnotation(IGNORE_ANNOTATION, formatSuppressions(suppressions));
  }
}

/** One indented block, since `App.synth` prints `[path] error` for each. */
function errorText(finding: Finding): string {
  return findingText(finding, { withoutConstruct: true });
}
