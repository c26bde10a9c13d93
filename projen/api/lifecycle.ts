/** Reads from `k8s.io/api` in which minor the API server begins to warn of a built-in version, and in which it is removed. */

export interface Lifecycle {
  /** Minor number since which the server warns. */
  readonly deprecated?: number;
  /** Minor number of the first release without the version. */
  readonly removed?: number;
}

const MINOR =
  /func \(in \*(\w+)\) APILifecycle(Deprecated|Removed)\(\) \(major, minor int\) \{\s*return 1, (\d+)\s*\}/g;

/**
 * Lifecycles by definition name (`io.k8s.api.resource.v1beta1.DeviceClass`).
 *
 * @param files `group/version/zz_generated.prerelease-lifecycle.go` by path
 */
export function lifecycles(files: ReadonlyMap<string, string>): ReadonlyMap<string, Lifecycle> {
  const found = new Map<string, Lifecycle>();
  for (const [path, text] of files) {
    const [group, version] = path.split('/');
    for (const [, kind, event, minor] of text.matchAll(MINOR)) {
      const name = `io.k8s.api.${group}.${version}.${kind}`;
      found.set(name, {
        ...found.get(name),
        [event === 'Removed' ? 'removed' : 'deprecated']: Number(minor),
      });
    }
  }
  return found;
}
