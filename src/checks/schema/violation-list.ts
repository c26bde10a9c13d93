/**
 * Collects the violations that a walk over one object finds, with their locations.
 *
 * The place is a stack of steps; it becomes a JSON pointer only where something is wrong, since nearly everything is right.
 */
import { type JsonValue } from '../../facts/api/schema';
import { shortened } from '../../manifests/values/shown-values';
import { fieldOf, pointer } from '../../manifests/pointer';
import { type Severity, type Tier } from '../report/finding';
import { Described } from '../report/most-findings';
import { type RuleFacts, type Violation } from '../rules/rule';
import { exactWords } from './exact-words';

/** A violation with the facts of the rule that it breaks. */
export interface ShapeViolation extends Violation {
  readonly rule: string;
  readonly path: string;
  readonly tier: Tier;
  readonly severity: Severity;
  readonly fix: string;
}

export interface Found {
  readonly message: string;
  readonly found?: JsonValue;
  readonly expected?: string;
  /** What to write; "the `field`" in it becomes the name of the field at the place. */
  readonly fix?: string;
}

/** How a fix names the field at the place of the violation. */
export const THE_FIELD = 'the `field`';

/** Metadata for which no manifest has a valid value to write. */
const SET_BY_SERVER =
  /(?:^|\/)metadata\/(?:creationTimestamp|deletionTimestamp|deletionGracePeriodSeconds|generation|managedFields|resourceVersion|selfLink|uid)$/;

export class ViolationList {
  readonly violations: ShapeViolation[] = [];
  private readonly steps: (string | number)[] = [];
  private readonly described = new Described();
  /** Whether the object is of a cluster-scoped kind: no value of its namespace is right. */
  isClusterScoped = false;

  /** @param base pointer of the value at which the walk begins */
  constructor(private readonly base = '') {}

  enter(step: string | number): void {
    this.steps.push(step);
  }

  leave(): void {
    this.steps.pop();
  }

  get path(): string {
    return pointer(this.base, ...this.steps);
  }

  /** Whether the next violation of the rule is listed, and not only counted. */
  lists(rule: RuleFacts): boolean {
    return this.described.wants(rule.id);
  }

  /** Reports at the place where the walk is, or at a step below it. */
  add(rule: RuleFacts, found: Found, ...below: readonly (string | number)[]): void {
    const path = below.length === 0 ? this.path : pointer(this.path, ...below);
    const facts = { rule: rule.id, tier: rule.tier, severity: rule.severity, path, message: found.message };
    if (!this.described.next(rule.id)) {
      this.violations.push({ ...facts, fix: rule.fix });
      return;
    }
    this.violations.push({
      ...facts,
      ...(found.found === undefined ? {} : { found: shortened(found.found) }),
      ...this.correction(path, found, rule.fix),
    });
  }

  private correction(
    path: string,
    { expected, fix }: Found,
    byDefault: string,
  ): Pick<ShapeViolation, 'expected' | 'fix'> {
    if (this.isClusterScoped && path === `${this.base}/metadata/namespace`) {
      return { expected: 'no namespace', fix: 'Remove metadata.namespace.' };
    }
    return {
      ...(expected === undefined ? {} : { expected: exactWords(expected, path) }),
      fix: SET_BY_SERVER.test(path)
        ? `Remove ${fieldOf(path)}, because the API server sets it${/[tT]emplates?(?:\/\d+)?\/metadata\/\w+$/.test(path) ? ' on each object that it creates from the template' : ''}.`
        : exactWords((fix ?? byDefault).replaceAll(THE_FIELD, fieldOf(path)), path),
    };
  }
}
