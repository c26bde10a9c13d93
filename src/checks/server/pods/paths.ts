/**
 * Paths inside volumes and on hosts: what must not leave its folder.
 */

/** Whether a path goes up with `..`. */
export function climbs(path: string): boolean {
  return path.split('/').includes('..');
}

/** What a path relative to a volume would have to be; `undefined` where it is good. */
export function relativePath(path: string): string | undefined {
  if (path.startsWith('/')) {
    return 'be relative';
  }
  return climbs(path) ? 'not contain ".."' : undefined;
}

/** Like {@link relativePath}; names that begin with `..` are the kubelet's own. */
export function projectedPath(path: string): string | undefined {
  return relativePath(path) ?? (path.startsWith('..') ? 'not begin with ".."' : undefined);
}
