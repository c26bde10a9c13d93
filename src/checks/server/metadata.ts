/**
 * Holds the metadata of an object against the API server's own rules for it: name, namespace, labels, annotations, finalizers, owners.
 *
 * The decoder (`../schema/object-meta.ts`) reports wrong types and unknown fields, so they are skipped here. Labels inside pod templates
 * and selectors belong to the kinds that contain them.
 */
import { keyFix, nameFix } from '../rules/name-fix';
import { nearName } from '../rules/near-name';
import { type JsonObject, type JsonValue, type KindInfo } from '../../facts/api/schema';
import { quoted } from '../../manifests/values/shown-values';
import { fieldOf, pointer } from '../../manifests/pointer';
import { asArray, asObject, asString, isObject } from '../../manifests/read';
import { type RuleFacts } from '../rules/rule';
import { canonical } from '../schema/canonical';
import { type ViolationList } from '../schema/violation-list';
import { type Target } from '../schema/value-checks';
import { metadataRules } from './metadata-rules';
import {
  CRD_GROUP,
  pluralInName,
  isNamedByServer,
  keepsGeneration,
  nameComplaint,
  prefixComplaint,
  wantsQualifiedFinalizers,
} from './metadata-names';
import { byteLength, dnsLabel, labelValue, qualifiedName } from '../../manifests/values/name-syntax';

const MOST_ANNOTATION_BYTES = 262_144;
/** generateName is cut to this, and five characters are added. */
const LONGEST_GENERATED_PREFIX = 58;
const STANDARD_FINALIZERS: ReadonlySet<string> = new Set(['kubernetes', 'orphan', 'foregroundDeletion']);

export function checkMetadata(object: JsonObject, info: KindInfo, list: ViolationList, target: Target): void {
  const metadata = object.metadata === undefined || object.metadata === null ? {} : object.metadata;
  if (!isObject(metadata)) {
    return;
  }
  list.enter('metadata');
  checkNames(metadata, object, info, list, target.minor);
  const { labels, annotations } = metadata;
  if (isObject(labels)) {
    checkLabels(labels, list);
  }
  if (isObject(annotations)) {
    checkAnnotations(annotations, list);
  }
  checkFinalizers(asArray(metadata.finalizers), wantsQualifiedFinalizers(info), list);
  checkOwners(asArray(metadata.ownerReferences), list);
  if (typeof metadata.generation === 'number' && metadata.generation < 0 && keepsGeneration(info)) {
    list.add(
      metadataRules.generation,
      {
        message: `metadata.generation must be greater than or equal to 0, but is ${metadata.generation}`,
        found: metadata.generation,
        expected: 'at least 0',
      },
      'generation',
    );
  }
  const version = metadata.resourceVersion;
  if (typeof version === 'string' && /[1-9]/.test(version)) {
    list.add(
      metadataRules.resourceVersion,
      {
        message: 'metadata.resourceVersion must not be set',
        found: version,
        expected: 'no resourceVersion',
      },
      'resourceVersion',
    );
  }
  list.leave();
}

/** Reports a name that breaks a rule of its syntax. */
function complain(
  list: ViolationList,
  rule: RuleFacts,
  { subject, value, complaint, fix }: Complained,
  ...below: (string | number)[]
): void {
  if (complaint === undefined) {
    return;
  }
  list.add(
    rule,
    {
      message: `${subject} must ${complaint}`,
      found: value,
      fix: fix ?? nameFix(`metadata.${below[0]}`, complaint, value),
    },
    ...below,
  );
}

interface Complained {
  /** What the message is about, with its value. */
  readonly subject: string;
  readonly value: string;
  /** What it must do. @default - nothing is wrong */
  readonly complaint: string | undefined;
  /** @default - derived from the complaint */
  readonly fix?: string;
}

