/**
 * The files of nodes, from any source: given as files, embedded in ConfigMaps, or written as kubelet flags. A rule sees the contents of the
 * file, not its source.
 */
import { fixOfRequirement } from '../../../checks/rules/field-fix';
import { type JsonObject } from '../../../facts/api/schema';
import { type ObjectRule, type RuleFacts, type Violation } from '../../../checks/rules/rule';
import { hostDocumentKind, type HostDocumentKind, mayBeHostDocument } from '../../../manifests/documents/host-document';
import { type Manifest } from '../../../manifests/manifest';
import {
  NODE_FILE,
  NODE_FILE_OWNERS,
  nodeFileKind,
  type NodeFileKind,
  readNodeFile,
} from '../../../manifests/documents/node-file';
import { pointer, tokensOf } from '../../../manifests/pointer';
import { isObject, stringEntries } from '../../../manifests/read';
import { parseValue } from '../../../manifests/yaml';
import { configurationOfArguments } from './kubelet-arguments-as-configuration';

export type FileKind = NodeFileKind | HostDocumentKind | 'KubeletConfiguration';

const KUBELET_CONFIGURATION = 'kubelet.config.k8s.io/KubeletConfiguration';

/** What a file says. */
export interface FileView {
  readonly kind: FileKind;
  readonly value: JsonObject;
  /** Path of the file, or key of the ConfigMap. */
  readonly name: string;
  /** It is laid over another file, which may say what is missing here. */
  readonly partial: boolean;
  /** Where a place of the file is in the manifest that holds it. */
  readonly pathOf: (place: string) => string;
  /** Put before messages where the path cannot name the place. */
  readonly prefixOf: (place: string) => string;
}

/** A text that looks like a file of a node and cannot be read. */
export interface BrokenFile {
  readonly owner: string;
  readonly path: string;
  readonly why: string;
}

interface Found {
  readonly views: readonly FileView[];
  readonly broken: readonly BrokenFile[];
}

/** Each manifest is looked through once, however many rules ask. */
const cache = new WeakMap<Manifest, Found>();

export function filesIn(manifest: Manifest): Found {
  let found = cache.get(manifest);
  if (found === undefined) {
    found = manifest.id.kind === 'ConfigMap' ? inConfigMap(manifest) : { views: asFile(manifest), broken: [] };
    cache.set(manifest, found);
  }
  return found;
}

const SAME = (place: string): string => place;
const NOTHING = (): string => '';

function asFile({ id, object, origin }: Manifest): readonly FileView[] {
  const name = origin.file ?? id.name;
  if (id.group !== NODE_FILE) {
    return [
      { kind: 'KubeletConfiguration', value: object, name, partial: isDropIn(name), pathOf: SAME, prefixOf: NOTHING },
    ];
  }
  return withConfiguration({
    kind: id.kind as NodeFileKind | HostDocumentKind,
    value: object,
    name,
    partial: false,
    pathOf: SAME,
    prefixOf: NOTHING,
  });
}

/** Flags set what a configuration sets, so they are read as one. The file may set what no flag sets. */
function withConfiguration(view: FileView): readonly FileView[] {
  if (view.kind !== 'KubeletArguments') {
    return [view];
  }
  const { configuration, flagOf } = configurationOfArguments(view.value);
  const placeOf = (place: string): string => {
    const [field = ''] = tokensOf(place);
    return pointer('', flagOf.get(field) ?? field);
  };
  return [
    view,
    {
      ...view,
      kind: 'KubeletConfiguration',
      value: configuration,
      partial: true,
      pathOf: (place) => view.pathOf(placeOf(place)),
      prefixOf: (place) => view.prefixOf(placeOf(place)),
    },
  ];
}

