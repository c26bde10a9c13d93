/**
 * Objects that programs rather than people write: APIService, CertificateSigningRequest, ControllerRevision, Event, LeaseCandidate.
 */
import { cite } from '../../../facts/upstream';
import { type JsonObject } from '../../../facts/api/schema';
import { asObject, isObject } from '../../../manifests/read';
import { type Rule } from '../../rule';
import { type Say, objectRule } from '../server-rule';
import {
  byteLength,
  dns1035Label,
  dnsLabel,
  dnsSubdomain,
  portNumber,
  qualifiedName,
  semanticVersion,
} from '../syntax';
import { given, oneOf, text, textsOf, whole } from '../values';

/** Longest `action`, `reason` and `reportingInstance` of an event, and its longest message. */
const LONGEST_WORD = 128;
const LONGEST_NOTE = 1024;
const USAGES = [
  'signing',
  'digital signature',
  'content commitment',
  'key encipherment',
  'key agreement',
  'data encipherment',
  'cert sign',
  'crl sign',
  'encipher only',
  'decipher only',
  'any',
  'server auth',
  'client auth',
  'code signing',
  'email protection',
  's/mime',
  'ipsec end system',
  'ipsec tunnel',
  'ipsec user',
  'timestamping',
  'ocsp signing',
  'microsoft sgc',
  'netscape sgc',
];
const PEM_BLOCK = /-----BEGIN ([^\n]*?)-----[ \t\r]*\n([A-Za-z0-9+/=\s]+?)\n?-----END \1-----/;

export const clusterRecordRules: readonly Rule[] = [
  objectRule(
    'api-service-valid',
    ['apiregistration.k8s.io/APIService'],
    {
      source: `${cite('kube-aggregator')}, pkg/apis/apiregistration/validation/validation.go`,
      summary:
        "An APIService has a group, a version and priorities in range; one of another server names that server's service.",
      fix: 'Correct the field.',
    },
    (object, say) => {
      const spec = asObject(object.spec);
      const group = text(spec.group);
      const badGroup = group === '' ? (spec.version === 'v1' ? undefined : 'be given') : dnsSubdomain(group);
      if (badGroup !== undefined) {
        say('/spec/group', `the group must ${badGroup}`);
      }
      const badVersion = dns1035Label(text(spec.version));
      if (badVersion !== undefined) {
        say('/spec/version', `the version must ${badVersion}`);
      }
      checkPriority(spec, 'groupPriorityMinimum', 20_000, say);
      checkPriority(spec, 'versionPriority', 1000, say);
      const bundle = text(spec.caBundle) !== '';
      const insecure = spec.insecureSkipTLSVerify === true;
      if (!given(spec.service)) {
        if (bundle) {
          say('/spec/caBundle', 'an API of this server needs no caBundle', { found: null });
        }
        if (insecure) {
          say('/spec/insecureSkipTLSVerify', 'an API of this server needs no insecureSkipTLSVerify');
        }
        return;
      }
      const service = asObject(spec.service);
      for (const field of ['namespace', 'name']) {
        if (text(service[field]) === '') {
          say(`/spec/service/${field}`, `the service's ${field} is missing`);
        }
      }
      const port = given(service.port) ? portNumber(whole(service.port) ?? 1) : undefined;
      if (port !== undefined) {
        say('/spec/service/port', `the port must ${port}`);
      }
      if (bundle && insecure) {
        say('/spec/insecureSkipTLSVerify', 'a caBundle is given, and is not to be looked at');
      }
    },
  ),

  objectRule(
    'certificate-request-valid',
    ['certificates.k8s.io/CertificateSigningRequest'],
    {
      source: 'apis/certificates/validation/validation.go',
      summary: 'A CertificateSigningRequest holds a request in PEM, names a signer as domain/name, and known usages.',
      fix: 'Correct the field.',
    },
    (object, say) => {
      const spec = asObject(object.spec);
      const block = PEM_BLOCK.exec(`${Buffer.from(text(spec.request), 'base64').toString('latin1')}\n`);
      if (block?.[1] !== 'CERTIFICATE REQUEST') {
        say('/spec/request', 'the request is no certificate request in PEM', {
          found: null,
          expected: 'base64 of -----BEGIN CERTIFICATE REQUEST-----…',
        });
      }
      const usages = textsOf(spec.usages, '/spec/usages');
      if (usages.length === 0) {
        say('/spec/usages', 'no usages are given');
      }
      for (const [index, { value, path }] of usages.entries()) {
        if (!USAGES.includes(value)) {
          say(path, `the usage "${value}" does not exist`, { expected: oneOf(USAGES) });
        } else if (usages.findIndex((other) => other.value === value) < index) {
          say(path, `"${value}" stands here already`);
        }
      }
      const signer = text(spec.signerName);
      const bad = signer === 'kubernetes.io/legacy-unknown' ? 'be one that signs' : signerName(signer);
      if (bad !== undefined) {
        say('/spec/signerName', `the signer must ${bad}`);
      }
      const seconds = whole(spec.expirationSeconds);
      if (seconds !== undefined && seconds < 600) {
        say('/spec/expirationSeconds', 'a certificate lives 10 minutes at least', { expected: '600 or more' });
      }
    },
  ),

  objectRule(
    'controller-revision-valid',
    ['apps/ControllerRevision'],
    {
      source: 'apis/apps/validation/validation.go',
      summary: 'A ControllerRevision holds an object as its data, and a revision that is not negative.',
      fix: 'Let the controller write its revisions.',
    },
    (object, say) => {
      if (!isObject(object.data)) {
        say('/data', 'the data is no object');
      }
      if ((whole(object.revision) ?? 0) < 0) {
        say('/revision', 'the revision cannot be negative');
      }
    },
  ),

  objectRule(
    'event-valid',
    ['Event', 'events.k8s.io/Event'],
    {
      source: 'apis/core/validation/events.go',
      summary:
        'An Event stands in the namespace of the object that it is about; one with eventTime names its reporter, action and reason.',
      fix: 'Correct the event.',
    },
    checkEvent,
  ),

  objectRule(
    'lease-candidate-valid',
    ['coordination.k8s.io/LeaseCandidate'],
    {
      source: 'apis/coordination/validation/validation.go',
      summary: 'A LeaseCandidate names its lease, its versions and a strategy.',
      fix: 'Correct the field.',
    },
    (object, say) => {
      const spec = asObject(object.spec);
      for (const field of ['leaseName', 'binaryVersion', 'strategy']) {
        if (text(spec[field]) === '') {
          say(`/spec/${field}`, `${field} is missing`);
        }
      }
      for (const field of ['emulationVersion', 'binaryVersion']) {
        const version = text(spec[field]);
        if (version !== '' && semanticVersion(version) !== undefined) {
          say(`/spec/${field}`, `"${version}" is no semantic version`, { expected: 'such as 1.36.0' });
        }
      }
      const strategy = text(spec.strategy);
      const oldest = strategy === 'OldestEmulationVersion';
      if (oldest && text(spec.emulationVersion) === '') {
        say('/spec/emulationVersion', 'the strategy OldestEmulationVersion needs an emulationVersion');
      }
      const complaint =
        strategy === '' || oldest
          ? undefined
          : strategy.includes('/')
            ? qualifiedName(strategy)
            : 'be OldestEmulationVersion, or have a domain';
      if (complaint !== undefined) {
        say('/spec/strategy', `the strategy must ${complaint}`);
      }
    },
  ),
];

