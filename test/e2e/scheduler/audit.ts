/**
 * Who asked what of the API server, from its audit log, as RBAC would name it.
 */
import { readFileSync } from 'node:fs';
import { type JsonObject } from '../../../src/facts/api/schema';
import { type PolicyRule } from '../../../src/facts/api/types/rbac.authorization.k8s.io/v1';
import { asObject, asString } from '../../../src/manifests/read';

export interface Asked {
  /** `get pods`, `create pods/binding`, `list queues.scheduling.volcano.sh` */
  readonly right: string;
  readonly status: number;
  readonly uri: string;
  /** When it came, milliseconds since the epoch. */
  readonly received: number;
}

/** Requests for resources; what is no resource (discovery, health) every user may read. */
export function askedBy(user: string, log: string): readonly Asked[] {
  return readFileSync(log, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as JsonObject)
    .filter(
      (event) => asObject(event.user).username === user && asString(asObject(event.objectRef).resource) !== undefined,
    )
    .map((event) => {
      const { resource, subresource, apiGroup } = asObject(event.objectRef);
      return {
        right: rightOf(
          asString(event.verb) ?? '',
          asString(apiGroup) ?? '',
          asString(resource) ?? '',
          asString(subresource),
        ),
        status: Number(asObject(event.responseStatus).code),
        uri: asString(event.requestURI) ?? '',
        received: Date.parse(asString(event.requestReceivedTimestamp) ?? ''),
      };
    });
}

/** Each verb on each resource that the rules grant. */
export function granted(rules: readonly PolicyRule[]): ReadonlySet<string> {
  return new Set(
    rules.flatMap(({ apiGroups = [], resources = [], verbs }) =>
      apiGroups.flatMap((group) =>
        resources.flatMap((resource) =>
          verbs.map((verb) => rightOf(verb, group, ...(resource.split('/') as [string, string?]))),
        ),
      ),
    ),
  );
}

function rightOf(verb: string, group: string, resource: string, subresource?: string): string {
  return `${verb} ${resource}${group === '' ? '' : `.${group}`}${subresource === undefined ? '' : `/${subresource}`}`;
}
