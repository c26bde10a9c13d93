import { existsSync } from 'fs';
import { resolve } from 'path';
import { PROJECT_ROOT, readEntry, readLock } from '../../../projen/api/lock';
import {
  KEDA_SCALERS,
  KUBERNETES,
  KUBERNETES_LIFECYCLE,
  type ModuleSource,
  PROJECTS,
} from '../../../projen/api/sources';
import { allKinds, KUBERNETES_MINORS } from '../../../src/facts/api/kinds';

describe('the lock of upstream sources', () => {
  const { entries } = readLock();

  test('holds what the sources name, in the same versions', () => {
    const wanted = [
      ...KUBERNETES.map((source) => `${source.module}@${source.version}`),
      ...[KUBERNETES_LIFECYCLE, ...PROJECTS, KEDA_SCALERS].map(({ source }) =>
        'module' in source ? `${source.module}@${source.version}` : source.from,
      ),
    ];
    expect(
      entries.map((entry) => (entry.module === undefined ? entry.from : `${entry.module}@${entry.version}`)),
    ).toEqual(wanted);
  });

  test('has a checksum of every module and a sum of every file', () => {
    for (const entry of entries) {
      if (entry.module !== undefined) {
        expect(entry.sum).toMatch(/^h1:/);
      }
      expect(entry.files.length).toBeGreaterThan(0);
      for (const file of entry.files) {
        expect(file.sha256).toMatch(/^[0-9a-f]{64}$/);
      }
    }
  });

  test('says why files come from elsewhere than the module proxy', () => {
    for (const entry of entries.filter(({ from }) => from !== undefined)) {
      expect(entry.note).toMatch(/proxy/);
    }
  });

  test('is what the committed API was generated from', () => {
    expect(KUBERNETES_MINORS).toEqual(KUBERNETES.map(({ minor }) => minor));
    const sources = new Set(allKinds().flatMap((info) => (info.builtIn ? [] : [info.source])));
    expect([...sources].sort()).toEqual(PROJECTS.map(({ label }) => label).sort());
  });

  test('refuses a file that is not the one that was locked', () => {
    const entry = { project: 'p', label: 'p v1', from: '.', files: [{ path: 'LICENSE', sha256: '0'.repeat(64) }] };
    expect(() => readEntry(entry)).toThrow('p v1: LICENSE is not the file that was locked');
    const missing = { ...entry, files: [{ path: 'NOTHING', sha256: '0'.repeat(64) }] };
    expect(() => readEntry(missing)).toThrow(`p v1: ${resolve(PROJECT_ROOT, 'NOTHING')} is not there`);
    expect(existsSync(resolve(PROJECT_ROOT, 'LICENSE'))).toBe(true);
  });

  test('names each module once, but for Kubernetes and KEDA, whose scalers are a second source', () => {
    const modules = PROJECTS.flatMap(({ source }) =>
      'module' in source ? [(source satisfies ModuleSource).module] : [],
    );
    expect(new Set(modules).size).toBe(modules.length);
  });
});
