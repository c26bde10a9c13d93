/**
 * How to reach a control plane of the suites, from its kubeconfig.
 */
import { readFileSync } from 'node:fs';
import { type JsonObject } from '../../../src/facts/api/schema';
import { asArray, asObject, asString } from '../../../src/manifests/read';
import { type Admission } from '../../../src/runtime/api/credentials';

export function admissionOf(kubeconfig: string): Admission {
  const config = JSON.parse(readFileSync(kubeconfig, 'utf8')) as JsonObject;
  const cluster = asObject(asObject(asArray(config.clusters)[0]).cluster);
  const user = asObject(asObject(asArray(config.users)[0]).user);
  return {
    url: asString(cluster.server) ?? '',
    connection: { ca: Buffer.from(asString(cluster['certificate-authority-data']) ?? '', 'base64').toString() },
    headers: { authorization: `Bearer ${asString(user.token)}` },
  };
}
