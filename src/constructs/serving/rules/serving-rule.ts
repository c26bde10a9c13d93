/**
 * How rules of this domain are made, and what they look at: revisions of Knative, wherever their template is.
 */
import { cite } from '../../../facts/upstream';
import { type JsonObject } from '../../../facts/api/schema';
import { type ObjectRule, type RuleContext, type RuleFacts, type Violation } from '../../../checks/rules/rule';
import { type Manifest } from '../../../manifests/manifest';
import { pointer } from '../../../manifests/pointer';
import { asObject, stringEntries } from '../../../manifests/read';

export const KNATIVE = cite('knative-serving');
/** Where the webhook validates autoscaling annotations. */
export const AUTOSCALING_VALIDATION = `${KNATIVE}, pkg/apis/autoscaling/annotation_validation.go`;
export const AUTOSCALING = 'autoscaling.knative.dev';
export const KPA = `kpa.${AUTOSCALING}`;
export const HPA = `hpa.${AUTOSCALING}`;
const KINDS = ['serving.knative.dev/Service', 'serving.knative.dev/Configuration', 'serving.knative.dev/Revision'];

/** A revision: its annotations, and its pod. */
export interface RevisionView {
  readonly name: string;
  readonly annotations: ReadonlyMap<string, string>;
  readonly annotationsPath: string;
  readonly metadataPath: string;
  readonly spec: JsonObject;
  readonly specPath: string;
  /** Annotations of the object around the template; the revision's own where there is none. */
  readonly outer: ReadonlyMap<string, string>;
  readonly isTemplate: boolean;
}

const revisions = new WeakMap<Manifest, RevisionView>();

/** The revision of a manifest. Read once for all rules. */
function revisionOf(manifest: Manifest): RevisionView {
  let revision = revisions.get(manifest);
  if (revision === undefined) {
    revisions.set(manifest, (revision = readRevision(manifest)));
  }
  return revision;
}

function readRevision({ id, object }: Manifest): RevisionView {
  const isTemplate = id.kind !== 'Revision';
  const holder = isTemplate ? asObject(asObject(object.spec).template) : object;
  const base = isTemplate ? '/spec/template' : '';
  const metadata = asObject(holder.metadata);
  return {
    // Read when a rule asks for it: most rules do not see the name of a Revision.
    get name() {
      return typeof metadata.name === 'string' ? metadata.name : '';
    },
    annotations: new Map(stringEntries(metadata.annotations)),
    annotationsPath: `${base}/metadata/annotations`,
    metadataPath: `${base}/metadata`,
    spec: asObject(holder.spec),
    specPath: `${base}/spec`,
    outer: new Map(stringEntries(asObject(object.metadata).annotations)),
    isTemplate,
  };
}

export type Facts = Omit<RuleFacts, 'id' | 'tier' | 'severity'> & Partial<Pick<RuleFacts, 'tier' | 'severity'>>;

/** A rule about each revision; its id without the domain. What Knative's webhook refuses, unless it says otherwise. */
export function revisionRule(
  id: string,
  facts: Facts,
  check: (revision: RevisionView, manifest: Manifest, context: RuleContext) => Iterable<Violation>,
): ObjectRule {
  return {
    tier: 'webhook',
    severity: 'error',
    ...facts,
    id: `serving/${id}`,
    on: 'object',
    kinds: KINDS,
    check: (manifest, context) => check(revisionOf(manifest), manifest, context),
  };
}

/** An annotation under its names: today's first, then the older ones in camel case. */
export interface Annotation {
  readonly key: string;
  readonly value: string;
  readonly path: string;
}

/** `min-scale`, or the older `minScale`; Knative takes both. */
export function autoscalingAnnotation(
  { annotations, annotationsPath }: RevisionView,
  name: string,
): Annotation | undefined {
  const older = name.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());
  for (const key of [`${AUTOSCALING}/${name}`, `${AUTOSCALING}/${older}`]) {
    const value = annotations.get(key);
    if (value !== undefined) {
      return { key, value, path: pointer(annotationsPath, key) };
    }
  }
  return undefined;
}

/** As Go reads a number; `undefined` where it does not. */
export function goNumber(text: string): number | undefined {
  return /^[+-]?(\d+(?:\.\d*)?|\.\d+)([eE][+-]?\d+)?$/.test(text) ? Number(text) : undefined;
}

/** As Go reads a number of 32 bits; `undefined` where it does not. */
export function goInteger(text: string): number | undefined {
  const value = /^[+-]?\d+$/.test(text) ? Number(text) : undefined;
  return value === undefined || Math.abs(value) > 2_147_483_647 ? undefined : value;
}
