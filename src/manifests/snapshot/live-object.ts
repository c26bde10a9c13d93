/**
 * One object of a running cluster, whole, as the server has it.
 */
import { type JsonObject } from '../../facts/api/schema';

/** What the server answers when it is asked for an object. */
export type LiveObject = {
  /** Of the object; empty where its kind has none. */
  readonly namespace: string;
} & (
  | { readonly answer: 'found'; readonly object: JsonObject }
  /** There is no such object, or it has no name before it is created. */
  | { readonly answer: 'absent' }
  /** The server does not serve the kind in this version. */
  | { readonly answer: 'not-served' }
  /** The object may exist: the server did not say. */
  | { readonly answer: 'unread'; readonly why: string }
);
