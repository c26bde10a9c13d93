/**
 * Constraints between pods: inter-pod affinity and anti-affinity, topology spread, host ports.
 *
 * For every term that occurs (a selector and a topology key) two counters per domain are kept: pods that the term selects, and pods that
 * own it as anti-affinity, because that holds in both directions. Placing a pod updates the counters of the terms that concern its class,
 * so a test costs the number of terms of the class and not the number of pods.
 */
import { type Constraint } from '../../model/decision';
import { type HostPort, type PodAffinityTerm, type PodSelector, type PodTemplate } from '../../model/model';
import { type NodeTable } from '../node-table';
import { canonicalText } from '../../model/canonical-text';
import { type PodClass } from '../pod-class';
import { matchesAnyTerm, matchesLabels, selectsPod } from './selectors';

interface Term {
  readonly key: string;
  readonly selector: PodSelector;
  readonly ownNamespace: string;
  readonly domains: KeyDomains;
  readonly selected: Int32Array;
  /** Selected pods by row, for spread that only looks at some nodes. */
  readonly selectedOnRow: Int32Array;
  readonly owners: Int32Array;
  total: number;
}

/** Domains of one node label: the domain of each row, -1 where the node does not have it. */
interface KeyDomains {
  readonly ofRow: Int32Array;
  readonly count: number;
}

interface ClassTerms {
  readonly affinity: readonly Term[];
  readonly anti: readonly Term[];
  readonly spread: readonly { readonly term: Term; readonly maxSkew: number; readonly hard: boolean }[];
  readonly preferred: readonly { readonly term: Term; readonly weight: number }[];
  /** Terms, of whichever class, that select pods of this class. */
  selectedBy: readonly Term[];
  readonly ports: readonly string[];
}

const DEFAULT_NAMESPACE = 'default';

export class PodsOnNodes {
  private readonly keys = new Map<string, KeyDomains>();
  private readonly terms = new Map<string, Term>();
  private readonly classes: (ClassTerms | undefined)[] = [];
  private readonly ports: (Map<string, number> | undefined)[] = [];
  /** True once any class has a constraint between pods; until then nothing here costs anything. */
  active = false;

  constructor(private readonly table: NodeTable) {}

  /** Must be called for every class before pods of any of them are placed. */
  register(classes: readonly PodClass[]): void {
    if (!classes.some(({ dynamic }) => dynamic)) {
      return;
    }
    this.active = true;
    for (const podClass of classes) {
      this.classes[podClass.id] = this.termsOf(podClass.template);
    }
    const all = [...this.terms.values()];
    for (const podClass of classes) {
      const { namespace = DEFAULT_NAMESPACE, labels = {} } = podClass.template;
      this.classes[podClass.id]!.selectedBy = all.filter((term) =>
        selectsPod(term.selector, term.ownNamespace, namespace, labels),
      );
    }
  }

  /** A class that is like another one to all pods, whatever it asks of nodes. */
  registerLike(podClass: PodClass, other: PodClass): void {
    const terms = this.classes[other.id];
    if (this.classes[podClass.id] === undefined && terms !== undefined) {
      this.classes[podClass.id] = terms;
    }
  }

