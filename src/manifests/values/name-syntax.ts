/**
 * The grammars of names that the API server holds its objects to (apimachinery, `util/validation` and `api/validate/content`).
 *
 * Each function answers `undefined` for a good value, and otherwise what the value would have to be, ready to follow "must".
 */
import { inThirdPerson } from '../../facts/words/third-person';

type Complaint = string | undefined;

const LABEL = '[a-z0-9]([-a-z0-9]*[a-z0-9])?';
const LABEL_PATTERN = new RegExp(`^${LABEL}$`);
const SUBDOMAIN_PATTERN = new RegExp(`^${LABEL}(\\.${LABEL})*$`);
const LABEL_1035_PATTERN = /^[a-z]([-a-z0-9]*[a-z0-9])?$/;
const UNDERSCORED = '_?[a-z0-9]([-_a-z0-9]*[a-z0-9])?';
const UNDERSCORED_SUBDOMAIN_PATTERN = new RegExp(`^${UNDERSCORED}(\\.${UNDERSCORED})*$`);
const KEY_NAME_PATTERN = /^([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$/;
const LABEL_VALUE_PATTERN = /^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?$/;
const C_IDENTIFIER_PATTERN = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** UTF-8 bytes: Kubernetes measures text in bytes. */
export function byteLength(text: string): number {
  return Buffer.byteLength(text, 'utf8');
}

export function dnsLabel(value: string): Complaint {
  if (byteLength(value) > 63) {
    return 'be no more than 63 characters';
  }
  return LABEL_PATTERN.test(value)
    ? undefined
    : 'consist of lowercase letters, digits, and "-", and start and end with a letter or digit (a DNS label)';
}

export function dns1035Label(value: string): Complaint {
  if (byteLength(value) > 63) {
    return 'be no more than 63 characters';
  }
  return LABEL_1035_PATTERN.test(value)
    ? undefined
    : 'consist of lowercase letters, digits, and "-", start with a letter, and not end with "-"';
}

export function dnsSubdomain(value: string): Complaint {
  if (byteLength(value) > 253) {
    return 'be no more than 253 characters';
  }
  return SUBDOMAIN_PATTERN.test(value) ? undefined : domainRule(value, '"-", and "."');
}

export function dnsSubdomainWithUnderscores(value: string): Complaint {
  if (byteLength(value) > 253) {
    return 'be no more than 253 characters';
  }
  return UNDERSCORED_SUBDOMAIN_PATTERN.test(value) ? undefined : domainRule(value, '"-", "_", and "."');
}

/** Which part of the grammar of a domain the value breaks: its characters and ends, or the ends of a part inside. */
function domainRule(value: string, signs: string): string {
  return /^_?[a-z0-9]([-_.a-z0-9]*[a-z0-9])?$/.test(value) && (signs.includes('_') || !value.includes('_'))
    ? 'have a letter or digit before and after each "."'
    : `consist of lowercase letters, digits, ${signs}, and start and end with a letter or digit`;
}

export function wildcardSubdomain(value: string): Complaint {
  if (byteLength(value) > 253) {
    return 'be no more than 253 characters';
  }
  return value.startsWith('*.') && SUBDOMAIN_PATTERN.test(value.slice(2))
    ? undefined
    : 'be "*." followed by a DNS name';
}

/** A label key, a resource name, a condition type: `[prefix/]name`. */
export function qualifiedName(value: string): Complaint {
  const parts = value.split('/');
  if (parts.length > 2) {
    return 'contain at most one "/"';
  }
  const name = parts[parts.length - 1] ?? '';
  if (parts.length === 2) {
    const prefix = parts[0] ?? '';
    const complaint = dnsSubdomain(prefix);
    if (complaint !== undefined) {
      return `have a prefix that ${inThirdPerson(complaint)}`;
    }
  }
  const isPrefixed = parts.length === 2;
  if (name === '') {
    return isPrefixed ? 'have a name after the "/"' : 'not be empty';
  }
  if (byteLength(name) > 63) {
    return isPrefixed ? 'have no more than 63 characters after the prefix' : 'be no more than 63 characters';
  }
  if (KEY_NAME_PATTERN.test(name)) {
    return undefined;
  }
  return isPrefixed
    ? 'have a name after the "/" that consists of letters, digits, "-", "_", and ".", and starts and ends with a letter or digit'
    : 'consist of letters, digits, "-", "_", and ".", and start and end with a letter or digit';
}

export function labelValue(value: string): Complaint {
  if (byteLength(value) > 63) {
    return 'be no more than 63 characters';
  }
  return LABEL_VALUE_PATTERN.test(value)
    ? undefined
    : 'be empty, or consist of letters, digits, "-", "_", and ".", and start and end with a letter or digit';
}

/** What is wrong with a label: `label key "a b" must …`, or `value "a b" of the label "c" must …`; and what the value must do. */
export function labelFault(
  key: string,
  value: string,
): { readonly message: string; readonly found: string; readonly ofValue?: string } | undefined {
  const badKey = qualifiedName(key);
  if (badKey !== undefined) {
    return { message: `label key ${JSON.stringify(key)} must ${badKey}`, found: key };
  }
  const badValue = labelValue(value);
  return badValue === undefined
    ? undefined
    : {
        message: `value ${JSON.stringify(value)} of the label ${JSON.stringify(key)} must ${badValue}`,
        found: value,
        ofValue: badValue,
      };
}

export function portName(value: string): Complaint {
  if (value.length > 15) {
    return 'be no more than 15 characters';
  }
  if (!/^[-a-z0-9]+$/.test(value)) {
    return 'consist of lowercase letters, digits, and "-"';
  }
  if (!/[a-z]/.test(value)) {
    return 'contain at least one letter';
  }
  if (value.includes('--')) {
    return 'not contain two "-" in a row';
  }
  return value.startsWith('-') || value.endsWith('-') ? 'not start or end with "-"' : undefined;
}

export function portNumber(value: number): Complaint {
  return value >= 1 && value <= 65535 ? undefined : 'be between 1 and 65535';
}

/** Since 1.32 any printable ASCII without `=`; before, letters, digits, `-`, `_`, `.`. */
export function environmentName(value: string, relaxed: boolean): Complaint {
  if (relaxed) {
    return /^[\x20-\x3c\x3e-\x7e]+$/.test(value) ? undefined : 'consist of printable ASCII characters other than "="';
  }
  if (!/^[-._a-zA-Z][-._a-zA-Z0-9]*$/.test(value)) {
    return 'consist of letters, digits, "_", "-", and ".", and not start with a digit';
  }
  return parentFolder(value);
}

export function configMapKey(value: string): Complaint {
  if (byteLength(value) > 253) {
    return 'be no more than 253 characters';
  }
  if (!/^[-._a-zA-Z0-9]+$/.test(value)) {
    return 'consist of letters, digits, "-", "_", and "."';
  }
  return parentFolder(value);
}

export function cIdentifier(value: string): Complaint {
  return C_IDENTIFIER_PATTERN.test(value)
    ? undefined
    : 'consist of letters, digits, and "_", and not start with a digit';
}

export function httpHeaderName(value: string): Complaint {
  return /^[-A-Za-z0-9]+$/.test(value) ? undefined : 'consist of letters, digits, and "-"';
}

export function percentage(value: string): Complaint {
  return /^[0-9]+%$/.test(value) ? undefined : 'be a percentage such as 25%';
}

/** `domain/path`, for example `kueue.x-k8s.io/multikueue`. */
export function domainPrefixedPath(value: string): Complaint {
  const slash = value.indexOf('/');
  if (slash <= 0 || slash === value.length - 1) {
    return 'be of the form domain/path';
  }
  const complaint = dnsSubdomain(value.slice(0, slash));
  if (complaint !== undefined) {
    return `have a domain prefix that ${inThirdPerson(complaint)}`;
  }
  return /^[A-Za-z0-9/\-._~%!$&'()*+,;=:]+$/.test(value.slice(slash + 1))
    ? undefined
    : 'have a path of URL characters after the "/"';
}

/** A DNS name of at least three labels. */
export function fullyQualifiedName(value: string): Complaint {
  if (value === '') {
    return 'be set';
  }
  return (
    dnsSubdomain(value) ?? (value.split('.').length < 3 ? 'be a domain name with at least three parts' : undefined)
  );
}

/** A name in a URL path: role names, webhook-free kinds. */
export function pathSegment(value: string): Complaint {
  if (value === '.' || value === '..') {
    return `not be "${value}"`;
  }
  return /[/%]/.test(value) ? 'not contain "/" or "%"' : undefined;
}

export function userOrGroupId(value: number): Complaint {
  return value >= 0 && value <= 2147483647 ? undefined : 'be between 0 and 2147483647';
}

function parentFolder(value: string): Complaint {
  if (value === '.') {
    return 'not be "."';
  }
  return value.startsWith('..') ? 'not start with ".."' : undefined;
}

/** Of semver.org: three numbers without leading zeros, a pre-release, a build. */
export function semanticVersion(value: string): Complaint {
  const [, release, preRelease] =
    /^((?:0|[1-9]\d*)\.(?:0|[1-9]\d*)\.(?:0|[1-9]\d*))(?:-([0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*))?(?:\+[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*)?$/.exec(
      value,
    ) ?? [];
  const zeros = (preRelease ?? '').split('.').some((part) => /^0\d+$/.test(part));
  return release === undefined || zeros ? 'be a semantic version such as 1.2.3' : undefined;
}

/** The name of a signer of certificates, `example.com/signer`. */
export function signerName(name: string): Complaint {
  const [domain = '', path = '', ...rest] = name.split('/');
  if (rest.length > 0 || !name.includes('/')) {
    return 'be of the form domain/name';
  }
  const labels = domain.split('.');
  if (labels.length < 2) {
    return 'have a domain prefix of at least two parts';
  }
  if (byteLength(domain) > 253) {
    return 'have a domain prefix of at most 253 characters';
  }
  const label = labels.map(dnsLabel).find((complaint) => complaint !== undefined);
  if (label !== undefined) {
    return `have a domain prefix whose parts each ${label}`;
  }
  const part = path
    .split('.')
    .map(dnsSubdomain)
    .find((complaint) => complaint !== undefined);
  return part === undefined ? undefined : `have a name after the "/" that ${inThirdPerson(part)}`;
}
