/**
 * Objects that programs rather than people write: APIService, CertificateSigningRequest, ControllerRevision, Event, LeaseCandidate.
 */
import { cite } from '../../../facts/upstream';
import { type JsonObject } from '../../../facts/api/schema';
import { asObject, isObject } from '../../../manifests/read';
import { type Rule } from '../../rules/rule';
import { type Say, objectRule } from '../server-rule';
import {
  byteLength,
  dns1035Label,
  dnsLabel,
  dnsSubdomain,
  portNumber,
  qualifiedName,
  semanticVersion,
  signerName,
} from '../../../manifests/values/name-syntax';
import { given, text, textsOf, whole } from '../values';
import { isCertificateRequest } from './certificate-request';
import { oneOf } from '../../../facts/words';

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
        "An APIService must have a group, a version, and priorities in range; one of an extension server must name the server's service.",
      fix: 'Set spec.group, spec.version, and the priorities, and spec.service to the Service of the extension server.',
    },
    (object, say) => {
      const spec = asObject(object.spec);
      const group = text(spec.group);
      const badGroup = group === '' ? (spec.version === 'v1' ? undefined : 'be set') : dnsSubdomain(group);
      if (badGroup !== undefined) {
        say('/spec/group', `group must ${badGroup}`);
      }
      const badVersion = dns1035Label(text(spec.version));
      if (badVersion !== undefined) {
        say('/spec/version', `version must ${badVersion}`, { fix: 'Set spec.version to a version such as v1.' });
      }
      checkPriority(spec, 'groupPriorityMinimum', 20_000, say);
      checkPriority(spec, 'versionPriority', 1000, say);
      const bundle = text(spec.caBundle) !== '';
      const insecure = spec.insecureSkipTLSVerify === true;
      if (!given(spec.service)) {
        if (bundle) {
          say('/spec/caBundle', 'caBundle must not be set for a local APIService', { found: null });
        }
        if (insecure) {
          say('/spec/insecureSkipTLSVerify', 'insecureSkipTLSVerify must not be set for a local APIService');
        }
        return;
      }
      const service = asObject(spec.service);
      for (const field of ['namespace', 'name']) {
        if (text(service[field]) === '') {
          say(`/spec/service/${field}`, `the service ${field} must be set`);
        }
      }
      const port = given(service.port) ? portNumber(whole(service.port) ?? 1) : undefined;
      if (port !== undefined) {
        say('/spec/service/port', `the port must ${port}`);
      }
      if (bundle && insecure) {
        say('/spec/insecureSkipTLSVerify', 'caBundle must not be set when insecureSkipTLSVerify is true', {
          fix: 'Remove spec.caBundle or spec.insecureSkipTLSVerify.',
        });
      }
    },
  ),

  objectRule(
    'certificate-request-valid',
    ['certificates.k8s.io/CertificateSigningRequest'],
    {
      source: 'apis/certificates/validation/validation.go',
      summary:
        'A CertificateSigningRequest must have a PEM-encoded request, a signer as domain/name, and supported usages.',
      fix: 'Set spec.request to the base64-encoded output of "openssl req -new".',
    },
    (object, say) => {
      const spec = asObject(object.spec);
      const block = PEM_BLOCK.exec(`${Buffer.from(text(spec.request), 'base64').toString('latin1')}\n`);
      if (block?.[1] !== 'CERTIFICATE REQUEST' || !isCertificateRequest(Buffer.from(block[2] ?? '', 'base64'))) {
        say('/spec/request', 'the request must be a PEM-encoded certificate request', {
          found: null,
          expected: 'a base64-encoded PEM block of type CERTIFICATE REQUEST',
        });
      }
      const usages = textsOf(spec.usages, '/spec/usages');
      if (usages.length === 0) {
        say('/spec/usages', 'usages must not be empty');
      }
      for (const [index, { value, path }] of usages.entries()) {
        if (!USAGES.includes(value)) {
          say(path, `unsupported usage "${value}"`, { expected: oneOf(USAGES) });
        } else if (usages.findIndex((other) => other.value === value) < index) {
          say(path, `duplicate value "${value}"`);
        }
      }
      const signer = text(spec.signerName);
      const bad =
        signer === 'kubernetes.io/legacy-unknown' ? 'not be kubernetes.io/legacy-unknown' : signerName(signer);
      if (bad !== undefined) {
        say('/spec/signerName', `signerName must ${bad}`);
      }
      const seconds = whole(spec.expirationSeconds);
      if (seconds !== undefined && seconds < 600) {
        say('/spec/expirationSeconds', 'expirationSeconds must be greater than or equal to 600 (10 minutes)', {
          expected: 'at least 600',
        });
      }
    },
  ),

  objectRule(
    'controller-revision-valid',
    ['apps/ControllerRevision'],
    {
      source: 'apis/apps/validation/validation.go',
      summary: 'A ControllerRevision must have an object as its data, and a revision that is not negative.',
      fix: 'Remove the ControllerRevision from the manifests, because a controller writes its data and revision.',
    },
    (object, say) => {
      if (!isObject(object.data)) {
        say('/data', 'data must be an object');
      }
      if ((whole(object.revision) ?? 0) < 0) {
        say('/revision', 'revision must be greater than or equal to 0');
      }
    },
  ),

  objectRule(
    'event-valid',
    ['Event', 'events.k8s.io/Event'],
    {
      source: 'apis/core/validation/events.go',
      summary:
        'An Event must be in the namespace of its object; an Event with eventTime must set its reporter, action, and reason.',
      fix: 'Set metadata.namespace to that of involvedObject, and set reportingController, reportingInstance, action, and reason.',
    },
    checkEvent,
  ),

  objectRule(
    'lease-candidate-valid',
    ['coordination.k8s.io/LeaseCandidate'],
    {
      source: 'apis/coordination/validation/validation.go',
      summary: 'A LeaseCandidate must set its lease, its versions, and a strategy.',
      fix: 'Set spec.leaseName, spec.binaryVersion, spec.emulationVersion, and spec.strategy.',
    },
    (object, say) => {
      const spec = asObject(object.spec);
      for (const field of ['leaseName', 'binaryVersion', 'strategy']) {
        if (text(spec[field]) === '') {
          say(`/spec/${field}`, `${field} must be set`);
        }
      }
      for (const field of ['emulationVersion', 'binaryVersion']) {
        const version = text(spec[field]);
        if (version !== '' && semanticVersion(version) !== undefined) {
          say(`/spec/${field}`, `"${version}" is not a valid semantic version`, {
            expected: 'a semantic version such as 1.36.0',
          });
        }
      }
      const strategy = text(spec.strategy);
      const oldest = strategy === 'OldestEmulationVersion';
      if (oldest && text(spec.emulationVersion) === '') {
        say('/spec/emulationVersion', 'emulationVersion must be set when strategy is OldestEmulationVersion');
      }
      const complaint =
        strategy === '' || oldest
          ? undefined
          : strategy.includes('/')
            ? qualifiedName(strategy)
            : 'be OldestEmulationVersion, or start with a domain prefix such as example.com/';
      if (complaint !== undefined) {
        say('/spec/strategy', `strategy must ${complaint}`);
      }
    },
  ),
];

