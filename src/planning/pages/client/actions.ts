/**
 * What the panels of a page can ask of it.
 */
import { type Focus } from './focus';
import { type ColorBook } from './palette';

export interface Actions {
  readonly focus: Focus;
  readonly book: ColorBook;
  readonly pickGang: (name: string) => void;
  readonly pickQueue: (name: string) => void;
  /** Looks for a node, as if its name had been typed. */
  readonly findNode: (name: string) => void;
  /** Resource that queues are compared by, where the reader chose one. */
  readonly resource: string | undefined;
  readonly compareBy: (resource: string) => void;
  /** Lists that were opened in full, by name. */
  readonly opened: Set<string>;
  readonly update: () => void;
}
