/**
 * GantryScheduler's objects in a live cluster, and its program as the account that they make.
 */
import { App, Chart } from 'cdk8s';
import { type Construct } from 'constructs';
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type JsonObject } from '../../../src/facts/api/schema';
import { asArray, asObject, asString } from '../../../src/manifests/read';
import { GantryScheduler, type GantrySchedulerProps } from '../../../src/constructs/scheduler';
import { Testing } from '../../../src/interfaces/testing';
import { Discovery } from '../control-plane/discovery';
import { askServer } from '../control-plane/server-verdict';
import { type Lab } from './lab';

/** What an app renders, in the order in which it is applied. */
export function rendered(build: (chart: Construct, app: App) => void): readonly JsonObject[] {
  const app = new App();
  build(new Chart(app, 'chart'), app);
  return Testing.synth(app);
}

/** Without the kinds of the Prometheus operator, which the lab does not have. */
export function schedulerObjects(props: GantrySchedulerProps = {}): readonly JsonObject[] {
  return rendered((chart) => new GantryScheduler(chart, 'scheduler', { monitoring: false, ...props }));
}

/** @throws where the server does not take one of them, with what it says */
export async function apply(lab: Lab, objects: readonly JsonObject[]): Promise<void> {
  const discovery = await Discovery.read(lab.cluster.client);
  for (const object of objects) {
    const said = await askServer(lab.cluster.client, discovery, object, { dryRun: false });
    if (said.verdict !== 'accepted') {
      throw new Error(`${asString(object.kind)} ${asString(asObject(object.metadata).name)}: ${said.message}`);
    }
  }
}

/**
 * A token of a service account.
 *
 * @param pod the pod that it is for, as the kubelet asks for one
 */
export async function tokenOf(lab: Lab, namespace: string, account: string, pod?: JsonObject): Promise<string> {
  const { name, uid } = asObject(pod?.metadata);
  const bound: JsonObject = pod === undefined ? {} : { boundObjectRef: { apiVersion: 'v1', kind: 'Pod', name, uid } };
  const { status, body } = await lab.cluster.client.request(
    'POST',
    `/api/v1/namespaces/${namespace}/serviceaccounts/${account}/token`,
    {
      body: {
        apiVersion: 'authentication.k8s.io/v1',
        kind: 'TokenRequest',
        spec: { expirationSeconds: 3600, ...bound },
      },
    },
  );
  if (status >= 300) {
    throw new Error(`No token for ${namespace}/${account}: ${asString(body.message)}`);
  }
  return asString(asObject(body.status).token) ?? '';
}

/** Path of a kubeconfig with the token; it is deleted with the cluster. */
export function kubeconfigFor(lab: Lab, token: string): string {
  const config = JSON.parse(readFileSync(lab.kubeconfig, 'utf8')) as JsonObject;
  const [user] = asArray(config.users).map(asObject);
  const path = join(lab.cluster.folder, `kubeconfig-${createHash('sha256').update(token).digest('hex').slice(0, 8)}`);
  writeFileSync(path, JSON.stringify({ ...config, users: [{ ...user, user: { token } }] }), { mode: 0o600 });
  return path;
}
