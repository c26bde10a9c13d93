/**
 * Files of nodes: what containerd, Docker, the kubelet, systemd and OCI runtimes read from a disk. They are not Kubernetes objects and no
 * server validates them, so they are recognized by their shape, and become manifests of kinds that only Gantry has (`file ContainerdConfig`):
 * the object is the contents of the file as JSON, and the name is that of the file.
 */
import { fileManifest, NODE_FILE } from './file-manifest';
import { type HostDocumentKind } from './host-document';
import { readJson } from '../texts/json-text';
import { type Manifest } from '../manifest';
import { pointer } from '../pointer';
import { asString, isObject } from '../read';
import { LineTable, nearestOffset, type TextReading } from '../texts/source-text';
import { readToml } from '../texts/toml-text';
import { type Parsed, type ParseOptions, parseYaml } from '../yaml';

export { NODE_FILE };

export type NodeFileKind =
  | 'ContainerdConfig'
  | 'DockerDaemonConfig'
  | 'KubeletArguments'
  | 'OciRuntimeSpec'
  | 'SystemdUnit';

/** Whose file it is, for people. */
export const NODE_FILE_OWNERS: Readonly<Record<NodeFileKind | HostDocumentKind, string>> = {
  CdiSpecification: 'the container engine',
  ComposeFile: 'Docker Compose',
  ContainerdConfig: 'containerd',
  DockerDaemonConfig: 'the Docker daemon',
  KubeletArguments: 'the kubelet',
  OciRuntimeSpec: 'an OCI runtime',
  RunnerConfiguration: 'the Gantry runner',
  SystemdUnit: 'systemd',
};

/** Whose file a manifest is, where it is one. */
export function nodeFileOwner({ id }: Manifest): string | undefined {
  return id.group === NODE_FILE ? NODE_FILE_OWNERS[id.kind as keyof typeof NODE_FILE_OWNERS] : undefined;
}

