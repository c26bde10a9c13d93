/**
 * Who may look: the cluster says. A bearer token is shown to the API server (TokenReview), and whoever it stands for needs the right to
 * `get` the path as a non-resource URL (SubjectAccessReview). Answers are kept for a short time.
 */
import { createHash } from 'node:crypto';
import { asArray, asObject, asString, stringsIn } from '../../../manifests/read';
import { type ApiClient } from '../api/client';
import { type Clock, SYSTEM_CLOCK } from '../clock';

export interface Refusal {
  readonly status: 401 | 403 | 503;
  readonly message: string;
}

export interface Authorizer {
  /** Why the path may not be seen; `undefined` where it may. */
  refusal(authorization: string | undefined, path: string): Promise<Refusal | undefined>;
}

/** Everybody who reaches the port: for loopback addresses. */
export const EVERYBODY: Authorizer = { refusal: () => Promise.resolve(undefined) };

/** How long an answer is good for, milliseconds. */
const KEPT = 30_000;
const MOST_KEPT = 1000;

export class ClusterAuthorizer implements Authorizer {
  private readonly known = new Map<string, { readonly refusal: Refusal | undefined; readonly until: number }>();

  constructor(
    private readonly client: Pick<ApiClient, 'request'>,
    private readonly clock: Clock = SYSTEM_CLOCK,
  ) {}

  async refusal(authorization: string | undefined, path: string): Promise<Refusal | undefined> {
    const token = /^Bearer (\S+)$/i.exec(authorization ?? '')?.[1];
    if (token === undefined) {
      return { status: 401, message: 'Send a token of this cluster: Authorization: Bearer …' };
    }
    // Tokens are not kept, only what names them.
    const key = `${createHash('sha256').update(token).digest('hex')} ${path}`;
    const kept = this.known.get(key);
    if (kept !== undefined && kept.until > this.clock.monotonic()) {
      return kept.refusal;
    }
    try {
      const refusal = await this.ask(token, path);
      if (this.known.size >= MOST_KEPT) {
        this.known.clear();
      }
      this.known.set(key, { refusal, until: this.clock.monotonic() + KEPT });
      return refusal;
    } catch {
      return { status: 503, message: 'The API server did not say whether you may see this.' };
    }
  }

  private async ask(token: string, path: string): Promise<Refusal | undefined> {
    const review = await this.client.request('POST', '/apis/authentication.k8s.io/v1/tokenreviews', {
      body: { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenReview', spec: { token } },
    });
    const { authenticated, user } = asObject(review.status);
    if (authenticated !== true) {
      return { status: 401, message: 'The cluster does not know this token.' };
    }
    const { username, uid, groups, extra } = asObject(user);
    const access = await this.client.request('POST', '/apis/authorization.k8s.io/v1/subjectaccessreviews', {
      body: {
        apiVersion: 'authorization.k8s.io/v1',
        kind: 'SubjectAccessReview',
        spec: {
          user: asString(username) ?? '',
          uid: asString(uid) ?? '',
          groups: [...stringsIn(groups)],
          extra: Object.fromEntries(
            Object.entries(asObject(extra)).map(([key, values]) => [key, [...asArray(values)]]),
          ),
          nonResourceAttributes: { path, verb: 'get' },
        },
      },
    });
    return asObject(access.status).allowed === true
      ? undefined
      : {
          status: 403,
          message: `${asString(username)} may not get the non-resource URL ${path}; a ClusterRole can allow it.`,
        };
  }
}
