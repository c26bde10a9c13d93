/**
 * Sources of a projected volume that write certificates: trust bundles, and a certificate of the pod itself. Before 1.37 their feature gates
 * are off, and the API server drops them.
 */
import { type JsonObject, type JsonValue } from '../../../facts/api/schema';
import { type Say } from '../server-rule';
import { checkLabelSelector } from '../selectors';
import { dnsSubdomain, qualifiedName, signerName, userOrGroupId } from '../../../manifests/values/name-syntax';
import { given, text, whole } from '../values';
import { projectedPath } from './paths';

/** The first minor whose API server keeps these sources. */
export const FIRST_WITH_CERTIFICATES = 37;

/** Notes that a source writes a file, whose path is at the second place. */
export type Take = (file: JsonValue | undefined, at: string) => void;

const KEY_TYPES = ['RSA3072', 'RSA4096', 'ECDSAP256', 'ECDSAP384', 'ECDSAP521', 'ED25519'];
const PATHS = ['credentialBundlePath', 'keyPath', 'certificateChainPath'];
const HOUR = 3600;
const DAY = 24 * HOUR;

/** CAs of a ClusterTrustBundle by its name, or of all bundles of a signer. */
export function checkTrustBundle(bundle: JsonObject, at: string, say: Say, take: Take): void {
  const [byName, bySigner] = [given(bundle.name), given(bundle.signerName)];
  if (byName === bySigner) {
    const clash = byName ? 'name must not be set when signerName is set' : 'name or signerName must be set';
    say(at, clash, { expected: 'either name or signerName' });
  } else if (byName) {
    const complaint = bundleName(text(bundle.name));
    if (complaint !== undefined) {
      say(`${at}/name`, `the name of the ClusterTrustBundle must ${complaint}`);
    }
    if (given(bundle.labelSelector)) {
      say(`${at}/labelSelector`, 'labelSelector must not be set when name is set');
    }
  } else {
    checkSigner(bundle, at, say);
    checkLabelSelector(bundle.labelSelector, `${at}/labelSelector`, say);
  }
  checkUser(bundle, at, say);
  const path = text(bundle.path);
  const complaint = path === '' ? 'be set' : projectedPath(path);
  if (complaint !== undefined) {
    say(`${at}/path`, `the file path must ${complaint}`);
  }
  take(bundle.path, `${at}/path`);
}

/** A key of the pod, and the certificate that a signer issues for it. */
export function checkPodCertificate(certificate: JsonObject, at: string, say: Say, take: Take): void {
  checkSigner(certificate, at, say);
  checkUser(certificate, at, say);
  const keyType = text(certificate.keyType);
  if (!KEY_TYPES.includes(keyType)) {
    say(`${at}/keyType`, keyType === '' ? 'keyType must be set' : `unsupported key type "${keyType}"`, {
      expected: KEY_TYPES.join(', '),
    });
  }
  checkLifetime(certificate, at, say);
  for (const key of Object.keys(annotationsOf(certificate))) {
    if (!key.includes('/') || qualifiedName(key.toLowerCase()) !== undefined) {
      say(`${at}/userAnnotations`, `the key "${key}" must have a domain prefix: domain/name`);
    }
  }
  const paths = PATHS.filter((field) => text(certificate[field]) !== '');
  for (const field of paths) {
    const complaint = projectedPath(text(certificate[field]));
    if (complaint !== undefined) {
      say(`${at}/${field}`, `the file path must ${complaint}`);
    }
    take(certificate[field], `${at}/${field}`);
  }
  if (paths.length === 0) {
    say(at, 'credentialBundlePath, keyPath, or certificateChainPath must be set', {
      expected: 'at least one of the three',
    });
  }
}

function annotationsOf({ userAnnotations }: JsonObject): JsonObject {
  return typeof userAnnotations === 'object' && userAnnotations !== null && !Array.isArray(userAnnotations)
    ? userAnnotations
    : {};
}

function checkLifetime(certificate: JsonObject, at: string, say: Say): void {
  const seconds = whole(certificate.maxExpirationSeconds);
  const ofKubernetes = /^(.+\.)?kubernetes\.io\//.test(text(certificate.signerName));
  const most = ofKubernetes ? DAY : 91 * DAY;
  if (seconds !== undefined && (seconds < HOUR || seconds > most)) {
    say(`${at}/maxExpirationSeconds`, `maxExpirationSeconds must be between ${HOUR} and ${most}, but is ${seconds}`, {
      found: seconds,
      expected: `${HOUR} to ${most}`,
    });
  }
}

function checkSigner(source: JsonObject, at: string, say: Say): void {
  const name = text(source.signerName);
  const complaint = name === '' ? 'be set' : signerName(name);
  if (complaint !== undefined) {
    say(`${at}/signerName`, `signerName must ${complaint}`);
  }
}

function checkUser(source: JsonObject, at: string, say: Say): void {
  const user = whole(source.user);
  const complaint = user === undefined ? undefined : userOrGroupId(user);
  if (complaint !== undefined) {
    say(`${at}/user`, `the user ID must ${complaint}`);
  }
}

/** A bundle of a signer is named after it: `example.com:signer:name`. */
function bundleName(name: string): string | undefined {
  return name === '' ? 'be set' : dnsSubdomain(name.slice(name.lastIndexOf(':') + 1));
}
