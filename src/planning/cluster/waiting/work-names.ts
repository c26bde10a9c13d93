/**
 * Names of work in a cluster as users of kubectl write them: `pod/train-0`, `job/research/train`, `queue/research`, `research/train`.
 */

/** What a name means. */
export interface WorkName {
  /** In lower case and singular: `pod`, `job`, `podgroup`, `queue`. @default - any kind */
  readonly kind?: string;
  /** @default - any namespace */
  readonly namespace?: string;
  readonly name: string;
}

const SHORT: Readonly<Record<string, string>> = {
  po: 'pod',
  pg: 'podgroup',
  vj: 'job',
  vcjob: 'job',
  q: 'queue',
  cq: 'clusterqueue',
  lq: 'localqueue',
  wl: 'workload',
  deploy: 'deployment',
  rs: 'replicaset',
  sts: 'statefulset',
  lws: 'leaderworkerset',
};

/** Kinds whose objects are queues. */
export const QUEUE_NAMES: ReadonlySet<string> = new Set(['queue', 'clusterqueue', 'localqueue', 'cohort']);

/**
 * The meanings that a text can have, the likeliest first: `research/train` is an object of the kind `research` where there are such, and
 * else an object in the namespace `research`.
 *
 * @param kinds that the cluster has, in lower case and singular
 */
export function workNames(
  text: string,
  namespace: string | undefined,
  kinds: ReadonlySet<string>,
): readonly WorkName[] {
  const parts = text.split('/');
  if (parts.some((part) => part === '') || parts.length > 3) {
    return [];
  }
  const own = namespace === undefined ? {} : { namespace };
  const [first = '', second = '', third] = parts;
  if (parts.length === 1) {
    return [{ ...own, name: first }];
  }
  const kind = kindNamed(first, kinds);
  if (third !== undefined) {
    return kind === undefined ? [] : [{ kind, namespace: second, name: third }];
  }
  return [
    ...(kind === undefined ? [] : [{ kind, ...own, name: second }]),
    ...(namespace === undefined || namespace === first ? [{ namespace: first, name: second }] : []),
  ];
}

/** `jobs.batch.volcano.sh` as `job`. */
function kindNamed(text: string, kinds: ReadonlySet<string>): string | undefined {
  const word = text.toLowerCase().split('.')[0];
  const meant = [Object.hasOwn(SHORT, word) ? SHORT[word] : word, word.replace(/s$/, '')];
  return meant.find((kind) => kinds.has(kind) || QUEUE_NAMES.has(kind));
}
