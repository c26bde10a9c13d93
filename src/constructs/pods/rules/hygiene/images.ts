/**
 * Images that may be other ones tomorrow.
 */
import { type Rule } from '../../../../checks/rules/rule';
import { asObject } from '../../../../manifests/read';
import {
  NAME_LABEL,
  NODE_AGENT_NAME,
  REMEDIATION_NAME,
  SCHEDULER_NAME,
} from '../../../../planning/scheduler-settings/deployment-names';
import { fieldOf } from '../../../../manifests/pointer';
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

/** Programs of Gantry, which run in an image of Node with the rights of their service account. */
const PROGRAMS: readonly unknown[] = [SCHEDULER_NAME, NODE_AGENT_NAME, REMEDIATION_NAME];

export const imageRules: readonly Rule[] = [
  hygieneRule(
    'gantry-image-pinned',
    {
      concerns: ['image'],
      summary: 'The image of the scheduler, the node agent, and remediation should have a digest.',
      why: 'A user that can move the tag in the registry gets the rights of these programs in the whole cluster.',
      fix: 'Add @sha256:… to image, the digest that "docker buildx imagetools inspect" prints (in a Gantry app: SchedulerImage.node({ digest })).',
      source: 'Gantry, docs/scheduler.md',
    },
    function* ({ metadata, spec }) {
      if (!PROGRAMS.includes(asObject(metadata.labels)[NAME_LABEL])) {
        return;
      }
      for (const { value, path, title } of containersIn(spec)) {
        if (typeof value.image === 'string' && tagOf(value.image) !== undefined) {
          yield {
            path: `${path}/image`,
            message: `the image of ${title} has no digest`,
            found: value.image,
            expected: `${value.image}@sha256:…`,
            fix: `Set ${fieldOf(path)}.image to ${value.image}@sha256:…, with the digest that "docker buildx imagetools inspect" prints (in a Gantry app: SchedulerImage.node({ digest })).`,
          };
        }
      }
    },
  ),
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
            message: `the image of ${title} has ${tag === '' ? 'no tag' : 'the tag "latest"'}`,
            found: value.image,
            expected: 'a version tag or a digest',
            fix:
              tag === ''
                ? `Add a version tag (name:1.2.3) or a digest (name@sha256:…) to ${fieldOf(`${path}/image`)}.`
                : `Replace the tag "latest" in ${fieldOf(`${path}/image`)} with a version tag (name:1.2.3) or a digest (name@sha256:…).`,
          };
        }
      }
    },
  ),
];
