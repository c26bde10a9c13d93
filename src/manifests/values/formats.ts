/**
 * The formats of string fields that the API server enforces in CRD schemas (apiextensions `validation/formats.go`, kube-openapi `strfmt`).
 *
 * Any other format is a comment to it, `int-or-string` and `semver` among them. The `k8s-*` formats came with 1.34 and count from 1.35 on,
 * since a server holds schemas to what the release before it knew.
 */
import { isIP, isIPv4, isIPv6 } from 'node:net';

type Test = (text: string) => boolean;

const UUID = (third: string, fourth: string): Test => {
  const pattern = new RegExp(`^[0-9a-f]{8}-?[0-9a-f]{4}-?${third}-?${fourth}-?[0-9a-f]{12}$`, 'i');
  return (text) => pattern.test(text);
};
const matches =
  (pattern: RegExp): Test =>
  (text) =>
    pattern.test(text);

const BYTE_0_255 = '(0|[1-9][0-9]?|1[0-9][0-9]?|2[0-4][0-9]|25[0-5])';
const DNS_LABEL = '[a-z0-9]([-a-z0-9]*[a-z0-9])?';

const FORMATS: Readonly<Record<string, Test>> = {
  bsonobjectid: matches(/^[0-9a-fA-F]{24}$/),
  uri: isRequestUri,
  email: matches(/^(?:[^<>@]*<)?[^\s<>@,;:"()[\]\\]+@[^\s<>@,;:"()[\]\\]+>?$/),
  hostname: isHostname,
  ipv4: (text) => isIPv4(withoutLeadingZeros(text)),
  ipv6: (text) => isIPv6(text) && !text.includes('%'),
  cidr: isCidr,
  mac: matches(
    /^(?:[0-9a-f]{2}([:-])(?:[0-9a-f]{2}\1){4}(?:(?:[0-9a-f]{2}\1){2}|(?:[0-9a-f]{2}\1){14})?[0-9a-f]{2}|(?:[0-9a-f]{4}\.){2}(?:[0-9a-f]{4}\.)?[0-9a-f]{4})$/i,
  ),
  uuid: UUID('[0-9a-f]{4}', '[0-9a-f]{4}'),
  uuid3: UUID('3[0-9a-f]{3}', '[0-9a-f]{4}'),
  uuid4: UUID('4[0-9a-f]{3}', '[89ab][0-9a-f]{3}'),
  uuid5: UUID('5[0-9a-f]{3}', '[89ab][0-9a-f]{3}'),
  isbn: (text) => isIsbn10(text) || isIsbn13(text),
  isbn10: isIsbn10,
  isbn13: isIsbn13,
  creditcard: isCreditCard,
  ssn: (text) => text.length === 11 && /^\d{3}[- ]?\d{2}[- ]?\d{4}$/.test(text),
  hexcolor: matches(/^#?([0-9a-fA-F]{3}|[0-9a-fA-F]{6})$/),
  rgbcolor: matches(new RegExp(`^rgb\\(\\s*${BYTE_0_255}\\s*,\\s*${BYTE_0_255}\\s*,\\s*${BYTE_0_255}\\s*\\)$`)),
  byte: matches(/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{4})$/),
  password: () => true,
  date: isDate,
  duration: isDuration,
  datetime: isDateTime,
};
const FORMATS_SINCE_1_35: Readonly<Record<string, Test>> = {
  k8sshortname: (text) => text.length <= 63 && new RegExp(`^${DNS_LABEL}$`).test(text),
  k8slongname: (text) => text.length <= 253 && new RegExp(`^${DNS_LABEL}(\\.${DNS_LABEL})*$`).test(text),
};

/**
 * The test of a string format; `undefined` where the server enforces none.
 * @param minor the minor version number, 35 for Kubernetes 1.35
 */
export function stringFormat(format: string, minor: number): Test | undefined {
  const name = format.replaceAll('-', '');
  if (Object.hasOwn(FORMATS, name)) {
    return FORMATS[name];
  }
  return minor >= 35 && Object.hasOwn(FORMATS_SINCE_1_35, name) ? FORMATS_SINCE_1_35[name] : undefined;
}

function isDate(text: string): boolean {
  const match = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text);
  if (match === null) {
    return false;
  }
  const [year, month, day] = [Number(match[1]), Number(match[2]), Number(match[3])];
  if (month < 1 || month > 12 || day < 1) {
    return false;
  }
  const leap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  return day <= (month === 2 ? (leap ? 29 : 28) : [4, 6, 9, 11].includes(month) ? 30 : 31);
}

function isDateTime(text: string): boolean {
  const [date = '', time] = text.toLowerCase().split('t');
  if (time === undefined || !isDate(date)) {
    return false;
  }
  const match = /^([0-9]{2}):([0-9]{2}):([0-9]{2})(.[0-9]+)?(z|([+-][0-9]{2}:[0-9]{2}))$/.exec(time);
  return match !== null && (match[1] ?? '') <= '23' && (match[2] ?? '') <= '59' && (match[3] ?? '') <= '59';
}

/** RFC 3339 as Go's `time.Parse` takes it: what built-in kinds decode times with. */
export function isGoTime(text: string): boolean {
  const match = /^(\d{4}-\d{2}-\d{2})T(\d{1,2}):(\d{2}):(\d{2})(?:[.,]\d+)?(?:Z|[+-](\d{2}):(\d{2}))$/.exec(text);
  if (match === null || !isDate(match[1] ?? '')) {
    return false;
  }
  const [hour, minute, second, zoneHour, zoneMinute] = match.slice(2).map((part) => Number(part ?? 0));
  return (
    (hour ?? 0) < 24 && (minute ?? 0) < 60 && (second ?? 0) < 60 && (zoneHour || 0) <= 24 && (zoneMinute || 0) < 60
  );
}

