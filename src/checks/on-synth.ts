/**
 * Checks that run by themselves: an app that holds a Gantry construct is checked whenever it is synthesised.
 *
 * It hangs on the validation of `constructs`, which `App.synth()` runs before it writes a file: errors stop the synth and each is
 * reported at the construct that it lies in; warnings go to standard error.
 */
import { type IConstruct } from 'constructs';
import { ApiObject, type App } from 'cdk8s';
import { type RenderedObject, renderedObjects } from '../manifests/constructs';
import { ManifestSet } from '../manifests/manifest-set';
import { Checks } from './checks-of';
import { check } from './engine';
import { type Finding } from './finding';
import { type Report } from './report';
import { writeReportFile } from './report-file';
import { findingText, notCheckedByReason } from './report/text';
import { formatSuppressions, IGNORE_ANNOTATION, type Suppression } from './suppression';

const CHECKED = Symbol.for('gantry.checks.on-synth');

interface CheckedRoot {
  [CHECKED]?: true;
}

/** Sees to it that the tree which `scope` belongs to is checked on synth. Calling it again changes nothing. */
export function checkOnSynth(scope: IConstruct): void {
  const root = scope.node.root as IConstruct & CheckedRoot;
  if (root[CHECKED] === true) {
    return;
  }
  root[CHECKED] = true;
  let errors = new Map<IConstruct, string[]>();
  const listening = new WeakSet<IConstruct>();
  const once = oncePerSynth(root);
  root.node.addValidation({
    validate: () => {
      if (!once.isDue()) {
        return errors.get(root) ?? [];
      }
      const { report, rendered } = checkRendered(root);
      once.handOver(rendered);
      if (writeReportFile(report)) {
        return [];
      }
      const constructs = new Map(rendered.map(({ construct, manifest }) => [manifest.origin.construct, construct]));
      // Validation visits parents first, so what is handed to a construct here is read when its turn comes.
      errors = new Map();
      for (const finding of report.findings) {
        if (finding.severity !== 'error') {
          process.stderr.write(`${findingText(finding)}\n`);
          continue;
        }
        const construct = constructs.get(finding.construct) ?? root;
        errors.set(construct, [...(errors.get(construct) ?? []), errorText(finding)]);
        if (construct !== root && !listening.has(construct)) {
          listening.add(construct);
          construct.node.addValidation({ validate: () => errors.get(construct) ?? [] });
        }
      }
      for (const [why, objects] of notCheckedByReason(report.notChecked)) {
        process.stderr.write(`not checked: ${objects.map(({ object }) => object).join(', ')}: ${why}\n`);
      }
      return errors.get(root) ?? [];
    },
  });
}

interface OncePerSynth {
  /** Whether the tree is to be checked now. */
  readonly isDue: () => boolean;
  /** Lets the rest of this synth write the very manifests that were checked. */
  readonly handOver: (rendered: readonly RenderedObject[]) => void;
}

/**
 * `App.synth` validates the whole app, and then again for each chart that it writes. Nothing changes in between, and a check of the
 * whole app for each of its charts would make the time grow with their product; so one call of `synth` is one check.
 *
 * What was checked is what is written: within that call each construct gives the JSON that the check has read, once, instead of
 * rendering itself anew. Whoever changes what a construct gave changes what is written and not what it gives next.
 */
function oncePerSynth(root: IConstruct): OncePerSynth {
  if (!canSynth(root)) {
    return { isDue: () => true, handOver: () => undefined };
  }
  let state: 'outside' | 'due' | 'done' = 'outside';
  const waiting = new Set<ApiObject>();
  const withdraw = (construct: ApiObject): void => {
    if (waiting.delete(construct)) {
      Reflect.deleteProperty(construct, 'toJson');
    }
  };
  const within =
    <T>(synth: () => T) =>
    (): T => {
      state = 'due';
      try {
        return synth();
      } finally {
        state = 'outside';
        for (const construct of waiting) {
          withdraw(construct);
        }
      }
    };
  root.synth = within(root.synth.bind(root));
  root.synthYaml = within(root.synthYaml.bind(root));
  return {
    isDue: () => {
      if (state === 'done') {
        return false;
      }
      if (state === 'due') {
        state = 'done';
      }
      return true;
    },
    handOver: (rendered) => {
      if (state === 'outside') {
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
  return checkRendered(scope).report;
}

/** As `checkTree`, with the manifests that were checked. */
export function checkRendered(scope: IConstruct): {
  readonly report: Report;
  readonly rendered: readonly RenderedObject[];
} {
  annotateSuppressions(scope);
  const rendered = renderedObjects(scope);
  const set = new ManifestSet(rendered.map(({ manifest }) => manifest));
  return { report: check(set, Checks.of(scope.node.root).options), rendered };
}

function annotateSuppressions(scope: IConstruct): void {
  const known = new Map<IConstruct, readonly Suppression[]>();
  const suppressionsAt = (construct: IConstruct): readonly Suppression[] => {
    let suppressions = known.get(construct);
    if (suppressions === undefined) {
      const parent = construct.node.scope;
      suppressions = [...(parent === undefined ? [] : suppressionsAt(parent)), ...Checks.silencedAt(construct)];
      known.set(construct, suppressions);
    }
    return suppressions;
  };
  for (const construct of scope.node.findAll()) {
    if (!ApiObject.isApiObject(construct)) {
      continue;
    }
    const suppressions = suppressionsAt(construct);
    if (suppressions.length > 0) {
      construct.metadata.addAnnotation(IGNORE_ANNOTATION, formatSuppressions(suppressions));
    }
  }
}

/** One indented block, since `App.synth` prints `[path] error` for each. */
function errorText(finding: Finding): string {
  return findingText(finding, { withoutConstruct: true });
}
