/** Names of generated interfaces: upstream's own for Kubernetes, derived from the path for custom resources. */

const NOT_PLURAL = /(ss|us|is|as|affinity|series|dns|nfs|tls|qos|cidrs?OrIps)$/i;

/** `tasks` is `task`, `policies` is `policy`; a word that is no plural comes back as it is. */
export function singular(word: string): string {
  if (NOT_PLURAL.test(word) || !word.endsWith('s')) {
    return word;
  }
  if (word.endsWith('ies') && word.length > 4) {
    return `${word.slice(0, -3)}y`;
  }
  if (/(sses|xes|ches|shes|zes|statuses)$/i.test(word)) {
    return word.slice(0, -2);
  }
  return word.slice(0, -1);
}

/** `dequeue-strategy` is `DequeueStrategy`: what may be in an identifier. */
export function pascal(name: string): string {
  return name
    .split(/[^A-Za-z0-9]+/)
    .filter((part) => part !== '')
    .map((part) => part[0].toUpperCase() + part.slice(1))
    .join('');
}

/** The names of one file, handed out once each. */
export class NameScope {
  private readonly taken = new Set<string>();

  reserve(name: string): void {
    this.taken.add(name);
  }

  has(name: string): boolean {
    return this.taken.has(name);
  }

  /** The wanted name, or the next that is free: `X`, `XItem` for what is in a list, `X2`, `X3`, … */
  claim(wanted: string, inList: boolean): string {
    const candidates = [wanted, ...(inList ? [`${wanted}Item`] : [])];
    for (let n = 2; ; n++) {
      const free = candidates.find((name) => !this.taken.has(name));
      if (free !== undefined) {
        this.taken.add(free);
        return free;
      }
      candidates.push(`${wanted}${n}`);
    }
  }
}
