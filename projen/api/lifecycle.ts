/** Reads from `k8s.io/api` in which minor the API server begins to warn of a built-in version. */

/**
 * Minor numbers by definition name (`io.k8s.api.resource.v1beta1.DeviceClass`).
 *
 * @param files `group/version/zz_generated.prerelease-lifecycle.go` by path
 */
export function deprecations(files: ReadonlyMap<string, string>): ReadonlyMap<string, number> {
  const found = new Map<string, number>();
  for (const [path, text] of files) {
    const [group, version] = path.split('/');
    for (const [, kind, minor] of text.matchAll(
      /func \(in \*(\w+)\) APILifecycleDeprecated\(\) \(major, minor int\) \{\s*return 1, (\d+)\s*\}/g,
    )) {
      found.set(`io.k8s.api.${group}.${version}.${kind}`, Number(minor));
    }
  }
  return found;
}
