/**
 * Fields that OpenAPI calls required and that the server does without: its own code sets a default, or never looks.
 *
 * Each was tried against kube-apiserver 1.36 with strict field validation.
 */

/** Ends of JSON pointers, indexes and map keys as they come. */
const ENDS: readonly RegExp[] = [
  /\/podFailurePolicy\/rules$/,
];

/** By `group/Kind` (`Kind` alone for the core group): pointers, indexes written `*`. */
const BY_KIND: Readonly<Record<string, readonly string[]>> = {
  'scheduling.k8s.io/PriorityClass': ['/value'],
  'resource.k8s.io/ResourceClaim': ['/spec'],
};

export function isOptionalField(kind: string, path: string): boolean {
  const general = path.replace(/\/\d+(?=\/|$)/g, '/*');
  return BY_KIND[kind]?.includes(general) === true || ENDS.some((end) => end.test(path));
}
