/**
 * CustomResourceDefinition: names, versions, and the main demands on a structural schema.
 */
import { cite } from '../../../facts/upstream';
import { type JsonObject } from '../../../facts/api/schema';
import { fieldOf, pointer } from '../../../manifests/pointer';
import { asObject, isObject } from '../../../manifests/read';
import { type Rule } from '../../rules/rule';
import { pluralInName } from '../metadata-names';
import { type Details, minorOf, type Say, objectRule } from '../server-rule';
import { byteLength, dns1035Label, dnsSubdomain } from '../../../manifests/values/name-syntax';
import { given, itemsOf, text, textsOf } from '../values';
import { checkClient } from './admission';
import { checkSelectableFields, checkStructuralSchema } from './structural-schema';
import { oneOf } from '../../../facts/words';

const KIND = 'apiextensions.k8s.io/CustomResourceDefinition';
const SOURCE = `${cite('apiextensions-apiserver')}, pkg/apis/apiextensions/validation/validation.go`;

const APPROVAL = 'api-approved.kubernetes.io';

export const customResourceDefinitionRules: readonly Rule[] = [
  objectRule(
    'crd-names-valid',
    [KIND],
    {
      source: SOURCE,
      summary:
        'The group of a CRD must be a domain; its plural, singular, kind, and short names must be DNS labels; its scope must be Namespaced or Cluster.',
      fix: 'Set spec.group to a domain, spec.names to DNS labels, and spec.scope to Namespaced or Cluster.',
    },
    (object, say) => {
      const spec = asObject(object.spec);
      const names = asObject(spec.names);
      const group = text(spec.group);
      const badGroup =
        group === '' ? 'be set' : (dnsSubdomain(group) ?? (group.includes('.') ? undefined : 'contain a dot'));
      if (badGroup !== undefined) {
        say(
          '/spec/group',
          `group must ${badGroup}`,
          badGroup === 'contain a dot' ? { fix: 'Set spec.group to a domain such as example.com.' } : {},
        );
      }
      if (!['Cluster', 'Namespaced'].includes(text(spec.scope))) {
        say('/spec/scope', `unsupported scope "${text(spec.scope)}"`, { expected: 'Namespaced or Cluster' });
      }
      checkNames(names, pluralInName(object), say);
      if (/(^|\.)(k8s|kubernetes)\.io$/.test(group)) {
        const approved = text(asObject(asObject(object.metadata).annotations)[APPROVAL]);
        if (!approved.startsWith('unapproved') && !/^[A-Za-z][A-Za-z0-9+.-]*:\/\/[^/]/.test(approved)) {
          say(
            pointer('/metadata/annotations', APPROVAL),
            `the group "${group}" is reserved for Kubernetes and requires an approval annotation`,
            { expected: 'the URL of the approval, or "unapproved, …"' },
          );
        }
      }
      for (const field of ['shortNames', 'categories']) {
        for (const { value, path } of textsOf(names[field], `/spec/names/${field}`)) {
          const bad = dns1035Label(value);
          if (bad !== undefined) {
            say(path, `"${value}" must ${bad}`);
          }
        }
      }
    },
  ),

  objectRule(
    'crd-versions-valid',
    [KIND],
    {
      source: SOURCE,
      summary:
        'The versions of a CRD must have unique names and a schema each, and exactly one of them must be the storage version.',
      fix: 'Set storage: true in exactly one entry of spec.versions, and storage: false in the others.',
    },
    (object, say) => {
      const spec = asObject(object.spec);
      const versions = itemsOf(spec.versions, '/spec/versions');
      const seen = new Set<string>();
      for (const { value, path } of versions) {
        const name = text(value.name);
        const bad = dns1035Label(name);
        if (bad !== undefined) {
          say(`${path}/name`, `the version name must ${bad}`, {
            fix: `Set ${fieldOf(`${path}/name`)} to a version such as v1.`,
          });
        }
        if (seen.has(name)) {
          say(`${path}/name`, `duplicate version "${name}"`);
        }
        seen.add(name);
        if (!isObject(asObject(value.schema).openAPIV3Schema)) {
          say(`${path}/schema/openAPIV3Schema`, 'the version must have a schema');
        }
        if (given(value.deprecationWarning) && value.deprecated !== true) {
          say(`${path}/deprecationWarning`, 'deprecationWarning must not be set unless deprecated is true');
        }
        const warning = value.deprecationWarning;
        if (typeof warning === 'string' && (warning === '' || byteLength(warning) > 256 || /\p{C}/u.test(warning))) {
          say(`${path}/deprecationWarning`, 'deprecationWarning must have 1 to 256 printable characters', {
            expected: 'at most 256 characters',
          });
        }
        checkSubresources(asObject(value.subresources), `${path}/subresources`, say);
        for (const column of itemsOf(value.additionalPrinterColumns, `${path}/additionalPrinterColumns`)) {
          checkColumn(column.value, column.path, say);
        }
      }
      const stored = versions.filter(({ value }) => value.storage === true).length;
      if (stored !== 1) {
        say(
          '/spec/versions',
          `exactly one version must have storage: true, but ${stored === 0 ? 'none has it' : `${stored} have it`}`,
          {
            found: stored,
            expected: 'exactly one',
          },
        );
      }
      checkConversion(spec, say);
      if (spec.preserveUnknownFields === true) {
        say(
          '/spec/preserveUnknownFields',
          'preserveUnknownFields must be false; use x-kubernetes-preserve-unknown-fields in the schema',
        );
      }
    },
  ),

  objectRule(
    'crd-schema-structural',
    [KIND],
    {
      source: SOURCE,
      summary:
        "Each part of a CRD's schema must have a type, and no $ref or additionalProperties beside properties; list keys must name fields; CEL rules must compile, and their estimated cost must be within the server's limits.",
      fix: 'Set type in each part of spec.versions[].schema, set maxItems, maxProperties, and maxLength on what a CEL rule reads, or generate the schema with controller-gen.',
    },
    (object, say, context) => {
      for (const { value, path } of itemsOf(asObject(object.spec).versions, '/spec/versions')) {
        const root = asObject(value.schema).openAPIV3Schema;
        if (!isObject(root)) {
          continue;
        }
        const definition = { hasStatus: given(asObject(value.subresources).status), minor: minorOf(context) };
        checkStructuralSchema(root, `${path}/schema/openAPIV3Schema`, definition, say);
        checkSelectableFields(value.selectableFields, root, `${path}/selectableFields`, say);
      }
    },
  ),
];

