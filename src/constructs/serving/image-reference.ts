/**
 * References of images as go-containerregistry reads them when it does not insist on a registry and a tag.
 *
 * Source: google/go-containerregistry, pkg/name (ref.go, tag.go, digest.go, repository.go, registry.go).
 */

const TAG = /^[A-Za-z0-9_.-]{1,128}$/;
const REPOSITORY = /^[a-z0-9_./-]{2,255}$/;
const DIGEST = /^sha256:[0-9a-f]{64}$/;
/** What Go takes as the host of a URL, with a port of digits or none. */
const REGISTRY =
  /^(\[[^\]%]*\](:\d*)?|([A-Za-z0-9_.~!$&'()*+,;=<>":\u0080-\uffff-]*:)?\d*|[A-Za-z0-9_.~!$&'()*+,;=<>"\u0080-\uffff-]*)$/;

/** Whether Knative can read the reference of an image: `[registry/]repository[:tag][@sha256:…]`. */
export function isImageReference(reference: string): boolean {
  return isTagged(reference) || isDigested(reference);
}

function isTagged(reference: string): boolean {
  const colon = reference.lastIndexOf(':');
  const last = reference.slice(colon + 1);
  // What follows the last colon is a tag, unless the colon belongs to the port of the registry. An empty tag is the default one.
  if (colon < 0 || last.includes('/')) {
    return isRepository(reference);
  }
  return (last === '' || TAG.test(last)) && isRepository(reference.slice(0, colon));
}

function isDigested(reference: string): boolean {
  const [base = '', digest = '', ...others] = reference.split('@');
  return others.length === 0 && DIGEST.test(digest) && isTagged(base);
}

function isRepository(name: string): boolean {
  const slash = name.indexOf('/');
  const first = slash < 0 ? '' : name.slice(0, slash);
  const hasRegistry = first === 'localhost' || /[.:]/.test(first);
  return REPOSITORY.test(hasRegistry ? name.slice(slash + 1) : name) && (!hasRegistry || REGISTRY.test(first));
}
