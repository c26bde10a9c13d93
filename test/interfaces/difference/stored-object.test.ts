import { type JsonObject } from '../../../src/facts/api/schema';
import { asStored } from '../../../src/interfaces/difference/apply/stored-object';

describe('tolerations of a Pod', () => {
  const seconds = { operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 300 };
  const notReady = { key: 'node.kubernetes.io/not-ready', ...seconds };
  const unreachable = { key: 'node.kubernetes.io/unreachable', ...seconds };
  const gpu = { key: 'nvidia.com/gpu', operator: 'Exists', effect: 'NoSchedule' };
  const pod = (...tolerations: readonly JsonObject[]): JsonObject => ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'p' },
    spec: { containers: [], ...(tolerations.length === 0 ? {} : { tolerations: [...tolerations] }) },
  });

  it('are completed as the server completed those of the live Pod', () => {
    const live = pod(gpu, notReady, unreachable);
    expect(asStored(pod(gpu), live)).toEqual(live);
    expect(asStored(pod(), live)).toEqual(pod(notReady, unreachable));
    expect(asStored(live, live)).toEqual(live);
  });

  it('are left alone where they tolerate the taints themselves, or the server adds none', () => {
    const every = { operator: 'Exists' };
    const own = { ...notReady, tolerationSeconds: 10 };
    expect(asStored(pod(every), pod(notReady, unreachable))).toEqual(pod(every));
    expect(asStored(pod(own), pod(notReady, unreachable))).toEqual(pod(own, unreachable));
    expect(asStored(pod(gpu), pod(gpu))).toEqual(pod(gpu));
  });

  it('for another effect do not replace those of the server', () => {
    const other = { ...notReady, effect: 'NoSchedule' };
    expect(asStored(pod(other), pod(notReady))).toEqual(pod(other, notReady));
  });
});
