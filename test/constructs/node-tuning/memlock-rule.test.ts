/**
 * Locked memory of containers that are not root.
 */
import { memlockRules } from '../../../src/constructs/node-tuning/rules/memlock';
import { findingsOf } from '../../support/findings';

const pod = (container: string, more = ''): string => `
apiVersion: v1
kind: Pod
metadata: { name: rdma, namespace: a }
spec: { containers: [{ name: a, image: b, securityContext: { ${container} } }]${more} }
`;
const LOCK = 'capabilities: { add: [IPC_LOCK] }';

test.each([
  ['by number', pod(`${LOCK}, runAsUser: 1000`)],
  ['by demand', pod(`${LOCK}, runAsNonRoot: true`)],
  ['by the pod', pod(LOCK, ', securityContext: { runAsUser: 1000 }')],
])('IPC_LOCK has no effect for a container that is not root %s', (_how, yaml) => {
  expect(findingsOf(yaml, memlockRules).map(({ severity, path }) => [severity, path])).toEqual([
    ['warning', '/spec/containers/0/securityContext/capabilities/add'],
  ]);
});

test.each([
  ['root', pod(`${LOCK}, runAsUser: 0`, ', securityContext: { runAsUser: 1000 }')],
  ['the user of the image', pod(LOCK)],
  ['a runtime that raises the limit', pod(`${LOCK}, runAsUser: 1000`, ', runtimeClassName: rdma')],
  ['another capability', pod('capabilities: { add: [NET_RAW] }, runAsUser: 1000')],
])('%s: nothing', (_who, yaml) => {
  expect(findingsOf(yaml, memlockRules)).toEqual([]);
});
