/**
 * The edits of an upgrade: the line of the table, and the file and row of a vendored project.
 */
import { type WholeKind } from '../api/vendored';
import { definitionsIn } from '../api/crd';
import { type JsonObject } from '../../src/facts/api/schema';
import { minorOf, type Target, UpgradeError } from './plan';

/**
 * The text of the table with another version of one project.
 *
 * @throws UpgradeError where the table has no such version on the project's line
 */
export function tableWith(text: string, target: Target, from: string, to: string): string {
  const key = target === 'kubernetes' ? (minorOf(to) ?? '') : target;
  const start = new RegExp(`^  '?${key.replaceAll('.', '\\.')}'?: `, 'm').exec(text);
  const position = start === null ? -1 : text.indexOf(`'${from}'`, start.index);
  const next = start === null ? -1 : text.slice(start.index + 1).search(/^ {2}'?[\w.-]+'?: /m);
  if (start === null || position < 0 || (next >= 0 && position > start.index + 1 + next)) {
    throw new UpgradeError(`the table of upstream releases has no line "${key}" with the version ${from}`);
  }
  return `${text.slice(0, position)}'${to}'${text.slice(position + from.length + 2)}`;
}

/** The text of `vendor/README.md` with another version in the row of one project. */
export function readmeWith(text: string, target: Target, from: string, to: string): string {
  return text
    .split('\n')
    .map((line) => (line.startsWith(`| \`${target}.json\``) ? line.replace(from, to) : line))
    .join('\n');
}

/** The kinds that files of an upstream project define, in the form of `vendor/`. */
export function kindsIn(files: ReadonlyMap<string, string>): readonly WholeKind[] {
  return [...files].flatMap(([path, text]) =>
    definitionsIn(text, path)
      .filter(({ kind }) => kind === 'CustomResourceDefinition')
      .map(({ spec }) => wholeKind(spec as JsonObject)),
  );
}

function wholeKind(spec: JsonObject): WholeKind {
  const names = spec.names as JsonObject;
  return {
    group: spec.group as string,
    kind: names.kind as string,
    plural: names.plural as string,
    scope: spec.scope as string,
    versions: (spec.versions as JsonObject[]).map((version) => ({
      name: version.name as string,
      served: version.served === true,
      storage: version.storage === true,
      deprecated: version.deprecated === true,
      subresources: Object.keys((version.subresources ?? {}) as JsonObject),
      schema: ((version.schema as JsonObject | undefined)?.openAPIV3Schema as JsonObject | undefined) ?? {
        type: 'object',
        'x-kubernetes-preserve-unknown-fields': true,
      },
    })),
  };
}
