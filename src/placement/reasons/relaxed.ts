/**
 * Which toleration, selector, or node affinity alone keeps a gang out.
 *
 * The gang is tried on the books with pods that differ from its own in that one constraint. Single constraints only: where two of them are
 * in the way, neither is the reason by itself.
 */
import { type Cycle } from '../cycle/cycle';
import { type Counterfactual } from '../model/decision';
import { STATIC_CONSTRAINTS, type StaticConstraint } from '../nodes/filters/static';
import { untoleratedTaints } from '../nodes/filters/selectors';
import { type PodTemplate, type Taint, type Toleration } from '../model/model';
import { canonicalText } from '../model/canonical-text';
import { type PodClass } from '../nodes/pod-class';
import { type PodRecord, type Turn } from '../books/records';
import { classesOfTurn } from '../search/units';
import { type Session } from '../books/session';

/** Sets of taints that are tried, those of the most nodes first. */
const MOST_TAINTS = 8;

export function* otherConstraints(cycle: Cycle, turn: Turn): Generator<Counterfactual> {
  const classes = [...classesOfTurn(turn).keys()];
  const excluded = (constraint: StaticConstraint): boolean => {
    const code = STATIC_CONSTRAINTS.indexOf(constraint) + 1;
    return classes.some((podClass) => codesOf(cycle.session, podClass).has(code));
  };
  if (excluded('taints')) {
    yield* missingToleration(cycle, turn, classes);
  }
  if (excluded('node-selector')) {
    yield* wrongSelector(cycle, turn, classes);
  }
  if (excluded('node-affinity') && fitsWith(cycle, turn, (template) => ({ ...template, nodeTerms: undefined }))) {
    yield { kind: 'drop-node-affinity' };
  }
}

const knownCodes = new WeakMap<Uint8Array, { readonly codes: ReadonlySet<number>; readonly replaced: number }>();

/** What excludes the class from any node. Classes with the same constraints share it. */
function codesOf(session: Session, podClass: PodClass): ReadonlySet<number> {
  const row = session.staticRow(podClass);
  const known = knownCodes.get(row);
  if (known?.replaced === session.table.replaced) {
    return known.codes;
  }
  const codes = new Set(row);
  knownCodes.set(row, { codes, replaced: session.table.replaced });
  return codes;
}

function* missingToleration(cycle: Cycle, turn: Turn, classes: readonly PodClass[]): Generator<Counterfactual> {
  const { nodes } = cycle.session.table;
  const code = STATIC_CONSTRAINTS.indexOf('taints') + 1;
  const sets = new Map<string, { readonly taints: readonly Taint[]; nodes: number }>();
  for (const podClass of classes) {
    cycle.session.staticRow(podClass).forEach((found, row) => {
      if (found === code) {
        const taints = untoleratedTaints(nodes[row].taints ?? [], podClass.template.tolerations ?? []);
        const key = canonicalText(taints);
        const known = sets.get(key) ?? { taints, nodes: 0 };
        known.nodes++;
        sets.set(key, known);
      }
    });
  }
  const inOrder = [...sets.values()].sort((a, b) => a.taints.length - b.taints.length || b.nodes - a.nodes);
  for (const { taints } of inOrder.slice(0, MOST_TAINTS)) {
    const added = taints.map(tolerationOf);
    if (
      fitsWith(cycle, turn, (template) => ({ ...template, tolerations: [...(template.tolerations ?? []), ...added] }))
    ) {
      yield { kind: 'add-toleration', taints };
      return;
    }
  }
}

function tolerationOf({ key, value, effect }: Taint): Toleration {
  return value === undefined ? { key, operator: 'Exists', effect } : { key, operator: 'Equal', value, effect };
}

function* wrongSelector(cycle: Cycle, turn: Turn, classes: readonly PodClass[]): Generator<Counterfactual> {
  const selectors = new Map<string, string>();
  classes.forEach(({ template }) =>
    Object.entries(template.nodeSelector ?? {}).forEach(([key, value]) => selectors.set(key, value)),
  );
  for (const [key, value] of selectors) {
    const without = (template: PodTemplate): PodTemplate => ({
      ...template,
      nodeSelector: Object.fromEntries(Object.entries(template.nodeSelector ?? {}).filter(([other]) => other !== key)),
    });
    if (fitsWith(cycle, turn, without)) {
      yield { kind: 'drop-node-selector', key, value };
      return;
    }
  }
}

/** Does the turn fit with pods that are changed like this? */
function fitsWith(
  { session, placer }: Cycle,
  { gang, pods }: Turn,
  change: (template: PodTemplate) => PodTemplate,
): boolean {
  const own = pods.map(({ podClass }) => podClass);
  const changed = new Map<PodClass, PodClass>();
  own.forEach((podClass) =>
    changed.set(podClass, changed.get(podClass) ?? session.variant(podClass, change(podClass.template))),
  );
  const become = (podClass: PodClass, i: number): void => {
    (pods[i] as { -readonly [Member in keyof PodRecord]: PodRecord[Member] }).podClass = podClass;
  };
  const mark = session.ledger.mark();
  own.forEach((podClass, i) => become(changed.get(podClass)!, i));
  const fits = placer.place(gang.root, pods);
  session.ledger.rollback(mark);
  own.forEach(become);
  return fits;
}