function checkPriority(spec: JsonObject, field: string, most: number, say: Say): void {
  const priority = whole(spec[field]) ?? 0;
  if (priority < 1 || priority > most) {
    say(`/spec/${field}`, `${field} must be between 1 and ${most}, but is ${priority}`, {
      found: priority,
      expected: `1 to ${most}`,
    });
  }
}

/** An event is in the namespace of its object; without a namespace of its own, it goes wherever it is applied to. */
function checkEventNamespace(object: JsonObject, about: string, say: Say): void {
  const namespace = text(asObject(object.metadata).namespace);
  const of = text(asObject(object[about]).namespace);
  const at = `/${about}/namespace`;
  if (namespace === '') {
    return;
  }
  if (given(object.eventTime)) {
    if (of === '' && namespace !== 'default' && namespace !== 'kube-system') {
      say(at, `the object has no namespace, but the event is in "${namespace}"`, {
        found: of,
        expected: `${namespace}, or an event in the namespace default`,
        fix: `Set ${about}.namespace to "${namespace}", or set metadata.namespace: default if the object is cluster-scoped.`,
      });
    }
  } else if (of === '' ? namespace !== 'default' : of !== namespace) {
    say(
      at,
      `the object ${of === '' ? 'has no namespace' : `is in the namespace "${of}"`}, but the event is in "${namespace}"`,
      {
        found: of,
        expected: of === '' ? `${namespace}, or an event in the namespace default` : namespace,
        fix:
          of === ''
            ? `Set ${about}.namespace to "${namespace}", or set metadata.namespace: default if the object is cluster-scoped.`
            : dnsLabel(namespace) !== undefined && dnsLabel(of) === undefined
              ? `Set metadata.namespace to "${of}".`
              : dnsLabel(of) === undefined
                ? `Set ${about}.namespace to "${namespace}", or metadata.namespace to "${of}".`
                : `Set ${about}.namespace to "${namespace}".`,
      },
    );
  }
}

