/**
 * Constraints between pods: inter-pod affinity and anti-affinity, topology spread, host ports.
 *
 * For every term that occurs (a selector and a topology key) two counters per domain are kept: pods that the term selects, and pods that
 * own it as anti-affinity, because that holds in both directions. Placing a pod updates the counters of the terms that concern its class,
 * so a test costs the number of terms of the class and not the number of pods. A term that no pod on a node is selected by or owns has no
 * counters, and classes that no constraint concerns are worked on as if there were none: what some pods ask of others costs these alone.
 */
import { type Constraint } from '../../model/decision';
import { type HostPort, type PodAffinityTerm, type PodSelector, type PodTemplate } from '../../model/model';
import { type NodeTable } from '../node-table';
import { canonicalText } from '../../model/canonical-text';
import { type PodClass } from '../pod-class';
import {
  areDifferent,
  type ClassTerms,
  countsIn,
  hasSelected,
  type KeyDomains,
  link,
  NO_COUNTS,
  type Spread,
  type Term,
} from './pod-terms';
import { matchesAnyTerm, matchesLabels } from './selectors';

const NO_TERMS: readonly Term[] = [];
const NOTHING: ReadonlySet<Term> = new Set();

const DEFAULT_NAMESPACE = 'default';

export class PodsOnNodes {
  private readonly keys = new Map<string, KeyDomains>();
  private readonly terms = new Map<string, Term>();
  /** Those of them that the latest class brought. */
  private readonly made = new Set<Term>();
  private readonly classes: (ClassTerms | undefined)[] = [];
  private readonly ports: (Map<string, number> | undefined)[] = [];
  /** Grows with each change of a counter. */
  private changes = 0;
  /** True once any class has a constraint between pods; until then nothing here costs anything. */
  active = false;

  constructor(private readonly table: NodeTable) {}

  /** Must be called for every class before pods of any of them are placed. */
  register(classes: readonly PodClass[]): void {
    this.active ||= classes.some(({ dynamic }) => dynamic);
    classes.forEach((podClass) => this.add(podClass, () => []));
  }

  /**
   * A class that comes later.
   *
   * @param booked pods that are on nodes: those that a new term selects are counted
   */
  add(podClass: PodClass, booked: () => Iterable<{ readonly podClass: PodClass; readonly row: number }>): void {
    if (!this.active) {
      return;
    }
    this.made.clear();
    const terms = this.termsOf(podClass.template);
    const { made } = this;
    for (const other of this.classes) {
      made.forEach((term) => other !== undefined && link(term, other));
    }
    this.classes[podClass.id] = terms;
    this.terms.forEach((term) => link(term, terms));
    if ([...made].some(({ selects }) => selects.some((other) => other !== terms))) {
      for (const { podClass: other, row } of booked()) {
        const selectedBy = this.classes[other.id]?.selectedBy;
        made.forEach((term) => selectedBy?.has(term) === true && this.countSelected(term, row, 1));
      }
    }
  }

  /** A class that is like another one to all pods, whatever it asks of nodes. */
  registerLike(podClass: PodClass, other: PodClass): void {
    const terms = this.classes[other.id];
    if (this.classes[podClass.id] === undefined && terms !== undefined) {
      // Which nodes make domains depends on what it asks of nodes.
      const spread = terms.spread.map(({ term, maxSkew, hard }) => ({ term, maxSkew, hard }));
      const like = { ...terms, spread };
      like.selectedBy.forEach(({ selects }) => selects.push(like));
      this.classes[podClass.id] = like;
    }
  }

  /** May anything keep a pod of the class off a node, or draw it to one, with the pods that are on nodes now? */
  concerns(podClass: PodClass): boolean {
    return this.active && (podClass.dynamic || (this.classes[podClass.id]?.keptOffBy.size ?? 0) > 0);
  }

  /** Must a pod of the class be near pods, and is none of these on any node? Then it can be nowhere, whatever is free. */
  isForlorn({ id }: PodClass): boolean {
    const terms = this.classes[id];
    if (terms !== undefined) {
      for (const term of terms.affinity) {
        if (term.total === 0 && !terms.selectedBy.has(term)) {
          return true;
        }
      }
    }
    return false;
  }

  /** Terms by which a pod of the class has to be near pods that are not like it. */
  nearOthers({ id }: PodClass): readonly Term[] {
    const terms = this.classes[id];
    return terms === undefined ? NO_TERMS : terms.affinity.filter((term) => !terms.selectedBy.has(term));
  }

  /** Terms by which a pod of the class may fit on more nodes once a pod that they select is placed. */
  gainsBy({ id }: PodClass): readonly Term[] {
    return this.classes[id]?.gains ?? NO_TERMS;
  }

  /** Terms that select pods of the class. */
  selecting({ id }: PodClass): ReadonlySet<Term> {
    return this.classes[id]?.selectedBy ?? NOTHING;
  }

