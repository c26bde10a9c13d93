/**
 * The functions of CEL in the API server: cel-go's standard library, its extensions for strings, sets, lists, two variables, and optionals, and the
 * libraries of Kubernetes (`apiserver/pkg/cel/environment/base.go`), each with all its overloads.
 *
 * A line is `name(argument types): result`, and `target.name(argument types): result` for a method. Types in braces are alternatives, taken together:
 * `{int|uint}.f({int|uint})` are two overloads. `since 1.34` ends the line of what an older server lacks.
 */
import { readType, splitTypes, type CelType } from './types';

export interface Overload {
  readonly isMethod: boolean;
  /** The target's first, for a method. */
  readonly takes: readonly CelType[];
  readonly gives: CelType;
  /** The Kubernetes minor that introduced it; 0: all have it. */
  readonly since: number;
}

const ORDERED = 'int|uint|double|bool|duration|timestamp|string|bytes';

const SIGNATURES = `
  _?_:_(bool, A, A): A
  _&&_(bool, bool): bool
  _||_(bool, bool): bool
  !_(bool): bool
  @not_strictly_false(bool): bool
  _==_(A, A): bool
  _!=_(A, A): bool
  _+_({bytes|double|duration|int|list(A)|string|uint}, {bytes|double|duration|int|list(A)|string|uint}): {bytes|double|duration|int|list(A)|string|uint}
  _+_(duration, timestamp): timestamp
  _+_(timestamp, duration): timestamp
  _-_({double|duration|int|uint}, {double|duration|int|uint}): {double|duration|int|uint}
  _-_(timestamp, duration): timestamp
  _-_(timestamp, timestamp): duration
  _*_({double|int|uint}, {double|int|uint}): {double|int|uint}
  _/_({double|int|uint}, {double|int|uint}): {double|int|uint}
  _%_({int|uint}, {int|uint}): {int|uint}
  -_({double|int}): {double|int}
  _[_](list(A), int): A
  _[_](map(A, B), A): B
  _[_](optional(list(A)), int): optional(A)
  _[_](optional(map(A, B)), A): optional(B)
  _[?_](list(A), int): optional(A)
  _[?_](optional(list(A)), int): optional(A)
  _[?_](map(A, B), A): optional(B)
  _[?_](optional(map(A, B)), A): optional(B)
  @in(A, list(A)): bool
  @in(A, map(A, B)): bool
  size({string|bytes|list(A)|map(A, B)}): int
  {string|bytes|list(A)|map(A, B)}.size(): int
  type(A): type
  bool({bool|string}): bool
  bytes({bytes|string}): bytes
  double({double|int|string|uint}): double
  duration({duration|int|string}): duration
  dyn(A): dyn
  int({int|double|duration|string|timestamp|uint}): int
  string({string|bool|bytes|double|duration|int|timestamp|uint|net.IP|net.CIDR}): string
  timestamp({timestamp|int|string}): timestamp
  uint({uint|double|int|string}): uint
  string.contains(string): bool
  string.endsWith(string): bool
  string.startsWith(string): bool
  matches(string, string): bool
  string.matches(string): bool
  timestamp.{getFullYear|getMonth|getDayOfYear|getDayOfMonth|getDate|getDayOfWeek|getHours|getMinutes|getSeconds|getMilliseconds}(): int
  timestamp.{getFullYear|getMonth|getDayOfYear|getDayOfMonth|getDate|getDayOfWeek|getHours|getMinutes|getSeconds|getMilliseconds}(string): int
  duration.{getHours|getMinutes|getSeconds|getMilliseconds}(): int

  string.charAt(int): string
  string.{indexOf|lastIndexOf}(string): int
  string.{indexOf|lastIndexOf}(string, int): int
  string.{lowerAscii|upperAscii|trim}(): string
  string.replace(string, string): string
  string.replace(string, string, int): string
  string.split(string): list(string)
  string.split(string, int): list(string)
  string.substring(int): string
  string.substring(int, int): string
  string.format(list(dyn)): string
  strings.quote(string): string
  list(string).join(): string
  list(string).join(string): string
  {sets.contains|sets.equivalent|sets.intersects}(list(A), list(A)): bool
  cel.@mapInsert(map(A, B), A, B): map(A, B)
  cel.@mapInsert(map(A, B), map(A, B)): map(A, B)

  list(A).slice(int, int): list(A) since 1.34
  list(list(A)).flatten(): list(A) since 1.34
  list(dyn).flatten(int): list(dyn) since 1.34
  {list(int)|list(uint)|list(double)|list(bool)|list(duration)|list(timestamp)|list(string)|list(bytes)}.sort(): {list(int)|list(uint)|list(double)|list(bool)|list(duration)|list(timestamp)|list(string)|list(bytes)} since 1.34
  list(A).@sortByAssociatedKeys({list(int)|list(uint)|list(double)|list(bool)|list(duration)|list(timestamp)|list(string)|list(bytes)}): list(A) since 1.34
  lists.range(int): list(int) since 1.34
  list(A).{reverse|distinct}(): list(A) since 1.34

  optional.of(A): optional(A)
  optional.ofNonZeroValue(A): optional(A)
  optional.none(): optional(A)
  optional(A).value(): A
  optional(A).hasValue(): bool
  optional(A).or(optional(A)): optional(A)
  optional(A).orValue(A): A
  list(A).{first|last}(): optional(A)
  optional.unwrap(list(optional(A))): list(A)
  list(optional(A)).unwrapOpt(): list(A)

  url(string): kubernetes.URL
  isURL(string): bool
  kubernetes.URL.{getScheme|getHost|getHostname|getPort|getEscapedPath}(): string
  kubernetes.URL.getQuery(): map(string, list(string))
  string.find(string): string
  string.findAll(string): list(string)
  string.findAll(string, int): list(string)
  {list(int)|list(uint)|list(double)|list(bool)|list(duration)|list(timestamp)|list(string)|list(bytes)}.isSorted(): bool
  {list(int)|list(uint)|list(double)|list(duration)}.sum(): {int|uint|double|duration}
  {list(int)|list(uint)|list(double)|list(bool)|list(duration)|list(timestamp)|list(string)|list(bytes)}.{min|max}(): {${ORDERED}}
  list(A).{indexOf|lastIndexOf}(A): int

  quantity(string): kubernetes.Quantity
  isQuantity(string): bool
  sign(kubernetes.Quantity): int
  kubernetes.Quantity.{isGreaterThan|isLessThan}(kubernetes.Quantity): bool
  kubernetes.Quantity.compareTo(kubernetes.Quantity): int
  kubernetes.Quantity.asApproximateFloat(): double
  kubernetes.Quantity.asInteger(): int
  kubernetes.Quantity.isInteger(): bool
  kubernetes.Quantity.{add|sub}(kubernetes.Quantity): kubernetes.Quantity
  kubernetes.Quantity.{add|sub}(int): kubernetes.Quantity

  ip(string): net.IP since 1.30
  isIP(string): bool since 1.30
  ip.isCanonical(string): bool since 1.30
  net.IP.family(): int since 1.30
  net.IP.{isUnspecified|isLoopback|isLinkLocalMulticast|isLinkLocalUnicast|isGlobalUnicast}(): bool since 1.30
  cidr(string): net.CIDR since 1.30
  isCIDR(string): bool since 1.30
  net.CIDR.containsIP({string|net.IP}): bool since 1.30
  net.CIDR.containsCIDR({string|net.CIDR}): bool since 1.30
  net.CIDR.ip(): net.IP since 1.30
  net.CIDR.prefixLength(): int since 1.30
  net.CIDR.masked(): net.CIDR since 1.30

  {format.dns1123Label|format.dns1123Subdomain|format.dns1035Label|format.qualifiedName|format.dns1123LabelPrefix|format.dns1123SubdomainPrefix|format.dns1035LabelPrefix|format.labelValue|format.uri|format.uuid|format.byte|format.date|format.datetime}(): kubernetes.NamedFormat since 1.31
  format.named(string): optional(kubernetes.NamedFormat) since 1.31
  kubernetes.NamedFormat.validate(string): optional(list(string)) since 1.31

  semver(string): kubernetes.Semver since 1.33
  semver(string, bool): kubernetes.Semver since 1.33
  isSemver(string): bool since 1.33
  isSemver(string, bool): bool since 1.33
  kubernetes.Semver.{isGreaterThan|isLessThan}(kubernetes.Semver): bool since 1.33
  kubernetes.Semver.compareTo(kubernetes.Semver): int since 1.33
  kubernetes.Semver.{major|minor|patch}(): int since 1.33

  kubernetes.authorization.Authorizer.path(string): kubernetes.authorization.PathCheck
  kubernetes.authorization.Authorizer.group(string): kubernetes.authorization.GroupCheck
  kubernetes.authorization.Authorizer.serviceAccount(string, string): kubernetes.authorization.Authorizer
  kubernetes.authorization.GroupCheck.resource(string): kubernetes.authorization.ResourceCheck
  kubernetes.authorization.ResourceCheck.{subresource|namespace|name}(string): kubernetes.authorization.ResourceCheck
  kubernetes.authorization.ResourceCheck.{fieldSelector|labelSelector}(string): kubernetes.authorization.ResourceCheck since 1.31
  {kubernetes.authorization.PathCheck|kubernetes.authorization.ResourceCheck}.check(string): kubernetes.authorization.Decision
  kubernetes.authorization.Decision.{errored|allowed}(): bool
  kubernetes.authorization.Decision.{error|reason}(): string
`;

