/**
 * What the patterns of the covered kinds describe: what to call a text that matches, with its article, and examples.
 */
import { oneOfStrings } from '../../facts/words';
import { A_QUANTITY } from './exact-words';

type Described = readonly [noun: string, ...examples: readonly string[]];

/** Examples of it depend on the resource. */
const QUANTITY = 'a quantity';
const HTTP_URL: Described = ['an HTTP URL', 'https://example.com'];
const LABEL_KEY: Described = ['a label key', 'example.com/rack'];
const IMAGE: Described = ['an image name', 'ghcr.io/example/server:1.2'];
const DURATION: Described = ['a duration in h, m, s, or ms', '30s', '1h30m'];

const PATTERNS: ReadonlyMap<string, Described> = new Map<string, Described>([
  [
    String.raw`^(\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))))?$`,
    [QUANTITY, '500m', '8Gi'],
  ],
  [
    String.raw`^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])$`,
    LABEL_KEY,
  ],
  [
    String.raw`^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*(\/))?([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$`,
    LABEL_KEY,
  ],
  ['^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?$', ['a label value', 'a100-80gb']],
  ['^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$', ['a reason', 'QuotaReserved']],
  [
    String.raw`^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$`,
    ['a DNS subdomain', 'train-70b', 'example.com'],
  ],
  ['^[a-z0-9]([-a-z0-9]*[a-z0-9])?$', ['a DNS label', 'train-70b']],
  ['^(?i)[a-z]([-a-z0-9]*[a-z0-9])?$', ['a DNS-1035 label', 'worker']],
  [
    '^(0|(([0-9]+)y)?(([0-9]+)w)?(([0-9]+)d)?(([0-9]+)h)?(([0-9]+)m)?(([0-9]+)s)?(([0-9]+)ms)?)$',
    ['a duration', '30s', '1h30m', '15d'],
  ],
  [
    '^(([0-9]+)y)?(([0-9]+)w)?(([0-9]+)d)?(([0-9]+)h)?(([0-9]+)m)?(([0-9]+)s)?(([0-9]+)ms)?$',
    ['a duration', '30s', '1h30m', '15d'],
  ],
  ['^(0|(([0-9]+)h)?(([0-9]+)m)?(([0-9]+)s)?(([0-9]+)ms)?)$', DURATION],
  [String.raw`^([0-9]+(\.[0-9]+)?(ms|s|m|h))+$`, DURATION],
  [String.raw`^([0-9]+(\.[0-9]+)?(ns|us|µs|ms|s|m|h))+$`, DURATION],
  [String.raw`^([0-9]+(\.[0-9]+)?(ms|s|m))+$`, ['a duration in m, s, or ms', '30s', '5m']],
  [String.raw`^([0-9]+(\.[0-9]+)?(s|m|h))+$`, ['a duration in h, m, or s', '30s', '1h30m']],
  ['^([0-9]+(s|m|h))+$', ['a duration in h, m, or s', '30s', '1h30m']],
  ['^([0-9]+)(ms|s|m|h)$', ['a duration in one unit', '30s', '2h']],
  ['^(([0-9]+(s|m|h))+|Never)$', ['a duration in h, m, or s', '30s', '720h', 'Never']],
  ['^((([0-9]+(h|m))|([0-9]+h[0-9]+m))(0s)?)$', ['a duration in h and m', '30m', '8h30m']],
  ['^((([01][0-9])|(2[0-3])):[0-5][0-9])$|(^24:00$)', ['a time of day', '08:30']],
  ['^(http|https|socks5)://.+$', ['an HTTP or SOCKS5 URL', 'http://proxy.example.com:3128']],
  ['^(http|https)://.+$', HTTP_URL],
  ['^https?://.+$', HTTP_URL],
  ['^(http|https)://.*$', HTTP_URL],
  ['^(http|https|ssh)://.*$', ['an HTTP or SSH URL', 'https://github.com/example/manifests']],
  ['^(http|https|oci)://.*$', ['an HTTP or OCI URL', 'https://charts.example.com', 'oci://ghcr.io/example/charts']],
  ['^oci://.*$', ['an OCI URL', 'oci://ghcr.io/example/charts']],
  ['^[a-zA-Z][a-zA-Z0-9+.-]*://.+$', ['a URI', 's3://bucket/path']],
  [String.raw`(^0|([0-9]*[.])?[0-9]+((K|M|G|T|E|P)i?)?B)$`, ['a size in bytes', '512MB', '10GiB']],
  [String.raw`^(\d+)(Ei|Pi|Ti|Gi|Mi|Ki)$`, ['an amount with a binary suffix', '16Gi']],
  [
    '^((?:[1-9][0-9]{0,3}|[1-4][0-9]{4}|[5][0-8][0-9]{3}|59000)Gi|(?:[1-9][0-9]{0,3}|[1-5][0-9]{4}|[6][0-3][0-9]{3}|64000)G|([1-9]||[1-5][0-7]|58)Ti|([1-9]||[1-5][0-9]|6[0-3]|64)T)$',
    ['a volume size', '100Gi'],
  ],
  ['^((100|[0-9]{1,2})%|[0-9]+)$', ['a number or percentage', '10%']],
  [String.raw`^\d+(\.\d+)?$`, ['a number', '0.5']],
  [
    String.raw`^(([+-]{1}(\d*\.?\d+))|(\+{1}\d*\.?\d+%)|(^(-\d{1,2}(\.\d+)?%)$)|(-100%))$`,
    ['a price adjustment', '+10%', '-0.5'],
  ],
  [
    String.raw`^(@(annually|yearly|monthly|weekly|daily|midnight|hourly))|((.+)\s(.+)\s(.+)\s(.+)\s(.+))$`,
    ['a cron schedule', '0 2 * * *', '@daily'],
  ],
  [String.raw`^(/[^/\0]+)*(/)?$`, ['an absolute path', '/data']],
  [String.raw`^[^*]*(\*[^/]*)?\.(json|yml|yaml|JSON|YML|YAML)$`, ['a path of JSON or YAML files', 'targets/*.yaml']],
  ['^[a-z0-9]+(?:[.+_-][a-z0-9]+)*:[a-zA-Z0-9=_-]+$', ['a digest', 'sha256:0123abcd']],
  [
    String.raw`^([a-z0-9]+(?:[._-][a-z0-9]+)*(:[0-9]+)?)(/[a-z0-9]+(?:[._-][a-z0-9]+)*)*(?::[a-z0-9._-]+)?(?:@[a-zA-Z0-9]+:[a-f0-9]+)?$`,
    IMAGE,
  ],
  [
    String.raw`^([a-z0-9]+(?:[._-][a-z0-9]+)*(:[0-9]+)?)(/[$a-zA-Z0-9_]+(?:[._-][$a-zA-Z0-9_]+)*)*(?::[a-z0-9._-]+)?(?:@[a-zA-Z0-9]+:[a-f0-9]+)?$`,
    IMAGE,
  ],
  ['^[0-9]{12}$', ['an AWS account ID', '123456789012']],
  ['^cr-[0-9a-z]+$', ['a capacity reservation ID', 'cr-0123abcd']],
  ['^pg-[0-9a-z]+$', ['a placement group ID', 'pg-0123abcd']],
  ['ami-[0-9a-z]+', ['an AMI ID', 'ami-0123abcd']],
  ['sg-[0-9a-z]+', ['a security group ID', 'sg-0123abcd']],
  ['subnet-[0-9a-z]+', ['a subnet ID', 'subnet-0123abcd']],
]);

/** The patterns that have words, each with its examples. */
export const DESCRIBED_PATTERNS: readonly (readonly [pattern: string, examples: readonly string[]])[] = [
  ...PATTERNS,
].map(([pattern, [, ...examples]]) => [pattern, examples] as const);

export interface PatternWords {
  /** `is not a valid label key`. */
  readonly complaint: string;
  /** `a label key such as example.com/rack`. */
  readonly expected: string;
}

/** The value of a taint may have the form of a label key where Karpenter checks it. */
const TAINT_VALUE: Described = ['a taint value', 'gpu'];

/** @param path of the field */
export function patternWords(pattern: string, path = ''): PatternWords {
  const known = PATTERNS.get(pattern);
  const described = known === LABEL_KEY && /taints\/\d+\/value$/i.test(path) ? TAINT_VALUE : known;
  if (described === undefined) {
    return { complaint: 'does not match the pattern of the field', expected: `a string that matches ${pattern}` };
  }
  const [noun, ...examples] = described;
  return {
    complaint: `is not a valid ${noun.replace(/^an? /, '')}`,
    expected: noun === QUANTITY ? A_QUANTITY : `${noun} such as ${oneOfStrings(examples)}`,
  };
}