function isDuration(text: string): boolean {
  if (isGoDuration(text)) {
    return true;
  }
  const units = [
    'ns',
    'nano',
    'us',
    'µs',
    'micro',
    'ms',
    'milli',
    's',
    'sec',
    'm',
    'min',
    'h',
    'hr',
    'hour',
    'd',
    'day',
    'w',
    'wk',
    'week',
  ];
  const prefixes = ['nano', 'micro', 'milli', 'sec', 'min', 'hour', 'day', 'week'];
  for (const match of text.matchAll(/(?<!\d)\d+\s*([A-Za-zµ]+)/g)) {
    const unit = (match[1] ?? '').toLowerCase();
    if (units.includes(unit) || prefixes.some((prefix) => unit.startsWith(prefix))) {
      return true;
    }
  }
  return false;
}

/** `time.ParseDuration`: `1h30m`, `0`, `-1.5s`. */
export function isGoDuration(text: string): boolean {
  return /^[+-]?(?:0|(?:(?:\d+(?:\.\d*)?|\.\d+)(?:ns|us|µs|μs|ms|s|m|h))+)$/.test(text);
}

function isRequestUri(text: string): boolean {
  if (text === '' || /\p{Cc}/u.test(text)) {
    return false;
  }
  if (/%(?![0-9a-fA-F]{2})/.test(text.split('?')[0] ?? '')) {
    return false;
  }
  if (text === '*' || text.startsWith('/')) {
    return true;
  }
  const match = /^[a-zA-Z][a-zA-Z0-9+.-]*:(.*)$/.exec(text);
  if (match === null) {
    return false;
  }
  const rest = match[1] ?? '';
  if (!rest.startsWith('//')) {
    return true;
  }
  const authority = rest.slice(2).split(/[/?]/)[0] ?? '';
  const host = authority.slice(authority.lastIndexOf('@') + 1);
  return (
    /^(?:\[[0-9a-fA-F:.%]+\]|[^[\]<>"{}|\\^` ]*?)(?::\d*)?$/.test(host) &&
    !/:(?!\d*$)/.test(host.replace(/^\[.*\]/, ''))
  );
}

const HOSTNAME =
  /^([a-zA-Z0-9\p{S}\p{L}]((-?[a-zA-Z0-9\p{S}\p{L}]{0,62})?)|([a-zA-Z0-9\p{S}\p{L}](([a-zA-Z0-9\-\p{S}\p{L}]{0,61}[a-zA-Z0-9\p{S}\p{L}])?)(\.)){1,}([a-zA-Z\p{L}]){2,63})$/u;

function isHostname(text: string): boolean {
  return (
    HOSTNAME.test(text) &&
    Buffer.byteLength(text) <= 255 &&
    text.split('.').every((part) => Buffer.byteLength(part) <= 63)
  );
}

function withoutLeadingZeros(address: string): string {
  return address.replace(/(^|\.)0+(?=\d)/g, '$1');
}

function isCidr(text: string): boolean {
  const slash = text.indexOf('/');
  const address = withoutLeadingZeros(text.slice(0, Math.max(0, slash)));
  const length = text.slice(slash + 1);
  const version = isIP(address);
  return (
    slash > 0 &&
    version !== 0 &&
    !address.includes('%') &&
    /^\d{1,3}$/.test(length) &&
    Number(length) <= (version === 4 ? 32 : 128)
  );
}

function isIsbn10(text: string): boolean {
  const digits = text.replace(/[\s-]+/g, '');
  if (!/^(?:[0-9]{9}X|[0-9]{10})$/.test(digits)) {
    return false;
  }
  let sum = 0;
  for (let i = 0; i < 10; i += 1) {
    sum += (i + 1) * (digits.charAt(i) === 'X' ? 10 : Number(digits.charAt(i)));
  }
  return sum % 11 === 0;
}

function isIsbn13(text: string): boolean {
  const digits = text.replace(/[\s-]+/g, '');
  if (!/^[0-9]{13}$/.test(digits)) {
    return false;
  }
  let sum = 0;
  for (let i = 0; i < 12; i += 1) {
    sum += (i % 2 === 0 ? 1 : 3) * Number(digits.charAt(i));
  }
  return Number(digits.charAt(12)) === (10 - (sum % 10)) % 10;
}

function isCreditCard(text: string): boolean {
  const digits = text.replace(/[^0-9]+/g, '');
  if (
    !/^(?:4[0-9]{12}(?:[0-9]{3})?|5[1-5][0-9]{14}|6(?:011|5[0-9][0-9])[0-9]{12}|3[47][0-9]{13}|3(?:0[0-5]|[68][0-9])[0-9]{11}|(?:2131|1800|35\d{3})\d{11})$/.test(
      digits,
    )
  ) {
    return false;
  }
  let sum = 0;
  [...digits].reverse().forEach((digit, i) => {
    const doubled = Number(digit) * (i % 2 === 1 ? 2 : 1);
    sum += doubled >= 10 ? (doubled % 10) + 1 : doubled;
  });
  return sum % 10 === 0;
}