/** Comparisons: equal types, and numbers of any two types. */
function comparisons(): readonly string[] {
  const numbers = ['int', 'uint', 'double'];
  const pairs = numbers.flatMap((a) => numbers.filter((b) => a !== b).map((b) => `(${a}, ${b}): bool`));
  const equal = ORDERED.split('|').map((type) => `(${type}, ${type}): bool`);
  return ['_<_', '_<=_', '_>_', '_>=_'].flatMap((name) => [...equal, ...pairs].map((rest) => `${name}${rest}`));
}

/** The overloads by name. Operators have cel-go's names: `_+_`. */
export type Functions = ReadonlyMap<string, readonly Overload[]>;

let standard: Functions | undefined;

export function standardFunctions(): Functions {
  standard ??= readSignatures([...SIGNATURES.split('\n'), ...comparisons()]);
  return standard;
}

/**
 * Reads signatures, one a line.
 * @throws TypeError if a line is not a signature
 */
export function readSignatures(lines: readonly string[]): Functions {
  const functions = new Map<string, Overload[]>();
  for (const line of lines.map((one) => one.trim()).filter((one) => one !== '')) {
    for (const { name, overload } of alternatives(line).map(readSignature)) {
      functions.set(name, [...(functions.get(name) ?? []), overload]);
    }
  }
  return functions;
}