function inConfigMap({ object }: Manifest): Found {
  const views: FileView[] = [];
  const broken: BrokenFile[] = [];
  for (const [key, text] of stringEntries(object.data)) {
    const path = pointer('/data', key);
    const place = { name: key, pathOf: () => path, prefixOf: (at: string) => (at === '' ? '' : `${inWords(at)}: `) };
    const kind = nodeFileKind(text, key);
    if (kind !== undefined) {
      const reading = readNodeFile(kind, text);
      if ('broken' in reading) {
        broken.push({ owner: NODE_FILE_OWNERS[kind], path, why: reading.broken });
      } else {
        views.push(...withConfiguration({ kind, value: reading.value, partial: false, ...place }));
      }
    } else if (/^[^\S\n]*"?kind"?:\s*["']?KubeletConfiguration\b/m.test(text)) {
      const parsed = parseValue(text, key);
      if ('problem' in parsed) {
        broken.push({ owner: NODE_FILE_OWNERS.KubeletArguments, path, why: parsed.problem.message });
      } else if (isObject(parsed.value) && parsed.value.kind === 'KubeletConfiguration') {
        views.push({ kind: 'KubeletConfiguration', value: parsed.value, partial: isDropIn(key), ...place });
      }
    } else if (mayBeHostDocument(text, key)) {
      const parsed = parseValue(text, key);
      const value = 'problem' in parsed ? undefined : parsed.value;
      const document = hostDocumentKind(value, key);
      if (document !== undefined && isObject(value)) {
        views.push({ kind: document, value, partial: false, ...place });
      }
    }
  }
  return { views, broken };
}

/** The kubelet takes files from its drop-in folder by this ending alone. */
function isDropIn(name: string): boolean {
  return name.endsWith('.conf');
}

/** `plugins."io.containerd.grpc.v1.cri".containerd` */
function inWords(place: string): string {
  return tokensOf(place)
    .map((token) => (token.includes('.') ? `"${token}"` : token))
    .join('.');
}

export type FileFacts = Omit<RuleFacts, 'id' | 'tier' | 'severity'> & Partial<Pick<RuleFacts, 'tier' | 'severity'>>;

/** A message with its place in the file, which it may begin with. */
function placed(prefix: string, at: string, message: string): string {
  const field = tokensOf(at).at(-1) ?? '';
  if (prefix === '' || message.startsWith(`--${field} `)) {
    return message;
  }
  return message.startsWith(`${field} `) && prefix.endsWith(`${field}: `)
    ? `${prefix.slice(0, -2)}${message.slice(field.length)}`
    : `${prefix}${message}`;
}

function hasFiles(manifest: Manifest): boolean {
  const { views, broken } = filesIn(manifest);
  return views.length + broken.length > 0;
}

/**
 * A rule over the files of one kind; places of violations are those within the file.
 *
 * @param name id of the rule, or its part behind `node-tuning/`
 */
export function fileRule(
  kind: FileKind,
  name: string,
  facts: FileFacts,
  check: (file: FileView) => Iterable<Violation>,
): ObjectRule {
  const kinds =
    kind === 'KubeletConfiguration'
      ? [KUBELET_CONFIGURATION, `${NODE_FILE}/KubeletArguments`]
      : [`${NODE_FILE}/${kind}`];
  return {
    tier: 'webhook',
    severity: 'error',
    ...facts,
    id: name.includes('/') ? name : `node-tuning/${name}`,
    on: 'object',
    kinds: [...kinds, 'ConfigMap'],
    appliesTo: hasFiles,
    check: function* (manifest) {
      for (const view of filesIn(manifest).views) {
        if (view.kind !== kind) {
          continue;
        }
        for (const violation of check(view)) {
          const at = violation.path ?? '';
          yield {
            ...violation,
            path: view.pathOf(at),
            message: placed(view.prefixOf(at), at, violation.message),
            // The path may end at the file, and the field of the fix is one in it.
            fix: violation.fix ?? fixOfRequirement(violation, facts.fix) ?? facts.fix,
          };
        }
      }
    },
  };
}

export const fileReadable: ObjectRule = {
  id: 'node-tuning/node-file-readable',
  tier: 'webhook',
  severity: 'error',
  summary: 'A file in a ConfigMap for containerd, Docker, the kubelet, or systemd must be readable by that program.',
  why: 'The service does not start with such a file, and a rollout that copies it to nodes takes them down one by one.',
  source: 'TOML 1.0; JSON; YAML 1.2',
  fix: 'Correct the syntax of the file in data of the ConfigMap.',
  on: 'object',
  kinds: ['ConfigMap'],
  appliesTo: hasFiles,
  check: function* (manifest) {
    for (const { owner, path, why } of filesIn(manifest).broken) {
      yield { path, message: `${owner} cannot read the file: ${why}` };
    }
  },
};
