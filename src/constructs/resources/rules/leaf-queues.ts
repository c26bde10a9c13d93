/**
 * Workloads of any kind in a queue that has queues below it.
 */
import { fieldOf } from '../../../manifests/pointer';
import { oneOfStrings } from '../../../facts/words';
import { addTo } from '../../../facts/collections';
import { cite } from '../../../facts/upstream';
import { type ManifestSet } from '../../../manifests/manifest-set';
import { asObject, asString } from '../../../manifests/read';
import { type Reference } from '../../../manifests/references/references';
import { type SetRule } from '../../../checks/rules/rule';
import { VOLCANO_GROUPS } from './known-objects';

/** Kinds of queues that form trees, with the field that names the parent. */
const PARENT_FIELDS: ReadonlyMap<string, string> = new Map([
  ['scheduling.volcano.sh/Queue', 'parent'],
  ['scheduling.run.ai/Queue', 'parentQueue'],
]);

/** Volcano's own kinds, and pods with its annotation, have rules in the domain of Volcano. */
const VOLCANO_ANNOTATION = '/metadata/annotations/scheduling.volcano.sh~1queue-name';

function hasOwnRule({ kind, path, from }: Reference): boolean {
  return (
    kind === 'scheduling.volcano.sh/Queue' &&
    (VOLCANO_GROUPS.includes(from.id.group) || (path.endsWith(VOLCANO_ANNOTATION) && path !== VOLCANO_ANNOTATION))
  );
}

/** The names of the queues of each kind, by their parent. */
function childrenIn(set: ManifestSet): ReadonlyMap<string, ReadonlyMap<string, readonly string[]>> {
  return new Map(
    [...PARENT_FIELDS].map(([kind, field]) => {
      const children = new Map<string, string[]>();
      for (const { id, object } of set.ofKind(kind)) {
        addTo(children, asString(asObject(object.spec)[field]) ?? '', id.name);
      }
      return [kind, children] as const;
    }),
  );
}

export const queueIsLeaf: SetRule = {
  id: 'references/queue-is-leaf',
  tier: 'advice',
  severity: 'warning',
  on: 'set',
  summary: 'A workload should be in a leaf queue.',
  why: 'Where the scheduler reads the hierarchy of queues, only leaf queues give resources to pods: the pods of other queues stay pending.',
  source: `${cite('volcano')}, pkg/scheduler/plugins/capacity (isLeafQueue); ${cite('kai-scheduler')}, docs/queues`,
  fix: 'Set the queue name to the name of a leaf queue, for example in the label kai.scheduler/queue or in schedulingPolicy.queue.',
  *check({ set }) {
    const childrenOf = childrenIn(set);
    for (const manifest of set.manifests) {
      for (const reference of set.referencesFrom(manifest)) {
        const isQueueItself = PARENT_FIELDS.has(`${manifest.id.group}/${manifest.id.kind}`);
        if (!PARENT_FIELDS.has(reference.kind) || isQueueItself || hasOwnRule(reference)) {
          continue;
        }
        const children = childrenOf.get(reference.kind)?.get(reference.name) ?? [];
        if (children.length > 0) {
          yield {
            manifest,
            path: reference.path,
            message: `the queue "${reference.name}" must be a leaf queue: the pods of a queue with child queues may stay pending`,
            found: reference.name,
            expected: oneOfStrings(children.slice(0, 6)),
            fix: `Set ${fieldOf(reference.path)} to a leaf queue such as ${oneOfStrings(children.slice(0, 1))}.`,
          };
        }
      }
    }
  },
};