/** Braces with the same alternatives are replaced by the same one of them; those of names each by all. */
function alternatives(line: string): readonly string[] {
  const group = /\{([^{}]*)\}/.exec(line);
  if (group === null) {
    return [line];
  }
  const options = group[1].split('|');
  const isMappedBy = [...line.matchAll(/\{([^{}]*)\}/g)].filter(
    ([, other]) => other !== group[1] && other.split('|').length === options.length && /\): \{/.test(line),
  );
  return options.flatMap((option, index) => {
    let replaced = line.split(group[0]).join(option);
    for (const [whole, other] of isMappedBy) {
      replaced = replaced.split(whole).join(other.split('|')[index]);
    }
    return alternatives(replaced);
  });
}

function readSignature(line: string): { readonly name: string; readonly overload: Overload } {
  const target = TARGET.exec(line)?.[1];
  const rest = target === undefined ? line : line.slice(target.length + 1);
  const [, name, takes, gives, minor] = /^([^(]+)\((.*)\): (.+?)(?: since 1\.(\d+))?$/.exec(rest) ?? [];
  if (name === undefined) {
    throw new TypeError(`not a signature: ${line}`);
  }
  return {
    name,
    overload: {
      isMethod: target !== undefined,
      takes: [...(target === undefined ? [] : [target]), ...splitTypes(takes)].map(readType),
      gives: readType(gives),
      since: Number(minor ?? 0),
    },
  };
}

/** A method's target. `strings.quote` is a function in a name space. */
const TARGET =
  /^((?:list|map|optional)\(.*?\)+|string|bytes|timestamp|duration|dyn|kubernetes\.(?:authorization\.)?[A-Z]\w*|net\.[A-Z]+)\.(?=[@\w]+\()/;
