/**
 * Kubernetes' CEL functions for addresses, networks, URLs, versions and named formats (apiserver `pkg/cel/library`).
 */
import {
  CelScalar,
  celFunc,
  celList,
  celMap,
  celMethod,
  type CelFunc,
  type CelInput,
  type CelMap,
  type CelValue,
} from '@bufbuild/cel';
import { addTo } from '../facts/collections';
import { stringFormat } from '../manifests/values/formats';
import { dns1035Label, dnsLabel, dnsSubdomain, labelValue, qualifiedName } from '../manifests/values/name-syntax';
import {
  addressText,
  compareVersions,
  containsAddress,
  isIn,
  masked,
  networkText,
  parseAddress,
  parseNetwork,
  parseVersion,
  versionKey,
  type Address,
  type Network,
  type Version,
} from './addresses';
import { compareQuantities, MAP } from './kubernetes-functions';
import { opaque, opaqueKind, opaqueValue, optionalNone, optionalOf } from './opaque';

const { STRING, INT, BOOL } = CelScalar;

function given<T>(value: T | undefined, complaint: string): T {
  if (value === undefined) {
    throw new Error(complaint);
  }
  return value;
}

const addressValue = (address: Address): CelMap => opaque('ip', address, addressText(address));
const networkValue = (network: Network): CelMap => opaque('cidr', network, networkText(network));
// Opaque values are made in this folder alone, each kind with one type of value.
const asAddress = (value: CelValue): Address => opaqueValue(value, 'ip') as Address;
const asNetwork = (value: CelValue): Network => opaqueValue(value, 'cidr') as Network;
const asVersion = (value: CelValue): Version => opaqueValue(value, 'semver') as Version;
const asUrl = (value: CelValue): UrlParts => opaqueValue(value, 'url') as UrlParts;
const addressOf = (text: string): Address =>
  given(parseAddress(text), `IP Address "${text}" parse error during conversion from string`);
const networkOf = (text: string): Network =>
  given(parseNetwork(text), `network address "${text}" parse error during conversion from string`);

const NON_GLOBAL = [
  '0.0.0.0/32',
  '255.255.255.255/32',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '224.0.0.0/4',
  '::/128',
  '::1/128',
  'fe80::/10',
  'ff00::/8',
];

function addressTest(name: string, ...networks: readonly string[]): CelFunc {
  return celMethod(name, MAP, [], BOOL, function () {
    return isIn(asAddress(this), ...networks);
  });
}

const ips: readonly CelFunc[] = [
  celFunc('ip', [STRING], MAP, (text) => addressValue(addressOf(text))),
  celFunc('isIP', [STRING], BOOL, (text) => parseAddress(text) !== undefined),
  celFunc('ip.isCanonical', [STRING], BOOL, (text) => addressText(addressOf(text)) === text),
  celMethod('family', MAP, [], INT, function () {
    return BigInt(asAddress(this).family);
  }),
  addressTest('isUnspecified', '0.0.0.0/32', '::/128'),
  addressTest('isLoopback', '127.0.0.0/8', '::1/128'),
  addressTest('isLinkLocalMulticast', '224.0.0.0/24', 'ff02::/16'),
  addressTest('isLinkLocalUnicast', '169.254.0.0/16', 'fe80::/10'),
  celMethod('isGlobalUnicast', MAP, [], BOOL, function () {
    return !isIn(asAddress(this), ...NON_GLOBAL);
  }),
  celFunc('cidr', [STRING], MAP, (text) => networkValue(networkOf(text))),
  celFunc('isCIDR', [STRING], BOOL, (text) => parseNetwork(text) !== undefined),
  celMethod('containsIP', MAP, [STRING], BOOL, function (text) {
    return containsAddress(asNetwork(this), addressOf(text));
  }),
  celMethod('containsIP', MAP, [MAP], BOOL, function (address) {
    return containsAddress(asNetwork(this), asAddress(address));
  }),
  celMethod('containsCIDR', MAP, [STRING], BOOL, function (text) {
    return containsNetwork(asNetwork(this), networkOf(text));
  }),
  celMethod('containsCIDR', MAP, [MAP], BOOL, function (network) {
    return containsNetwork(asNetwork(this), asNetwork(network));
  }),
  celMethod('ip', MAP, [], MAP, function () {
    return addressValue(asNetwork(this).address);
  }),
  celMethod('masked', MAP, [], MAP, function () {
    return networkValue(masked(asNetwork(this)));
  }),
  celMethod('prefixLength', MAP, [], INT, function () {
    return BigInt(asNetwork(this).length);
  }),
  celFunc('string', [MAP], STRING, (value) =>
    opaqueKind(value) === 'cidr' ? networkText(asNetwork(value)) : addressText(asAddress(value)),
  ),
];

function containsNetwork(outer: Network, inner: Network): boolean {
  return outer.length <= inner.length && containsAddress(outer, inner.address);
}

interface UrlParts {
  readonly scheme: string;
  readonly host: string;
  readonly path: string;
  readonly query: string;
}