  /** Grows whenever a change on other rows may be why the class fits on a row, or does not. */
  changeOf({ id }: PodClass): number {
    const terms = this.classes[id];
    if (terms === undefined) {
      return 0;
    }
    let latest = terms.changedAt;
    for (const { crossedAt } of terms.affinity) {
      latest = Math.max(latest, crossedAt);
    }
    for (const { term, hard } of terms.spread) {
      latest = hard ? Math.max(latest, term.changedAt) : latest;
    }
    for (const list of [terms.anti, terms.keptOffBy]) {
      for (const { domains, crossedAt } of list) {
        latest = domains.areRows ? latest : Math.max(latest, crossedAt);
      }
    }
    return latest;
  }

  /** Pod of the class appears on the row (`by` 1) or goes (-1). */
  count(podClass: PodClass, row: number, by: 1 | -1): void {
    const terms = this.classes[podClass.id];
    if (terms === undefined) {
      return;
    }
    for (const term of terms.selectedBy) {
      this.countSelected(term, row, by);
    }
    for (const term of terms.anti) {
      const domain = term.domains.ofRow[row];
      if (domain >= 0) {
        this.countOwner(term, domain, by);
      }
    }
    if (terms.ports.length > 0) {
      const taken = (this.ports[row] ??= new Map<string, number>());
      terms.ports.forEach((port) => taken.set(port, (taken.get(port) ?? 0) + by));
    }
  }

  private countSelected(term: Term, row: number, by: 1 | -1): void {
    const domain = term.domains.ofRow[row];
    if (domain < 0) {
      return;
    }
    if (term.selected === NO_COUNTS) {
      term.selected = new Int32Array(term.domains.count);
      term.selectedOnRow = new Int32Array(this.table.count);
    }
    term.selected[domain] += by;
    term.selectedOnRow[row] += by;
    term.total += by;
    term.changedAt = ++this.changes;
    term.crossedAt = term.selected[domain] === (by === 1 ? 1 : 0) ? this.changes : term.crossedAt;
  }

  private countOwner(term: Term, domain: number, by: 1 | -1): void {
    if (term.owners === NO_COUNTS) {
      term.owners = new Int32Array(term.domains.count);
    }
    term.owners[domain] += by;
    term.owned += by;
    term.changedAt = ++this.changes;
    term.crossedAt = term.owners[domain] === (by === 1 ? 1 : 0) ? this.changes : term.crossedAt;
    if (term.owned === (by === 1 ? 1 : 0)) {
      for (const selected of term.selects) {
        selected.changedAt = this.changes;
        if (by === 1) {
          selected.keptOffBy.add(term);
        } else {
          selected.keptOffBy.delete(term);
        }
      }
    }
  }

  /** What keeps a pod of the class off the row, if anything. */
  constraint(podClass: PodClass, row: number): Constraint | undefined {
    const terms = this.classes[podClass.id];
    if (terms === undefined) {
      return undefined;
    }
    if (terms.ports.length > 0 && this.portTaken(terms.ports, row)) {
      return 'host-ports';
    }
    for (const term of terms.affinity) {
      const domain = term.domains.ofRow[row];
      // The first pod of a group that selects itself has no other pod to be near.
      const first = term.total === 0 && terms.selectedBy.has(term);
      if (domain < 0 || (!hasSelected(term, domain) && !first)) {
        return 'pod-affinity';
      }
    }
    for (const term of terms.anti) {
      const domain = term.domains.ofRow[row];
      if (domain >= 0 && hasSelected(term, domain)) {
        return 'pod-anti-affinity';
      }
    }
    for (const term of terms.keptOffBy) {
      const domain = term.domains.ofRow[row];
      if (domain >= 0 && term.owners[domain] > 0) {
        return 'pod-anti-affinity';
      }
    }
    for (const spread of terms.spread) {
      if (spread.hard && this.skewAfter(podClass, terms, spread, row) > spread.maxSkew) {
        return 'topology-spread';
      }
    }
    return undefined;
  }

  /** Preferred affinity and spread that is only wished for, from -1 (against all wishes) to 1. */
  preference(podClass: PodClass, row: number): number {
    const terms = this.classes[podClass.id];
    if (terms === undefined) {
      return 0;
    }
    let sum = 0;
    let weights = 0;
    for (const { term, weight } of terms.preferred) {
      const domain = term.domains.ofRow[row];
      sum += domain >= 0 && hasSelected(term, domain) ? weight : 0;
      weights += Math.abs(weight);
    }
    for (const spread of terms.spread) {
      if (!spread.hard) {
        const skew = this.skewAfter(podClass, terms, spread, row);
        sum -= skew > spread.maxSkew ? Math.min(100, (skew - spread.maxSkew) * 10) : 0;
        weights += 100;
      }
    }
    return weights === 0 ? 0 : sum / weights;
  }

  private portTaken(ports: readonly string[], row: number): boolean {
    const taken = this.ports[row];
    if (taken === undefined) {
      return false;
    }
    for (const [port, count] of taken) {
      if (count > 0 && ports.some((wanted) => portsCollide(port, wanted))) {
        return true;
      }
    }
    return false;
  }

