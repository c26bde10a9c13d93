/**
 * Images that may be other ones tomorrow.
 */
import { type Rule } from '../../../../checks/rules/rule';
import { containersIn, hygieneRule } from './hygiene-rule';

/** The tag of an image; empty where it has none, `undefined` where a digest fixes it or where the text is a template. */
export function tagOf(image: string): string | undefined {
  if (image === '' || image.includes('@') || /[\s${}]/.test(image)) {
    return undefined;
  }
  // A colon before the last slash is that of a port.
  const name = image.slice(image.lastIndexOf('/') + 1);
  const colon = name.indexOf(':');
  return colon === -1 ? '' : name.slice(colon + 1);
}

export const imageRules: readonly Rule[] = [
  hygieneRule(
    'image-tagged',
    {
      concerns: ['image'],
      summary: 'An image should have a tag other than latest, or a digest.',
      why: 'Nodes pull whatever the tag refers to at that time: the pods of one workload may run different programs, and a rollback does not restore the earlier one.',
      fix: 'Add a version tag (name:1.2.3) or a digest (name@sha256:…) to image.',
      source:
        'Kubernetes documentation, configuration best practices; kube-linter, latest-tag; kube-score, container-image-tag',
    },
    function* ({ spec }) {
      for (const { value, path, title } of containersIn(spec)) {
        const tag = typeof value.image === 'string' ? tagOf(value.image) : undefined;
        if (tag === '' || tag === 'latest') {
          yield {
            path: `${path}/image`,
            message: `the image of ${title} has ${tag === '' ? 'no tag' : 'the tag latest'}`,
            found: value.image,
            expected: 'a version tag or a digest',
          };
        }
      }
    },
  ),
];