const UNIT = /^\[(Unit|Service|Slice|Scope|Install|Socket|Mount|Automount|Swap|Timer|Path)\]$/;
const ARGUMENT = /^(?:(?:KUBELET_[A-Z_]+)=["']?)?--[a-z][a-z0-9-]*(?:[= ]|["']?$)/;
const DOCKER_KEYS: readonly string[] = [
  'default-runtime',
  'exec-opts',
  'data-root',
  'storage-driver',
  'log-driver',
  'log-opts',
  'live-restore',
  'registry-mirrors',
  'insecure-registries',
  'default-ulimits',
  'default-shm-size',
  'cdi-spec-dirs',
  'cgroup-parent',
  'userns-remap',
  'default-address-pools',
  'node-generic-resources',
];
const DOCKER_FILE = /(^|[^a-z])daemon\.json$/;

/** A text without any of these names is none of these files, and need not be parsed. */
const JSON_FILE_KEY = new RegExp(`"(?:ociVersion|${DOCKER_KEYS.join('|')})"\\s*:`);

/**
 * What a text is a file of; `undefined` where it is none of these.
 *
 * @param name the name of the file, or of the key of a ConfigMap that contains it; only Docker's `daemon.json` is also recognized by name
 */
export function nodeFileKind(text: string, name: string): NodeFileKind | undefined {
  if (/^\uFEFF?\s*\{/.test(text)) {
    return jsonFileKind(text, name);
  }
  const first = firstLine(text);
  if (first === undefined) {
    return undefined;
  }
  if (UNIT.test(first)) {
    return 'SystemdUnit';
  }
  if (ARGUMENT.test(first)) {
    return 'KubeletArguments';
  }
  if (!/^(\[.+\]|[A-Za-z0-9_."'-]+\s*=)/.test(first)) {
    return undefined;
  }
  return /^[^\S\n]*(\[+\s*plugins\s*\.|version\s*=\s*[1-4]\s*$)/m.test(text) &&
    /io\.containerd\.|(?<!\[)\[+\s*plugins\.cri\b/.test(text)
    ? 'ContainerdConfig'
    : undefined;
}

/** Files of folders that may be files of nodes: they are looked into, and left alone where they are something else. */
export const NODE_FILE_NAME = /\.(toml|service|slice|conf)$/i;

function jsonFileKind(text: string, name: string): NodeFileKind | undefined {
  // Manifests in JSON are many and long, and read by another reader: they are not read twice.
  if (/"apiVersion"\s*:/.test(text)) {
    return undefined;
  }
  // Configuration of anything else is most of the JSON that files and ConfigMaps contain.
  const named = DOCKER_FILE.test(name);
  if (!named && !JSON_FILE_KEY.test(text)) {
    return undefined;
  }
  const value = readJson(text)[0]?.value;
  if (!isObject(value)) {
    return undefined;
  }
  if (asString(value.ociVersion) !== undefined) {
    return 'OciRuntimeSpec';
  }
  return named || Object.keys(value).some((key) => DOCKER_KEYS.includes(key)) ? 'DockerDaemonConfig' : undefined;
}

function firstLine(text: string): string | undefined {
  return text
    .split('\n', 200)
    .map((line) => line.replace(/^\uFEFF/, '').trim())
    .find((line) => line !== '' && !/^[#;]/.test(line));
}

export function readNodeFile(kind: NodeFileKind, text: string): TextReading {
  if (kind === 'ContainerdConfig') {
    return readToml(text);
  }
  if (kind === 'KubeletArguments') {
    return readArguments(text);
  }
  if (kind === 'SystemdUnit') {
    return readUnit(text);
  }
  const document = readJson(text).at(0);
  const problem = document?.problems.find(({ kind: found }) => found === 'syntax');
  if (document === undefined || problem !== undefined || !isObject(document.value)) {
    return { broken: problem?.message ?? 'must be a JSON object', offset: problem?.offset ?? 0 };
  }
  return { value: document.value, offsetOf: document.offsetOf };
}

/** `--max-pods=500`, one or many on a line, behind a variable or not: the value by the name. Without a value it is `true`. */
function readArguments(text: string): TextReading {
  const value: Record<string, string> = {};
  const offsets = new Map<string, number>([['', 0]]);
  let start = 0;
  for (const line of text.split('\n')) {
    const said = line.replace(/(^|\s)#.*$/, '');
    for (const found of said.matchAll(
      /--([a-z][a-z0-9-]*)(?:=("[^"]*"|'[^']*'|[^\s"']*)|\s+(?!--)([^\s"'-][^\s"']*))?/g,
    )) {
      const [, name, assigned, following] = found;
      value[name] = (assigned ?? following ?? 'true').replace(/^(["'])(.*)\1$/, '$2');
      offsets.set(pointer('', name), start + found.index);
    }
    start += line.length + 1;
  }
  return { value, offsetOf: nearestOffset(offsets) };
}

/** Sections with their settings; a duplicate setting keeps the last value, as most of them do. */
function readUnit(text: string): TextReading {
  const value: Record<string, Record<string, string>> = {};
  const offsets = new Map<string, number>([['', 0]]);
  let section = '';
  let start = 0;
  for (const line of text.split('\n')) {
    const header = /^\s*\[([^\]]+)\]\s*$/.exec(line);
    const setting = /^\s*([A-Za-z][A-Za-z0-9]*)\s*=\s*(.*?)\s*$/.exec(line);
    if (header !== null) {
      section = header[1];
      value[section] ??= {};
      if (!offsets.has(pointer('', section))) {
        offsets.set(pointer('', section), start);
      }
    } else if (setting !== null && section !== '') {
      value[section][setting[1]] = setting[2];
      offsets.set(pointer('', section, setting[1]), start + line.indexOf(setting[1]));
    }
    start += line.length + 1;
  }
  return { value, offsetOf: nearestOffset(offsets) };
}

/** Reads a file: one of a node where it is one, else manifests in YAML or JSON. Never throws for what the text holds. */
export function parseFile(text: string, file: string, options?: ParseOptions): Parsed {
  const kind = nodeFileKind(text, file);
  return kind === undefined ? parseYaml(text, file, options) : parseNodeFile(kind, text, file);
}

function parseNodeFile(kind: NodeFileKind, text: string, file: string): Parsed {
  const reading = readNodeFile(kind, text);
  const lines = new LineTable(text);
  if ('broken' in reading) {
    const message = `a configuration file of ${NODE_FILE_OWNERS[kind]} that cannot be read: ${reading.broken}`;
    const position = lines.positionOf(reading.offset);
    return { manifests: [], problems: [{ kind: 'syntax', file, position, message }], skipped: [] };
  }
  const locate = (path: string): ReturnType<LineTable['positionOf']> => lines.positionOf(reading.offsetOf(path));
  return {
    manifests: [fileManifest(kind, file, reading.value, { file, document: 0, locate })],
    problems: [],
    skipped: [],
  };
}