  /** Pod of the class appears on the row (`by` 1) or goes (-1). */
  count(podClass: PodClass, row: number, by: 1 | -1): void {
    const terms = this.classes[podClass.id];
    if (terms === undefined) {
      return;
    }
    for (const term of terms.selectedBy) {
      const domain = term.domains.ofRow[row];
      if (domain >= 0) {
        term.selected[domain] += by;
        term.selectedOnRow[row] += by;
        term.total += by;
      }
    }
    for (const term of terms.anti) {
      const domain = term.domains.ofRow[row];
      if (domain >= 0) {
        term.owners[domain] += by;
      }
    }
    if (terms.ports.length > 0) {
      const taken = (this.ports[row] ??= new Map<string, number>());
      terms.ports.forEach((port) => taken.set(port, (taken.get(port) ?? 0) + by));
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
      const first = term.total === 0 && terms.selectedBy.includes(term);
      if (domain < 0 || (term.selected[domain] === 0 && !first)) {
        return 'pod-affinity';
      }
    }
    for (const term of terms.anti) {
      const domain = term.domains.ofRow[row];
      if (domain >= 0 && term.selected[domain] > 0) {
        return 'pod-anti-affinity';
      }
    }
    for (const term of terms.selectedBy) {
      const domain = term.domains.ofRow[row];
      if (domain >= 0 && term.owners[domain] > 0) {
        return 'pod-anti-affinity';
      }
    }
    for (const { term, maxSkew, hard } of terms.spread) {
      if (hard && this.skewAfter(podClass, terms, term, row) > maxSkew) {
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
      sum += domain >= 0 && term.selected[domain] > 0 ? weight : 0;
      weights += Math.abs(weight);
    }
    for (const { term, maxSkew, hard } of terms.spread) {
      if (!hard) {
        const skew = this.skewAfter(podClass, terms, term, row);
        sum -= skew > maxSkew ? Math.min(100, (skew - maxSkew) * 10) : 0;
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

  /**
   * Skew of the row's domain with the pod placed there. Only nodes that the pod's own selector and affinity allow, and that are in a domain
   * of each of its strict constraints, make domains, and only pods on them count: kube-scheduler's `nodeAffinityPolicy: Honor`.
   */
  private skewAfter(podClass: PodClass, terms: ClassTerms, term: Term, row: number): number {
    const own = term.domains.ofRow[row];
    if (own < 0) {
      return Infinity;
    }
    const { nodeSelector = {}, nodeTerms } = podClass.template;
    const strict = terms.spread.filter(({ hard }) => hard).map((constraint) => constraint.term.domains.ofRow);
    const counts = new Map<number, number>();
    this.table.nodes.forEach((node, other) => {
      const domain = term.domains.ofRow[other];
      if (
        domain >= 0 &&
        strict.every((ofRow) => ofRow[other] >= 0) &&
        matchesLabels(node.labels ?? {}, nodeSelector) &&
        (nodeTerms === undefined || matchesAnyTerm(node, nodeTerms))
      ) {
        counts.set(domain, (counts.get(domain) ?? 0) + term.selectedOnRow[other]);
      }
    });
    const least = counts.size === 0 ? 0 : Math.min(...counts.values());
    return (counts.get(own) ?? 0) + (terms.selectedBy.includes(term) ? 1 : 0) - least;
  }

  private termsOf(template: PodTemplate): ClassTerms {
    const { namespace = DEFAULT_NAMESPACE } = template;
    const term = ({ selector, topologyKey }: PodAffinityTerm): Term => this.term(selector, topologyKey, namespace);
    return {
      affinity: (template.podAffinity ?? []).map(term),
      anti: (template.podAntiAffinity ?? []).map(term),
      spread: (template.topologySpread ?? []).map(({ selector, topologyKey, maxSkew, whenUnsatisfiable }) => ({
        term: this.term(selector, topologyKey, namespace),
        maxSkew,
        hard: whenUnsatisfiable !== 'ScheduleAnyway',
      })),
      preferred: [
        ...(template.preferredPodAffinity ?? []).map((wish) => ({ term: term(wish.term), weight: wish.weight })),
        ...(template.preferredPodAntiAffinity ?? []).map((wish) => ({ term: term(wish.term), weight: -wish.weight })),
      ],
      selectedBy: [],
      ports: (template.hostPorts ?? []).map(portText),
    };
  }

  private term(selector: PodSelector, topologyKey: string, ownNamespace: string): Term {
    const key = canonicalText([selector, topologyKey, selector.namespaces === undefined ? ownNamespace : null]);
    let term = this.terms.get(key);
    if (term === undefined) {
      const domains = this.domainsOf(topologyKey);
      const counts = (length: number): Int32Array => new Int32Array(length);
      term = {
        key,
        selector,
        ownNamespace,
        domains,
        selected: counts(domains.count),
        selectedOnRow: counts(this.table.count),
        owners: counts(domains.count),
        total: 0,
      };
      this.terms.set(key, term);
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
      domains = { ofRow, count: ids.size };
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
