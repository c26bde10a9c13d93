/**
 * Who may look: the cluster says. A bearer token is shown to the API server (TokenReview), and its owner needs the right to `get` the path
 * as a non-resource URL (SubjectAccessReview).
 *
 * Answers are kept for a short time. The number of requests to the API server is limited: an address that sends tokens that the cluster does
 * not know is rejected without a review for some time, and only a few reviews run at the same time, so that no client of the
 * port slows the scheduler's own requests.
 */
import { createHash } from 'node:crypto';
import { asArray, asObject, asString, stringsIn } from '../../../manifests/read';
import { type ApiClient } from '../../api/client';
import { type Clock, SYSTEM_CLOCK } from '../clock';

export interface Refusal {
  readonly status: 401 | 403 | 429 | 503;
  readonly message: string;
}

export interface Authorizer {
  /**
   * Why the path may not be seen; `undefined` where it may.
   *
   * @param source address that asks
   */
  refusal(authorization: string | undefined, path: string, source: string): Promise<Refusal | undefined>;
}

/** Admits every client that reaches the port: for loopback addresses. */
export const EVERYBODY: Authorizer = { refusal: () => Promise.resolve(undefined) };

/** How long an answer is good for, milliseconds. */
const KEPT = 30_000;
const MOST_KEPT = 1000;
/** Requests of one address that are refused after a question, in one such time. */
const MOST_REFUSED = 10;
/** Questions to the API server at once. */
const MOST_ASKED = 4;

interface Kept<T> {
  readonly value: T;
  readonly until: number;
}

/** The oldest of it is forgotten where there is too much. */
class Recent<T> {
  private readonly kept = new Map<string, Kept<T>>();

  constructor(private readonly clock: Clock) {}

  get(key: string): Kept<T> | undefined {
    const found = this.kept.get(key);
    return found !== undefined && found.until > this.clock.monotonic() ? found : undefined;
  }

  set(key: string, value: T): void {
    const until = this.get(key)?.until ?? this.clock.monotonic() + KEPT;
    this.kept.delete(key);
    this.kept.set(key, { value, until });
    for (const oldest of this.kept.keys()) {
      if (this.kept.size <= MOST_KEPT) {
        break;
      }
      this.kept.delete(oldest);
    }
  }
}

const NOT_KNOWN: Refusal = { status: 401, message: 'The cluster does not know this token.' };
const BUSY: Refusal = { status: 503, message: 'Too many authorization requests. Try again in one second.' };
const TOO_MANY: Refusal = {
  status: 429,
  message: `Too many requests from this address were rejected. Try again in ${KEPT / 1000} seconds.`,
};

export class ClusterAuthorizer implements Authorizer {
  /** By token and path: what the cluster said of tokens that it knows. */
  private readonly answers: Recent<Refusal | undefined>;
  /** Tokens that it does not know. */
  private readonly unknown: Recent<true>;
  /** How many requests of an address were refused. */
  private readonly misses: Recent<number>;
  private underWay = 0;

  constructor(
    private readonly client: Pick<ApiClient, 'request'>,
    clock: Clock = SYSTEM_CLOCK,
  ) {
    this.answers = new Recent(clock);
    this.unknown = new Recent(clock);
    this.misses = new Recent(clock);
  }

  async refusal(authorization: string | undefined, path: string, source: string): Promise<Refusal | undefined> {
    const token = /^Bearer (\S+)$/i.exec(authorization ?? '')?.[1];
    if (token === undefined) {
      return { status: 401, message: 'Send a token of this cluster: Authorization: Bearer …' };
    }
    // Tokens are not kept, only what names them.
    const name = createHash('sha256').update(token).digest('hex');
    const key = `${name} ${path}`;
    const kept = this.answers.get(key);
    if (kept !== undefined) {
      return kept.value;
    }
    if (this.unknown.get(name) !== undefined) {
      return NOT_KNOWN;
    }
    const missed = this.misses.get(source)?.value ?? 0;
    if (missed >= MOST_REFUSED) {
      return TOO_MANY;
    }
    if (this.underWay >= MOST_ASKED) {
      return BUSY;
    }
    this.underWay++;
    try {
      const refusal = await this.ask(token, path);
      if (refusal !== undefined) {
        this.misses.set(source, missed + 1);
      }
      if (refusal === NOT_KNOWN) {
        this.unknown.set(name, true);
      } else {
        this.answers.set(key, refusal);
      }
      return refusal;
    } catch {
      return { status: 503, message: 'The API server did not answer the authorization request.' };
    } finally {
      this.underWay--;
    }
  }

  private async ask(token: string, path: string): Promise<Refusal | undefined> {
    const review = await this.client.request('POST', '/apis/authentication.k8s.io/v1/tokenreviews', {
      body: { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenReview', spec: { token } },
    });
    const { authenticated, user } = asObject(review.status);
    if (authenticated !== true) {
      return NOT_KNOWN;
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