/** The parts as Go's net/url has them: nothing is added or normalized. */
function urlParts(text: string): UrlParts | undefined {
  if (stringFormat('uri', 0)?.(text) !== true) {
    return undefined;
  }
  const match = /^(?:([a-zA-Z][a-zA-Z0-9+.-]*):)?(?:\/\/([^/?#]*))?([^?#]*)(?:\?([^#]*))?/.exec(text);
  const authority = match?.[2] ?? '';
  const escaped = encodeURI(decoded(match?.[3] ?? '')).replace(/%25([0-9A-Fa-f]{2})/g, '%$1');
  return {
    scheme: (match?.[1] ?? '').toLowerCase(),
    host: authority.slice(authority.lastIndexOf('@') + 1),
    path: escaped,
    query: match?.[4] ?? '',
  };
}

function decoded(text: string): string {
  try {
    return decodeURI(text);
  } catch {
    return text;
  }
}

function urlPart(name: string, part: (url: UrlParts) => string): CelFunc {
  return celMethod(name, MAP, [], STRING, function () {
    return part(asUrl(this));
  });
}

const urls: readonly CelFunc[] = [
  celFunc('url', [STRING], MAP, (text) =>
    opaque('url', given(urlParts(text), `URL parse error during conversion from string: "${text}"`), text),
  ),
  celFunc('isURL', [STRING], BOOL, (text) => urlParts(text) !== undefined),
  urlPart('getScheme', (url) => url.scheme),
  urlPart('getHost', (url) => url.host),
  urlPart('getHostname', (url) => url.host.replace(/:\d*$/, '').replace(/^\[(.*)\]$/, '$1')),
  urlPart('getPort', (url) => /:(\d*)$/.exec(url.host.replace(/^\[.*\]/, ''))?.[1] ?? ''),
  urlPart('getEscapedPath', (url) => url.path),
  celMethod('getQuery', MAP, [], MAP, function () {
    const found = new Map<string, string[]>();
    for (const [key, value] of new URLSearchParams(asUrl(this).query)) {
      addTo(found, key, value);
    }
    return celMap(new Map([...found].map(([key, values]): [string, CelInput] => [key, celList(values)])));
  }),
];

function versionValue(text: string, tolerant: boolean): CelInput {
  const version = given(parseVersion(text, tolerant), `"${text}" is not a semantic version`);
  return opaque('semver', version, versionKey(version));
}

function compareOpaque(left: CelValue, right: CelValue): number {
  return compareQuantities(left, right) ?? compareVersions(asVersion(left), asVersion(right));
}

const versions: readonly CelFunc[] = [
  celFunc('semver', [STRING], CelScalar.DYN, (text) => versionValue(text, false)),
  celFunc('semver', [STRING, BOOL], CelScalar.DYN, (text, tolerant) => versionValue(text, tolerant)),
  celFunc('isSemver', [STRING], BOOL, (text) => parseVersion(text) !== undefined),
  celFunc('isSemver', [STRING, BOOL], BOOL, (text, tolerant) => parseVersion(text, tolerant) !== undefined),
  ...(['major', 'minor', 'patch'] as const).map((name, index) =>
    celMethod(name, MAP, [], INT, function () {
      return asVersion(this).numbers[index] ?? 0n;
    }),
  ),
  celMethod('compareTo', MAP, [MAP], INT, function (other) {
    return BigInt(compareOpaque(this, other));
  }),
  celMethod('isGreaterThan', MAP, [MAP], BOOL, function (other) {
    return compareOpaque(this, other) > 0;
  }),
  celMethod('isLessThan', MAP, [MAP], BOOL, function (other) {
    return compareOpaque(this, other) < 0;
  }),
];

type FormatTest = (text: string) => string | undefined;

const prefixOf =
  (test: FormatTest): FormatTest =>
  (text) =>
    test(text.length > 1 && text.endsWith('-') ? `${text.slice(0, -2)}a` : text);
const ofString =
  (name: string): FormatTest =>
  (text) =>
    stringFormat(name, 0)?.(text) === false ? `be a ${name}` : undefined;

const NAMED_FORMATS: Readonly<Record<string, FormatTest>> = {
  dns1123Label: dnsLabel,
  dns1123Subdomain: dnsSubdomain,
  dns1035Label,
  qualifiedName,
  dns1123LabelPrefix: prefixOf(dnsLabel),
  dns1123SubdomainPrefix: prefixOf(dnsSubdomain),
  dns1035LabelPrefix: prefixOf(dns1035Label),
  labelValue,
  uri: ofString('uri'),
  uuid: ofString('uuid'),
  byte: ofString('byte'),
  date: ofString('date'),
  datetime: ofString('datetime'),
};

const formats: readonly CelFunc[] = [
  ...Object.keys(NAMED_FORMATS).map((name) => celFunc(`format.${name}`, [], MAP, () => opaque('format', name, name))),
  celFunc('format.named', [STRING], CelScalar.DYN, (name) =>
    Object.hasOwn(NAMED_FORMATS, name) ? optionalOf(opaque('format', name, name)) : optionalNone(),
  ),
  celMethod('validate', MAP, [STRING], CelScalar.DYN, function (text) {
    const complaint = NAMED_FORMATS[String(opaqueValue(this, 'format'))]?.(text);
    return complaint === undefined ? optionalNone() : optionalOf(celList([`must ${complaint}`]));
  }),
];

export const addressFunctions: readonly CelFunc[] = [...ips, ...urls, ...versions, ...formats];
