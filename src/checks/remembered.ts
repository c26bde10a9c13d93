/**
 * What rules found in contents, so that what occurs many times is judged once.
 *
 * A platform repeats itself: jobs of one template, servers of one shape. A rule that sees only a part of an object finds the same in every
 * equal part. Parts are compared by their JSON.
 */
import { type ObjectRule, type PodTemplateRule, type Violation } from './rules/rule';
import { type PodTemplate } from '../manifests/pods/pod-template';
import { type JsonObject } from '../facts/api/schema';
import { type Manifest } from '../manifests/manifest';

/** What a rule found: violations, or why there are none that count. */
export type Said<R extends ObjectRule | PodTemplateRule> =
  | { readonly rule: R; readonly violation: Violation }
  | { readonly rule: R; readonly error: unknown }
  | { readonly rule: R; readonly notJudged: true };

/** Contents that are remembered at a time. */
const MOST_CONTENTS = 2000;

/** Values by content, as long as there are not too many of them. */
export class Remembered<T> {
  private readonly byContent = new Map<string, T>();

  get(content: string, make: () => T): T {
    let value = this.byContent.get(content);
    if (value === undefined) {
      value = make();
      if (this.byContent.size >= MOST_CONTENTS) {
        this.byContent.clear();
      }
      this.byContent.set(content, value);
    }
    return value;
  }
}

/** A template that records whether a rule reads its metadata, which differs more often than its spec. */
export class WatchedTemplate implements PodTemplate {
  /** Whether the metadata was read since this was last set to false. */
  metadataWasRead = false;
  readonly manifest: Manifest;
  readonly path: string;
  readonly role: string;
  readonly count: number | undefined;
  readonly isPod: boolean;
  readonly spec: JsonObject;

  constructor(private readonly template: PodTemplate) {
    this.manifest = template.manifest;
    this.path = template.path;
    this.role = template.role;
    this.count = template.count;
    this.isPod = template.isPod;
    this.spec = template.spec;
  }

  get metadata(): JsonObject {
    this.metadataWasRead = true;
    return this.template.metadata;
  }
}