function checkEvent(object: JsonObject, say: Say): void {
  const strict = text(object.apiVersion).startsWith('events.k8s.io/');
  checkEventNamespace(object, strict ? 'regarding' : 'involvedObject', say);
  if (!given(object.eventTime)) {
    if (strict) {
      say('/eventTime', 'eventTime must be set');
    }
    return;
  }
  const controller = strict ? 'reportingController' : 'reportingComponent';
  const bad = qualifiedName(text(object[controller]));
  if (bad !== undefined) {
    say(`/${controller}`, `${controller} must ${bad}`);
  }
  for (const field of ['reportingInstance', 'action', 'reason']) {
    const value = text(object[field]);
    if (value === '') {
      say(`/${field}`, `${field} must be set`);
    }
    if (byteLength(value) > LONGEST_WORD) {
      say(`/${field}`, `${field} must have no more than ${LONGEST_WORD} characters`, {
        expected: `at most ${LONGEST_WORD} characters`,
      });
    }
  }
  const note = strict ? 'note' : 'message';
  if (byteLength(text(object[note])) > LONGEST_NOTE) {
    say(`/${note}`, `the ${note} must have no more than ${LONGEST_NOTE} characters`, {
      found: null,
      expected: `at most ${LONGEST_NOTE} characters`,
    });
  }
  if (strict) {
    checkStrictEvent(object, say);
  }
}

/** What events.k8s.io asks beyond the core group. */
function checkStrictEvent(object: JsonObject, say: Say): void {
  if (object.type !== 'Normal' && object.type !== 'Warning') {
    say('/type', `unsupported type "${text(object.type)}"`, { expected: 'Normal or Warning' });
  }
  if (isObject(object.series)) {
    if ((whole(object.series.count) ?? 0) < 2) {
      say('/series/count', 'series.count must be at least 2');
    }
    if (!given(object.series.lastObservedTime)) {
      say('/series/lastObservedTime', 'series.lastObservedTime must be set');
    }
  }
  for (const field of ['deprecatedFirstTimestamp', 'deprecatedLastTimestamp']) {
    if (given(object[field])) {
      say(`/${field}`, `${field} must not be set together with eventTime`);
    }
  }
  if ((whole(object.deprecatedCount) ?? 0) !== 0) {
    say('/deprecatedCount', 'deprecatedCount must not be set together with eventTime');
  }
  const source = asObject(object.deprecatedSource);
  if (text(source.component) + text(source.host) !== '') {
    say('/deprecatedSource', 'deprecatedSource must not be set together with eventTime');
  }
}
