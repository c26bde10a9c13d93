/**
 * TokenReview and SubjectAccessReview over roles for non-resource URLs, with the roles that every cluster has.
 *
 * Source of the roles: Kubernetes 1.36, plugin/pkg/auth/authorizer/rbac/bootstrappolicy/policy.go.
 */
import { type JsonObject } from '../../../src/facts/api/schema';
import { asObject, asString, stringsIn } from '../../../src/manifests/read';

export interface UrlRole {
  readonly name: string;
  readonly urls: readonly string[];
  readonly groups: readonly string[];
}

/** Roles of `policy.go` that name non-resource URLs, with the groups that are bound to them. */
export const DEFAULT_URL_ROLES: readonly UrlRole[] = [
  {
    name: 'system:discovery',
    urls: [
      '/livez',
      '/readyz',
      '/healthz',
      '/version',
      '/version/',
      '/openapi',
      '/openapi/*',
      '/api',
      '/api/*',
      '/apis',
      '/apis/*',
    ],
    groups: ['system:authenticated'],
  },
  {
    name: 'system:public-info-viewer',
    urls: ['/livez', '/readyz', '/healthz', '/version', '/version/'],
    groups: ['system:authenticated', 'system:unauthenticated'],
  },
  {
    name: 'system:monitoring',
    urls: [
      '/metrics',
      '/metrics/slis',
      '/livez',
      '/livez/*',
      '/readyz',
      '/readyz/*',
      '/healthz',
      '/healthz/*',
      '/statusz',
      '/flagz',
    ],
    groups: ['system:monitoring'],
  },
  { name: 'cluster-admin', urls: ['*'], groups: ['system:masters'] },
];

export interface User {
  readonly username: string;
  readonly groups: readonly string[];
}

export class Reviews {
  readonly users = new Map<string, User>();
  readonly roles: UrlRole[] = [...DEFAULT_URL_ROLES];
  /** How often each kind was asked. */
  readonly asked = { tokens: 0, access: 0 };

  answer(path: string, body: JsonObject): JsonObject | undefined {
    const spec = asObject(body.spec);
    switch (path) {
      case '/apis/authentication.k8s.io/v1/tokenreviews': {
        this.asked.tokens++;
        const user = this.users.get(asString(spec.token) ?? '');
        return {
          status:
            user === undefined
              ? { authenticated: false }
              : { authenticated: true, user: { username: user.username, groups: [...user.groups] } },
        };
      }
      case '/apis/authorization.k8s.io/v1/subjectaccessreviews': {
        this.asked.access++;
        const { path: url, verb } = asObject(spec.nonResourceAttributes);
        const groups = stringsIn(spec.groups);
        const allowed =
          verb === 'get' &&
          this.roles.some(
            (role) =>
              role.groups.some((group) => groups.includes(group)) &&
              role.urls.some((rule) => urlMatches(rule, asString(url) ?? '')),
          );
        return { status: { allowed } };
      }
      default:
        return undefined;
    }
  }
}

/** As RBAC matches them: equal, or a `*` at the end. */
function urlMatches(rule: string, url: string): boolean {
  return rule === '*' || rule === url || (rule.endsWith('*') && url.startsWith(rule.slice(0, -1)));
}
