/**
 * What a claim that is read again has become, and why its devices are not written then.
 */
import { type JsonObject } from '../../../../src/facts/api/schema';
import { type AttemptOptions } from '../../../../src/runtime/kubernetes/apply/attempts';
import { type ClaimWrite, writeClaim } from '../../../../src/runtime/kubernetes/apply/claim-writes';
import { ApiError } from '../../../../src/runtime/api/api-error';

const PATH = '/apis/resource.k8s.io/v1/namespaces/a/resourceclaims/c';

const KNOWN: JsonObject = { metadata: { name: 'c', namespace: 'a', uid: 'u-1', resourceVersion: '7' }, spec: {} };

const RESULT: JsonObject = { request: 'gpu', driver: 'gpu.example.com', pool: 'n-1', device: 'gpu-0' };

const WRITE: ClaimWrite = {
  key: 'claim:a/c',
  path: PATH,
  uid: 'u-1',
  devices: [{ request: 'gpu', driver: 'gpu.example.com', pool: 'n-1', device: 'gpu-0', adminAccess: false }],
  allocation: { devices: { results: [RESULT] } },
  pods: [],
  nodes: ['n-1'],
  known: KNOWN,
};

/** The first write meets a conflict; the claim is `found` then, and accepts what is written. */
async function afterConflict(
  found: JsonObject,
  options: Partial<AttemptOptions> = {},
): Promise<{ readonly outcome: Awaited<ReturnType<typeof writeClaim>>; readonly asked: readonly string[] }> {
  const asked: string[] = [];
  const request = (method: string): Promise<JsonObject> => {
    asked.push(method);
    return asked.length === 1
      ? Promise.reject(new ApiError('the object has been modified', 409, 'Conflict'))
      : Promise.resolve(found);
  };
  const outcome = await writeClaim(WRITE, {
    client: { request } as AttemptOptions['client'],
    leads: () => true,
    signal: new AbortController().signal,
    patience: 5000,
    requestTimeout: 1000,
    ...options,
  });
  return { outcome, asked };
}

const changed = (metadata: JsonObject, rest: JsonObject = {}): JsonObject => ({
  ...KNOWN,
  ...rest,
  metadata: { ...(KNOWN.metadata as JsonObject), resourceVersion: '8', ...metadata },
});

test.each([
  ['another claim of its name', changed({ uid: 'u-2' }), 'it was replaced by another one with the same name'],
  ['being deleted', changed({ deletionTimestamp: '2026-01-01T00:00:00Z' }), 'it is being deleted'],
  [
    'allocated elsewhere',
    changed({}, { status: { allocation: { devices: { results: [{ ...RESULT, device: 'gpu-1' }] } } } }),
    'it was allocated other devices in the meantime',
  ],
])('%s: nothing more is written', async (_, found, message) => {
  expect(await afterConflict(found)).toEqual({ outcome: { kind: 'refused', message }, asked: ['PATCH', 'GET'] });
});

test('a claim that only changed gets its devices', async () => {
  const { outcome, asked } = await afterConflict(changed({ labels: { a: 'b' } }));
  expect(outcome).toEqual({ kind: 'done' });
  expect(asked.slice(0, 3)).toEqual(['PATCH', 'GET', 'PATCH']);
});

test('a replica that leads no longer asks for nothing', async () => {
  expect(await afterConflict(KNOWN, { leads: () => false })).toEqual({ outcome: { kind: 'abandoned' }, asked: [] });
});
