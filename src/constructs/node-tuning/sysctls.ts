/**
 * The kernel parameters that may be changed on a live node and put back, each with the values that make sense for it.
 *
 * Source: Linux Documentation/admin-guide/sysctl (net, vm, kernel, fs), Documentation/networking/ip-sysctl. Everything else belongs into
 * the node image: it cannot be restored, is read once at boot, or belongs to another component (the kubelet, kube-proxy, the network plugin).
 */
import { counted } from '../../facts/words';

/** A kernel parameter that can be tuned. */
export type TunableSysctl = keyof typeof TUNABLE_SYSCTLS;

/** What is known of a kernel parameter. */
export interface SysctlFacts {
  /** Smallest value. */
  readonly least: number;
  /** Greatest value. */
  readonly most: number;
  /** How many numbers the value has: three for the TCP buffers (least, default, most). */
  readonly numbers: 1 | 3;
  /** Unit of the value. */
  readonly unit: 'bytes' | 'packets' | 'connections' | 'count' | 'choice';
  /**
   * True for a parameter of the network namespace that is set for the host, and that pods with a network of their own
   * do not see. Absent otherwise.
   */
  readonly ofHostNetworkOnly?: true;
  /** What the parameter sets. */
  readonly meaning: string;
}

const MOST = 2_147_483_647;
const bytes = (meaning: string): SysctlFacts => ({ least: 4096, most: MOST, numbers: 1, unit: 'bytes', meaning });
const count = (least: number, meaning: string): SysctlFacts => ({
  least,
  most: MOST,
  numbers: 1,
  unit: 'count',
  meaning,
});

/** The kernel parameters that can be tuned, with what is known of each. */
export const TUNABLE_SYSCTLS = {
  'net.core.rmem_max': bytes('the largest receive buffer that a socket may ask for'),
  'net.core.wmem_max': bytes('the largest send buffer that a socket may ask for'),
  'net.core.optmem_max': bytes('the largest buffer for options and control data of a socket'),
  'net.core.netdev_max_backlog': {
    least: 1,
    most: MOST,
    numbers: 1,
    unit: 'packets',
    meaning: 'packets that wait for one CPU',
  },
  'net.core.somaxconn': {
    least: 1,
    most: MOST,
    numbers: 1,
    unit: 'connections',
    ofHostNetworkOnly: true,
    meaning: 'connections that wait to be accepted',
  },
  'net.ipv4.tcp_rmem': {
    least: 4096,
    most: MOST,
    numbers: 3,
    unit: 'bytes',
    ofHostNetworkOnly: true,
    meaning: 'receive buffer of TCP: least, default, most',
  },
  'net.ipv4.tcp_wmem': {
    least: 4096,
    most: MOST,
    numbers: 3,
    unit: 'bytes',
    ofHostNetworkOnly: true,
    meaning: 'send buffer of TCP: least, default, most',
  },
  'vm.max_map_count': count(65_530, 'memory mappings that one process may have'),
  'vm.swappiness': {
    least: 0,
    most: 200,
    numbers: 1,
    unit: 'choice',
    meaning: 'how readily memory is swapped rather than page cache dropped',
  },
  'vm.zone_reclaim_mode': {
    least: 0,
    most: 7,
    numbers: 1,
    unit: 'choice',
    meaning: "whether a NUMA node frees its own memory before it takes another's",
  },
  'kernel.numa_balancing': {
    least: 0,
    most: 3,
    numbers: 1,
    unit: 'choice',
    meaning: 'whether the kernel moves pages to the node that uses them',
  },
  'fs.inotify.max_user_watches': count(8192, 'files and folders that one user may watch'),
  'fs.inotify.max_user_instances': count(128, 'inotify instances of one user'),
  'fs.inotify.max_queued_events': count(16_384, 'events that wait in one inotify instance'),
  'fs.aio-max-nr': count(65_536, 'asynchronous I/O requests at once'),
} as const satisfies Readonly<Record<string, SysctlFacts>>;

function findTunableSysctl(name: string): SysctlFacts | undefined {
  return Object.hasOwn(TUNABLE_SYSCTLS, name) ? TUNABLE_SYSCTLS[name as TunableSysctl] : undefined;
}

/**
 * The value as the kernel takes it.
 *
 * @throws if the parameter is not one that may be changed on a live node, or the value lies beyond its bounds
 */
export function sysctlValue(name: string, value: number | readonly number[]): string {
  const facts = findTunableSysctl(name);
  if (facts === undefined) {
    throw new Error(
      `sysctl "${name}" is not among those that may be changed on a live node (${Object.keys(TUNABLE_SYSCTLS).join(', ')}). Set it in the node image.`,
    );
  }
  const numbers = typeof value === 'number' ? [value] : value;
  if (numbers.length !== facts.numbers) {
    throw new Error(
      `sysctl ${name}: the kernel requires ${counted(facts.numbers, 'number')}, not ${numbers.length} (${numbers.join(' ')}).`,
    );
  }
  for (const number of numbers) {
    if (!Number.isInteger(number) || number < facts.least || number > facts.most) {
      throw new Error(`sysctl ${name}: ${number} must be between ${facts.least} and ${facts.most} (${facts.meaning}).`);
    }
  }
  if (numbers.some((number, index) => index > 0 && number < numbers[index - 1])) {
    throw new Error(`sysctl ${name}: ${numbers.join(' ')} must ascend: minimum, default, maximum.`);
  }
  return numbers.join(' ');
}
