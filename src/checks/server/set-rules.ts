/**
 * What only shows when manifests are seen together: one object written twice, a second global default.
 */
import { isDeepStrictEqual } from 'node:util';
import { cite } from '../../facts/upstream';
import { describeId, type Manifest } from '../../manifests/manifest';
import { type Severity } from '../finding';
import { type Rule, type SetRule } from '../rule';

const objectOnce: SetRule = {
  id: 'core/object-once',
  tier: 'advice',
  severity: 'error',
  summary: 'Two manifests must not define the same object.',
  why: 'The manifest that is applied last overwrites the other.',
  source: 'kubernetes 1.36 (objects are identified by group, kind, namespace and name)',
  fix: 'Set metadata.name of one of them to another name, or merge them.',
  on: 'set',
  check: ({ set }) => {
    const seen = new Map<string, Manifest>();
    return set.manifests.flatMap((manifest) => {
      const { group, kind, namespace, name } = manifest.id;
      if (name === '' || kind === '') {
        return [];
      }
      const key = JSON.stringify([group, kind, namespace, name]);
      const first = seen.get(key);
      if (first === undefined) {
        seen.set(key, manifest);
        return [];
      }
      const where = first.origin.file ?? first.origin.construct;
      // Files may be overlays of one another, or steps that are applied one after the other.
      const severity: Severity = isDeepStrictEqual(first.object, manifest.object)
        ? 'info'
        : first.origin.file === manifest.origin.file
          ? 'error'
          : 'warning';
      return [
        {
          manifest,
          path: '/metadata/name',
          severity,
          message: `${describeId(manifest.id)} is already defined in these manifests${where === undefined ? '' : ` (${where})`}`,
          found: name,
        },
      ];
    });
  },
};

const oneGlobalDefault: SetRule = {
  id: 'core/one-global-default-priority-class',
  row: 'K8',
  tier: 'server',
  severity: 'error',
  summary: 'At most one PriorityClass may be the global default.',
  why: 'The admission plugin Priority rejects the second one.',
  source: `${cite('kubernetes')}, plugin/pkg/admission/priority`,
  fix: 'Set globalDefault: true in only one class.',
  on: 'set',
  check: ({ set }) => {
    const defaults = set
      .ofKind('scheduling.k8s.io/PriorityClass')
      .filter(({ object }) => object.globalDefault === true);
    const [first] = defaults;
    return defaults
      .slice(1)
      .filter(({ id }) => id.name !== first?.id.name)
      .map((manifest) => ({
        manifest,
        path: '/globalDefault',
        message: `the PriorityClass "${first?.id.name ?? ''}" is already the global default`,
        found: true,
        expected: 'one class with globalDefault: true',
      }));
  },
};

export const coreSetRules: readonly Rule[] = [objectOnce, oneGlobalDefault];
