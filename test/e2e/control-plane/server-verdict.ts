/**
 * What the API server says to one object: a create in strict mode, as a dry run or for real.
 */
import { type JsonObject } from '../../../src/facts/api/schema';
import { asArray, asObject, asString } from '../../../src/manifests/read';
import { type ApiClient } from './api-client';
import { collectionPath, type Discovery } from './discovery';

export interface ServerVerdict {
  /**
   * - `accepted`, `refused`: what the server makes of the object itself
   * - `unclear`: the answer depends on what else is in the cluster, or there was none
   */
  readonly verdict: 'accepted' | 'refused' | 'unclear';
  readonly status: number;
  readonly reason: string;
  readonly message: string;
  /** Types and fields of the single causes, where the reply lists them. */
  readonly causes: readonly { readonly reason: string; readonly field: string }[];
}

export interface AskOptions {
  /** @default true */
  readonly dryRun?: boolean;
  /** JSON to send in the object's place. @default - the object's */
  readonly text?: string;
}

/** Creates the object, where its manifest says. A namespaced object that names no namespace goes to `default`. */
export async function askServer(
  client: ApiClient,
  discovery: Discovery,
  object: JsonObject,
  options: AskOptions = {},
): Promise<ServerVerdict> {
  const kind = discovery.get(asString(object.apiVersion) ?? '', asString(object.kind) ?? '');
  if (kind === undefined) {
    return {
      verdict: 'refused',
      status: 404,
      reason: 'NotFound',
      message: 'the server serves no such kind',
      causes: [],
    };
  }
  const namespace = asString(asObject(object.metadata).namespace) || 'default';
  const query = `?fieldValidation=Strict&fieldManager=gantry${options.dryRun === false ? '' : '&dryRun=All'}`;
  try {
    const { status, body } = await client.request('POST', `${collectionPath(kind, namespace)}${query}`, {
      body: options.text ?? object,
    });
    const reason = asString(body.reason) ?? '';
    const causes = asArray(asObject(body.details).causes)
      .map(asObject)
      .map((cause) => ({ reason: asString(cause.reason) ?? '', field: asString(cause.field) ?? '' }));
    return {
      verdict: verdictOf(status, reason, namespace),
      status,
      reason,
      message: asString(body.message) ?? '',
      causes,
    };
  } catch (error) {
    return {
      verdict: 'unclear',
      status: 0,
      reason: 'NoAnswer',
      message: error instanceof Error ? error.message : String(error),
      causes: [],
    };
  }
}

/** A name that can be a namespace's. */
const NAMESPACE = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/;

function verdictOf(status: number, reason: string, namespace: string): ServerVerdict['verdict'] {
  if (status < 300) {
    return 'accepted';
  }
  // Whatever is stored only after validation: the object is fine, and there already.
  if (reason === 'AlreadyExists') {
    return 'accepted';
  }
  // Admission that looks at other objects (priority classes, quotas), a namespace that is not there, a server that failed.
  if (reason === 'Forbidden' || status >= 500) {
    return 'unclear';
  }
  if (status === 404 && NAMESPACE.test(namespace)) {
    return 'unclear';
  }
  return 'refused';
}