function checkPriority(spec: JsonObject, field: string, most: number, say: Say): void {
  const priority = whole(spec[field]) ?? 0;
  if (priority < 1 || priority > most) {
    say(`/spec/${field}`, `${field} is out of range`, { found: priority, expected: `1 to ${most}` });
  }
}

function signerName(name: string): string | undefined {
  const [domain = '', path = '', ...rest] = name.split('/');
  if (rest.length > 0 || !name.includes('/')) {
    return 'be a domain, "/" and a name';
  }
  const labels = domain.split('.');
  if (labels.length < 2) {
    return 'have a domain of two parts or more';
  }
  if (byteLength(domain) > 253) {
    return 'have a domain of at most 253 characters';
  }
  const label = labels.map(dnsLabel).find((complaint) => complaint !== undefined);
  if (label !== undefined) {
    return `have a domain whose parts ${label}`;
  }
  return path
    .split('.')
    .map(dnsSubdomain)
    .find((complaint) => complaint !== undefined);
}

function checkEvent(object: JsonObject, say: Say): void {
  const strict = text(object.apiVersion).startsWith('events.k8s.io/');
  const about = strict ? 'regarding' : 'involvedObject';
  const namespace = text(asObject(object.metadata).namespace);
  const of = text(asObject(object[about]).namespace);
  const at = `/${about}/namespace`;
  // Without a namespace of its own, the event goes wherever it is applied to.
  const known = namespace !== '';
  if (!given(object.eventTime)) {
    const matches = of === '' ? namespace === 'default' : of === namespace;
    if (known && !matches) {
      say(at, `the object is in the namespace "${of}", the event in "${namespace}"`, {
        found: of,
        expected: namespace,
      });
    }
    if (strict) {
      say('/eventTime', 'the event has no time');
    }
    return;
  }
  if (known && of === '' && namespace !== 'default' && namespace !== 'kube-system') {
    say(at, 'an event about an object of the cluster stands in default', { found: namespace });
  }
  const controller = strict ? 'reportingController' : 'reportingComponent';
  const bad = qualifiedName(text(object[controller]));
  if (bad !== undefined) {
    say(`/${controller}`, `the reporter's name must ${bad}`);
  }
  for (const field of ['reportingInstance', 'action', 'reason']) {
    const value = text(object[field]);
    if (value === '') {
      say(`/${field}`, `${field} is missing`);
    }
    if (byteLength(value) > LONGEST_WORD) {
      say(`/${field}`, `${field} is too long`, { expected: `at most ${LONGEST_WORD} characters` });
    }
  }
  const note = strict ? 'note' : 'message';
  if (byteLength(text(object[note])) > LONGEST_NOTE) {
    say(`/${note}`, `the ${note} is too long`, { found: null, expected: `at most ${LONGEST_NOTE} characters` });
  }
  if (strict) {
    checkStrictEvent(object, say);
  }
}

/** What events.k8s.io asks beyond the core group. */
function checkStrictEvent(object: JsonObject, say: Say): void {
  if (object.type !== 'Normal' && object.type !== 'Warning') {
    say('/type', `the type "${text(object.type)}" does not exist`, { expected: 'Normal or Warning' });
  }
  if (isObject(object.series)) {
    if ((whole(object.series.count) ?? 0) < 2) {
      say('/series/count', 'a series has two events at least');
    }
    if (!given(object.series.lastObservedTime)) {
      say('/series/lastObservedTime', 'lastObservedTime is missing');
    }
  }
  for (const field of ['deprecatedFirstTimestamp', 'deprecatedLastTimestamp']) {
    if (given(object[field])) {
      say(`/${field}`, `${field} belongs to older events`);
    }
  }
  if ((whole(object.deprecatedCount) ?? 0) !== 0) {
    say('/deprecatedCount', 'deprecatedCount belongs to older events');
  }
  const source = asObject(object.deprecatedSource);
  if (text(source.component) + text(source.host) !== '') {
    say('/deprecatedSource', 'deprecatedSource belongs to older events');
  }
}
