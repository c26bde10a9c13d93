/** The key of a claim, or of a template of claims, in the placement core. */
export function claimKey(kind: 'claim' | 'template', namespace: string, name: string): string {
  return `${kind}:${namespace === '' ? 'default' : namespace}/${name}`;
}