  /** Skew of the row's domain with the pod placed there. Domains are counted once after each change of the term. */
  private skewAfter(podClass: PodClass, terms: ClassTerms, spread: Spread, row: number): number {
    const { term } = spread;
    const own = term.domains.ofRow[row];
    if (own < 0) {
      return Infinity;
    }
    if (spread.known?.at !== term.changedAt) {
      spread.ofRow ??= this.domainsFor(podClass, terms, term);
      spread.known = { at: term.changedAt, ...countsIn(term, spread.ofRow) };
    }
    const { counts, least } = spread.known;
    return counts[own] + (terms.selectedBy.has(term) ? 1 : 0) - least;
  }

  /**
   * The domain of each row that makes one for the class. Only nodes that the pod's own selector and affinity allow, and that are in a domain
   * of each of its strict constraints, make domains, and only pods on them count: kube-scheduler's `nodeAffinityPolicy: Honor`.
   */
  private domainsFor({ template }: PodClass, { spread }: ClassTerms, { domains }: Term): Int32Array {
    const { nodeSelector = {}, nodeTerms } = template;
    const strict = spread.filter(({ hard }) => hard).map(({ term }) => term.domains.ofRow);
    return domains.ofRow.map((domain, row) => {
      const node = this.table.nodes[row];
      const isDomain =
        domain >= 0 &&
        strict.every((ofRow) => ofRow[row] >= 0) &&
        matchesLabels(node.labels ?? {}, nodeSelector) &&
        (nodeTerms === undefined || matchesAnyTerm(node, nodeTerms));
      return isDomain ? domain : -1;
    });
  }

  private termsOf(template: PodTemplate): ClassTerms {
    const { namespace = DEFAULT_NAMESPACE } = template;
    const term = ({ selector, topologyKey }: PodAffinityTerm): Term => this.term(selector, topologyKey, namespace);
    const affinity = (template.podAffinity ?? []).map(term);
    const spread = (template.topologySpread ?? []).map(({ selector, topologyKey, maxSkew, whenUnsatisfiable }) => ({
      term: this.term(selector, topologyKey, namespace),
      maxSkew,
      hard: whenUnsatisfiable !== 'ScheduleAnyway',
    }));
    return {
      namespace,
      labels: template.labels ?? {},
      affinity,
      anti: (template.podAntiAffinity ?? []).map(term),
      spread,
      gains: [...affinity, ...spread.flatMap((one) => (one.hard ? [one.term] : []))],
      preferred: [
        ...(template.preferredPodAffinity ?? []).map((wish) => ({ term: term(wish.term), weight: wish.weight })),
        ...(template.preferredPodAntiAffinity ?? []).map((wish) => ({ term: term(wish.term), weight: -wish.weight })),
      ],
      selectedBy: new Set(),
      keptOffBy: new Set(),
      ports: (template.hostPorts ?? []).map(portText),
      changedAt: 0,
    };
  }

  private term(selector: PodSelector, topologyKey: string, ownNamespace: string): Term {
    const key = canonicalText([selector, topologyKey, selector.namespaces === undefined ? ownNamespace : null]);
    let term = this.terms.get(key);
    if (term === undefined) {
      term = {
        key,
        selector,
        ownNamespace,
        domains: this.domainsOf(topologyKey),
        selected: NO_COUNTS,
        selectedOnRow: NO_COUNTS,
        owners: NO_COUNTS,
        total: 0,
        owned: 0,
        changedAt: 0,
        crossedAt: 0,
        selects: [],
      };
      this.terms.set(key, term);
      this.made.add(term);
    }
    return term;
  }

  private domainsOf(key: string): KeyDomains {
    let domains = this.keys.get(key);
    if (domains === undefined) {
      const ids = new Map<string, number>();
      const ofRow = Int32Array.from(this.table.nodes, (node) => {
        const value = node.labels?.[key] ?? (key === 'kubernetes.io/hostname' ? node.name : undefined);
        if (value === undefined) {
          return -1;
        }
        if (!ids.has(value)) {
          ids.set(value, ids.size);
        }
        return ids.get(value)!;
      });
      domains = { ofRow, count: ids.size, areRows: areDifferent(ofRow) };
      this.keys.set(key, domains);
    }
    return domains;
  }
}

function portText({ port, protocol = 'TCP', address = '0.0.0.0' }: HostPort): string {
  return `${protocol} ${port} ${address}`;
}

/** Two wishes for one port collide unless both name an address and the addresses differ. */
function portsCollide(a: string, b: string): boolean {
  const [aProtocol, aPort, aAddress] = a.split(' ');
  const [bProtocol, bPort, bAddress] = b.split(' ');
  const wild = '0.0.0.0';
  return (
    aProtocol === bProtocol && aPort === bPort && (aAddress === bAddress || aAddress === wild || bAddress === wild)
  );
}