function checkSubresources(subresources: JsonObject, path: string, say: Say): void {
  if (!isObject(subresources.scale)) {
    return;
  }
  const paths: readonly (readonly [string, string, boolean])[] = [
    ['specReplicasPath', '.spec.', true],
    ['statusReplicasPath', '.status.', true],
    ['labelSelectorPath', '".spec." or ".status."', false],
  ];
  for (const [field, prefix, required] of paths) {
    const value = text(subresources.scale[field]);
    if (value === '' && !required) {
      continue;
    }
    const fits = field === 'labelSelectorPath' ? /^\.(spec|status)\../.test(value) : value.startsWith(prefix);
    if (!fits) {
      say(`${path}/scale/${field}`, `${field} must begin with ${prefix}`);
    }
  }
}

const COLUMN_FORMATS = ['int32', 'int64', 'float', 'double', 'byte', 'date', 'date-time', 'password'];

function checkColumn(column: JsonObject, path: string, say: Say): void {
  if (text(column.name) === '') {
    say(`${path}/name`, 'the column must have a name');
  }
  if (!['integer', 'number', 'string', 'boolean', 'date'].includes(text(column.type))) {
    say(`${path}/type`, `unsupported column type "${text(column.type)}"`, {
      expected: 'integer, number, string, boolean, or date',
    });
  }
  if (text(column.format) !== '' && !COLUMN_FORMATS.includes(text(column.format))) {
    say(`${path}/format`, `unsupported format "${text(column.format)}"`, { expected: oneOf(COLUMN_FORMATS) });
  }
  if (!/^\.[A-Za-z_.[\]'"\-0-9/\\]*/.test(text(column.jsonPath))) {
    say(`${path}/jsonPath`, 'the jsonPath of the column must begin with "."');
  }
}

function checkConversion(spec: JsonObject, say: Say): void {
  if (!isObject(spec.conversion)) {
    return;
  }
  const { conversion } = spec;
  const strategy = text(conversion.strategy);
  if (!['None', 'Webhook'].includes(strategy)) {
    say('/spec/conversion/strategy', `unsupported conversion "${strategy}"`, { expected: 'None or Webhook' });
  }
  const webhook = conversion.webhook;
  if (strategy !== 'Webhook') {
    if (given(webhook)) {
      say('/spec/conversion/webhook', 'webhook must not be set unless strategy is Webhook');
    }
    return;
  }
  const client = asObject(webhook).clientConfig;
  if (isObject(client)) {
    checkClient(client, '/spec/conversion/webhook/clientConfig', say);
  } else {
    say('/spec/conversion/webhook/clientConfig', 'clientConfig must be set when strategy is Webhook');
  }
  const versions = textsOf(asObject(webhook).conversionReviewVersions, '').map(({ value }) => value);
  if (new Set(versions).size < versions.length || versions.some((version) => dns1035Label(version) !== undefined)) {
    say(
      '/spec/conversion/webhook/conversionReviewVersions',
      'conversionReviewVersions must contain valid and unique versions',
    );
  }
  if (!versions.includes('v1') && !versions.includes('v1beta1')) {
    say(
      '/spec/conversion/webhook/conversionReviewVersions',
      'conversionReviewVersions must contain a version that the server supports',
      {
        expected: 'v1 or v1beta1',
      },
    );
  }
}

/** A kind has no near name that is valid: the parts of one have a meaning. */
function namesFix(field: string, bad: string): Details {
  const example = field === 'kind' ? 'a kind such as Widget' : 'a list kind, such as WidgetList';
  return /kind$/i.test(field) && bad.startsWith('consist ') ? { fix: `Set names.${field} to ${example}.` } : {};
}

/** The names of the kind and of its list may have capital letters, those of the resource may not. */
/** @param inName the plural that the name of the definition has, where that is the one to write */
function checkNames(names: JsonObject, inName: string | undefined, say: Say): void {
  const kind = text(names.kind);
  const singular = text(names.singular) || kind.toLowerCase();
  const listKind = text(names.listKind) || (kind === '' ? '' : `${kind}List`);
  for (const [field, value, letters] of [
    ['plural', text(names.plural), 'lowercase letters'],
    ['singular', singular, 'lowercase letters'],
    ['kind', kind.toLowerCase(), 'letters'],
    ['listKind', listKind.toLowerCase(), 'letters'],
  ] as const) {
    const bad = value === '' ? 'be set' : dns1035Label(value)?.replace('lowercase letters', letters);
    if (bad !== undefined) {
      const isInName = field === 'plural' && inName !== undefined;
      say(
        `/spec/names/${field}`,
        `${field} must ${bad}`,
        isInName ? { fix: `Set spec.names.plural to ${inName}.` } : namesFix(field, bad),
      );
    }
  }
  if (kind !== '' && kind === text(names.listKind)) {
    say('/spec/names/listKind', 'kind and listKind must be different');
  }
}