/** What to write as the name of an object. Names of definitions follow from their spec. */
function fixOfName(complaint = '', field = 'name'): { readonly fix?: string } {
  const [, form = '', wanted, unset] =
    /^have the form (\S+?)(?: \((\S+)\)|, but (.+) (?:is|are) unset)?$/.exec(complaint) ?? [];
  if (form === '') {
    return {};
  }
  const before = field === 'name' ? unset && `Set ${unset}` : `Remove metadata.${field}`;
  const name = wanted ?? form;
  return {
    fix: before === undefined ? `Set metadata.name to ${name}.` : `${before}, and set metadata.name to ${name}.`,
  };
}

/** Of a definition whose name is right, the plural. */
function fixOfPlural(object: JsonObject, { group, kind }: KindInfo): { readonly fix?: string } {
  const plural = group === CRD_GROUP && kind === 'CustomResourceDefinition' ? pluralInName(object) : undefined;
  return plural === undefined ? {} : { fix: `Set spec.names.plural to ${plural}.` };
}

/** What to write as the beginning of a generated name, which may end with a minus sign. */
function fixOfPrefix(complaint = '', prefix: string): { readonly fix?: string } {
  if (complaint.startsWith('be an IP address')) {
    return { fix: 'Remove metadata.generateName, and set metadata.name to an IP address such as 10.0.0.1.' };
  }
  const near = nearName(complaint, prefix);
  const begins = near?.replace(/^.*? such as /, '').replace(/-?(?="?$)/, '-');
  return begins === undefined
    ? fixOfName(complaint, 'generateName')
    : { fix: `Set metadata.generateName to a prefix such as ${begins.endsWith('"') ? begins : quoted(begins)}.` };
}

function checkNames(
  metadata: JsonObject,
  object: JsonObject,
  info: KindInfo,
  list: ViolationList,
  minor: number,
): void {
  const name = asString(metadata.name) ?? '';
  const prefix = asString(metadata.generateName) ?? '';
  if (name !== '') {
    const complaint = nameComplaint(name, object, info, minor);
    complain(
      list,
      metadataRules.name,
      {
        subject: `the name ${quoted(name)}`,
        value: name,
        complaint,
        ...fixOfName(complaint),
        ...fixOfPlural(object, info),
      },
      'name',
    );
  } else if (prefix === '') {
    if ((metadata.name === undefined || metadata.name === null || metadata.name === '') && !isNamedByServer(info)) {
      list.add(
        metadataRules.named,
        { message: 'name or generateName must be set', expected: 'metadata.name, or metadata.generateName' },
        'name',
      );
    }
    return;
  }
  if (prefix !== '') {
    const generated = `${prefix.slice(0, LONGEST_GENERATED_PREFIX)}x7x7x`;
    const complaint =
      prefixComplaint(prefix, object, info, minor) ??
      (name === '' ? nameComplaint(generated, object, info, minor) : undefined);
    complain(
      list,
      metadataRules.name,
      { subject: `generateName ${quoted(prefix)}`, value: prefix, complaint, ...fixOfPrefix(complaint, prefix) },
      'generateName',
    );
  }
  const namespace = asString(metadata.namespace) ?? '';
  if (info.scope === 'Namespaced' && namespace !== '') {
    complain(
      list,
      metadataRules.namespace,
      { subject: `the namespace ${quoted(namespace)}`, value: namespace, complaint: dnsLabel(namespace) },
      'namespace',
    );
  }
}

function checkLabels(labels: JsonObject, list: ViolationList): void {
  for (const [key, value] of Object.entries(labels)) {
    checkKey(list, metadataRules.labelKey, 'label', key, qualifiedName(key));
    if (typeof value === 'string') {
      const complaint = labelValue(value);
      const fix = complaint === undefined ? {} : { fix: nameFix(fieldOf(pointer('/labels', key)), complaint, value) };
      const subject = `the value ${quoted(value)} of the label ${quoted(key)}`;
      complain(list, metadataRules.labelValue, { subject, value, complaint, ...fix }, 'labels', key);
    }
  }
}

function checkKey(
  list: ViolationList,
  rule: RuleFacts,
  what: 'label' | 'annotation',
  key: string,
  complaint: string | undefined,
): void {
  const map = `${what}s`;
  const fix = complaint === undefined ? {} : { fix: keyFix(`metadata.${map}`, complaint, key) };
  complain(list, rule, { subject: `the ${what} key ${quoted(key)}`, value: key, complaint, ...fix }, map, key);
}

function checkAnnotations(annotations: JsonObject, list: ViolationList): void {
  let bytes = 0;
  for (const [key, value] of Object.entries(annotations)) {
    bytes += byteLength(key) + (typeof value === 'string' ? byteLength(value) : 0);
    checkKey(list, metadataRules.annotationKey, 'annotation', key, qualifiedName(key.toLowerCase()));
  }
  if (bytes <= MOST_ANNOTATION_BYTES) {
    return;
  }
  list.add(
    metadataRules.annotationSize,
    {
      message: `the annotations must have no more than ${MOST_ANNOTATION_BYTES} bytes, but have ${bytes}`,
      found: bytes,
      expected: `at most ${MOST_ANNOTATION_BYTES} bytes`,
    },
    'annotations',
  );
}

function checkFinalizers(finalizers: readonly JsonValue[], qualified: boolean, list: ViolationList): void {
  finalizers.forEach((finalizer, index) => {
    const name = finalizer ?? '';
    if (typeof name !== 'string') {
      return;
    }
    const complaint =
      qualifiedName(name) ??
      (qualified && !name.includes('/') && !STANDARD_FINALIZERS.has(name)
        ? 'start with a domain prefix such as example.com/'
        : undefined);
    complain(
      list,
      metadataRules.finalizer,
      {
        subject: name === '' ? `finalizers[${index}]` : `the finalizer ${quoted(name)}`,
        value: name,
        complaint,
        fix: `Set metadata.finalizers[${index}] to a name of the form domain/name, such as example.com/cleanup${name === '' ? ', or remove it' : ''}.`,
      },
      'finalizers',
      index,
    );
  });
  if (finalizers.includes('orphan') && finalizers.includes('foregroundDeletion')) {
    list.add(
      metadataRules.finalizer,
      {
        message: 'the finalizers "orphan" and "foregroundDeletion" must not be set together',
        expected: 'one of the two',
        fix: 'Remove "orphan" or "foregroundDeletion" from metadata.finalizers.',
      },
      'finalizers',
    );
  }
}

function checkOwners(owners: readonly JsonValue[], list: ViolationList): void {
  const controllers = new Set<string>();
  owners.forEach((item, index) => {
    const owner = asObject(item);
    for (const name of ['apiVersion', 'kind', 'name', 'uid']) {
      const value = owner[name] ?? '';
      const slashes = name === 'apiVersion' && typeof value === 'string' ? value.split('/').length - 1 : 0;
      if (value !== '' && slashes < 2 && !(name === 'apiVersion' && typeof value === 'string' && value.endsWith('/'))) {
        continue;
      }
      list.add(
        metadataRules.owner,
        {
          message:
            value === ''
              ? `ownerReferences[${index}].${name} must be set`
              : `${quoted(value)} is not a valid API version`,
          found: value,
          expected: `the ${name} of the owner`,
          fix: `Set ownerReferences[${index}].${name} to the ${name} of the owner, or remove ownerReferences[${index}]: controllers set the owners of the objects that they create.`,
        },
        'ownerReferences',
        index,
        name,
      );
    }
    if (owner.apiVersion === 'v1' && owner.kind === 'Event') {
      list.add(
        metadataRules.owner,
        {
          message: 'an Event must not be an owner',
          expected: 'another kind',
          fix: `Remove ownerReferences[${index}].`,
        },
        'ownerReferences',
        index,
      );
    }
    // The server takes owners that are named twice, in the same words, for one.
    if (owner.controller === true) {
      controllers.add(canonical(owner));
    }
  });
  if (controllers.size > 1) {
    list.add(
      metadataRules.owner,
      {
        message: `only one owner reference may have controller: true, but ${controllers.size} have it`,
        found: controllers.size,
        expected: 'at most one',
        fix: 'Remove controller: true from all but one entry of metadata.ownerReferences.',
      },
      'ownerReferences',
    );
  }
}
