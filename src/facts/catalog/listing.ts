/**
 * The catalog as tables of plain text: what `gantry catalog` and `gantry catalog NAME` show.
 *
 * Nothing here prints. Every value is a string, so that a terminal table and JSON say the same.
 */
import { nearestNames } from '../spelling';
import { ACCELERATORS, type KnownAcceleratorFacts } from './accelerators';
import { acceleratorsLike, findAccelerator } from './accelerators/names';
import { CLOUDS, type CloudFacts } from './clouds';
import { DCGM_METRICS, type DcgmMetric, findDcgmMetric } from './dcgm-metrics';
import { DEVICE_CLASSES } from './device-classes';
import { NCCL_VARIABLES, findNcclVariable } from './nccl';
import { NODE_LABELS, type NodeLabelFact, findNodeLabel } from './node-labels';
import { PROJECTS } from './projects';
import { reportedMemoryMiB } from './reported-memory';
import { RESOURCES, type ResourceFact, findResource } from './resource-names';
import { TAINTS } from './taints';
import { type VendorFacts, VENDORS } from './vendors';
import { findXid, XIDS } from './xids';

/** The topics of `gantry catalog`. */
export const CATALOG_TOPICS = [
  'accelerators',
  'vendors',
  'resources',
  'labels',
  'taints',
  'clouds',
  'device-classes',
  'nccl',
  'metrics',
  'xids',
  'projects',
] as const;
/** A topic of `gantry catalog`. */
export type CatalogTopic = (typeof CATALOG_TOPICS)[number];

/** One table of the catalog, as `gantry catalog` prints it. */
export interface CatalogTable {
  /** Topic that the table belongs to. */
  readonly topic: CatalogTopic;
  /** Heading of the table. */
  readonly title: string;
  /** Headings of the columns. */
  readonly columns: readonly string[];
  /** One string for each column; empty where there is nothing to say. */
  readonly rows: readonly (readonly string[])[];
}

/** One thing of the catalog, as names and values, with tables beneath. */
export interface CatalogEntry {
  /** Topic that the entry belongs to. */
  readonly topic: CatalogTopic;
  /** The name that the entry is found by. */
  readonly name: string;
  /** The facts in the order of printing. */
  readonly facts: readonly (readonly [label: string, value: string])[];
  /** Tables that belong to the entry, such as the MIG profiles of a GPU. */
  readonly tables: readonly CatalogTable[];
}

/** All tables, or the one of a topic. */
export function catalogTables(topic?: CatalogTopic): readonly CatalogTable[] {
  return (topic ? [topic] : CATALOG_TOPICS).map((name) => TABLES[name]());
}

/**
 * Everything the catalog has under this name: an accelerator (or all that a short name such as `A100` represents), a resource, a
 * node label, a cloud, a taint, a device class, an NCCL variable, a metric of DCGM, an XID (`XID 79`) or a project. Empty where it has
 * nothing.
 */
export function catalogEntries(name: string): readonly CatalogEntry[] {
  const accelerator = findAccelerator(name);
  const accelerators = accelerator ? [accelerator] : acceleratorsLike(name);
  if (accelerators.length > 0) {
    return accelerators.map(acceleratorEntry);
  }
  const resource = findResource(name);
  const label = findNodeLabel(name);
  const cloud = Object.values(CLOUDS).find(
    (facts) => same(facts.cloud, name) || same(facts.title, name) || same(facts.gpuLabel, name),
  );
  const taints = TAINTS.filter((taint) => taint.key === name);
  const variable = findNcclVariable(name.toUpperCase());
  const deviceClass = Object.entries(DEVICE_CLASSES).find(([known]) => known === name);
  const project = PROJECTS.find((known) => same(known.name, name));
  const vendor = Object.values(VENDORS).find((facts) => same(facts.vendor, name) || same(facts.title, name));
  const metric = findDcgmMetric(name.toUpperCase());
  const xid = findXid(Number(/^xid[\s:=]*(\d+)$/i.exec(name)?.[1]));
  return [
    ...(vendor ? [vendorEntry(vendor)] : []),
    ...(resource ? [resourceEntry(name, resource)] : []),
    ...(label ? [labelEntry(name, label)] : []),
    ...taints.map((taint) =>
      entry('taints', `${taint.key}:${taint.effect}`, [
        ['meaning', taint.meaning],
        ['value', taint.value ?? 'any'],
        ['set by', taint.setBy],
      ]),
    ),
    ...(cloud ? [cloudEntry(cloud)] : []),
    ...(deviceClass ? [entry('device-classes', deviceClass[0], [['meaning', deviceClass[1]]])] : []),
    ...(variable
      ? [
          entry('nccl', variable.name, [
            ['meaning', variable.meaning],
            ['takes', variable.tokens?.join(', ') ?? ''],
            ['note', variable.note ?? ''],
            ['for debugging only', variable.debugOnly ? 'yes' : ''],
          ]),
        ]
      : []),
    ...(metric ? [metricEntry(metric)] : []),
    ...(xid
      ? [
          entry('xids', `XID ${xid.code}`, [
            ['meaning', xid.meaning],
            ['caused by', xid.origin],
            ['action', xid.action],
          ]),
        ]
      : []),
    ...(project
      ? [
          entry('projects', project.name, [
            ['version', project.version],
            ['chart', project.chart ?? ''],
          ]),
        ]
      : []),
  ];
}

/** Names of the catalog that come close to one it does not have, best first, at most five. */
export function catalogSuggestions(name: string): readonly string[] {
  const known = [
    ...ACCELERATORS.map((accelerator) => accelerator.name),
    ...RESOURCES.map((resource) => resource.name),
    ...NODE_LABELS.map((label) => label.key),
    ...Object.keys(CLOUDS),
    ...Object.keys(DEVICE_CLASSES),
    ...NCCL_VARIABLES.map((variable) => variable.name),
    ...DCGM_METRICS.map((metric) => metric.names['4.8'].name),
    ...CATALOG_TOPICS,
  ];
  return nearestNames(name, known, 5);
}

const PCI_VENDOR_IDS: Readonly<Record<string, string | undefined>> = { nvidia: '10DE', amd: '1002', intel: '1DA3' };

const METRIC_COLUMNS = [
  'metric, to 4.8',
  'unit',
  'from 4.9',
  'unit from 4.9',
  'type',
  'in its own list',
  'meaning',
] as const;

const TABLES: Readonly<Record<CatalogTopic, () => CatalogTable>> = {
  accelerators: () =>
    table(
      'accelerators',
      'Accelerators',
      ['name', 'vendor', 'memory', 'architecture', 'form', 'fabric', 'resource', 'MIG profiles or partitions'],
      ACCELERATORS,
      (accelerator) => [
        accelerator.name,
        VENDORS[accelerator.vendor].title,
        `${accelerator.memoryGB} GB`,
        accelerator.architecture,
        accelerator.formFactor,
        fabricText(accelerator),
        accelerator.resource,
        dividedText(accelerator),
      ],
    ),
  vendors: () =>
    table(
      'vendors',
      'Vendors',
      ['vendor', 'device', 'resources', 'taint', 'installed by', 'measured by', 'variables'],
      Object.values(VENDORS),
      (vendor) => [
        vendor.title,
        vendor.device,
        [...vendor.resources, ...vendor.parts].join(', '),
        vendor.taint,
        vendor.operator,
        vendor.exporter,
        vendor.environment.map(({ name }) => name).join(', '),
      ],
    ),
  resources: () =>
    table('resources', 'Resource names', ['resource', 'vendor', 'unit', 'meaning', 'instead'], RESOURCES, (fact) => [
      fact.name,
      fact.vendor,
      fact.unit,
      fact.meaning,
      fact.successor ?? '',
    ]),
  labels: () =>
    table('labels', 'Node labels', ['label', 'set by', 'meaning', 'values', 'instead'], NODE_LABELS, (fact) => [
      fact.key,
      fact.input ? 'you' : fact.source,
      fact.meaning,
      fact.values?.join(', ') ?? fact.unit ?? '',
      fact.successor ?? '',
    ]),
  taints: () =>
    table('taints', 'Taints', ['key', 'value', 'effect', 'meaning', 'set by'], TAINTS, (taint) => [
      taint.key,
      taint.value ?? 'any',
      taint.effect,
      taint.meaning,
      taint.setBy,
    ]),
  clouds: () =>
    table('clouds', 'Clouds', ['cloud', 'accelerator label', 'spot label'], Object.values(CLOUDS), (cloud) => [
      cloud.cloud,
      cloud.gpuLabel,
      cloud.spot ? `${cloud.spot.label}=${cloud.spot.value}` : '',
    ]),
  'device-classes': () =>
    table('device-classes', 'Device classes (DRA)', ['name', 'meaning'], Object.entries(DEVICE_CLASSES), (pair) => [
      ...pair,
    ]),
  nccl: () =>
    table('nccl', 'NCCL variables', ['variable', 'meaning', 'takes', 'note'], NCCL_VARIABLES, (variable) => [
      variable.name,
      variable.meaning,
      variable.tokens?.join(', ') ?? '',
      [variable.note, variable.debugOnly ? 'for debugging only' : undefined].filter(Boolean).join('; '),
    ]),
  metrics: () =>
    table('metrics', 'Metrics of the DCGM exporter', METRIC_COLUMNS, DCGM_METRICS, (metric) => {
      const [old, now] = [metric.names['4.8'], metric.names['4.9']];
      const renamed = old.name !== now.name;
      return [
        old.name,
        old.unit,
        renamed ? now.name : '',
        renamed ? now.unit : '',
        metric.type,
        listed(metric),
        metric.meaning,
      ];
    }),
  xids: () =>
    table('xids', 'XIDs', ['code', 'meaning', 'caused by', 'action'], XIDS, (fact) => [
      String(fact.code),
      fact.meaning,
      fact.origin,
      fact.action,
    ]),
  projects: () =>
    table('projects', 'Upstream releases', ['project', 'version', 'chart'], PROJECTS, (project) => [
      project.name,
      project.version,
      project.chart ?? '',
    ]),
};

function table<T>(
  topic: CatalogTopic,
  title: string,
  columns: readonly string[],
  items: readonly T[],
  row: (item: T) => readonly string[],
): CatalogTable {
  return { topic, title, columns, rows: items.map(row) };
}

function entry(
  topic: CatalogTopic,
  name: string,
  facts: readonly (readonly [string, string])[],
  tables: readonly CatalogTable[] = [],
): CatalogEntry {
  return { topic, name, facts: facts.filter(([, value]) => value !== ''), tables };
}

function memoryText(accelerator: KnownAcceleratorFacts): string {
  const reported = reportedMemoryMiB(accelerator);
  return `${accelerator.memoryGB} GB nominal${reported === undefined ? '' : `, ${reported} MiB as the driver reports it`}`;
}

function fabricText({ fabric: { link, island, domain } }: KnownAcceleratorFacts): string {
  const most = domain === undefined ? '' : `, ${domain} over nodes`;
  return island === 1 && domain === undefined ? link : `${link}: ${island} of a node${most}`;
}

function dividedText({ mig, partitions }: KnownAcceleratorFacts): string {
  return mig.length > 0
    ? mig.map((profile) => `${profile.name}×${profile.maxPerGpu}`).join(', ')
    : partitions.map(({ compute, memory, devices }) => `${compute}/${memory}×${devices}`).join(', ');
}

function acceleratorEntry(accelerator: KnownAcceleratorFacts): CatalogEntry {
  const profiles: CatalogTable = table(
    'accelerators',
    'MIG profiles',
    ['profile', 'most per GPU', 'compute slices', 'memory', 'resource (mixed strategy)', 'nvidia.com/mig.config'],
    accelerator.mig,
    (profile) => [
      profile.name,
      String(profile.maxPerGpu),
      String(profile.slices),
      `${profile.memoryGB} GB`,
      profile.resource,
      profile.config,
    ],
  );
  const partitions = table(
    'accelerators',
    'Partitions',
    ['compute', 'memory', 'devices of each GPU', 'resource (naming strategy mixed)'],
    accelerator.partitions,
    ({ compute, memory, devices, resource }) => [compute, memory, String(devices), resource],
  );
  const { vendor, fabric, host } = accelerator;
  return entry(
    'accelerators',
    accelerator.name,
    [
      ['vendor', VENDORS[vendor].title],
      ['memory', memoryText(accelerator)],
      ['architecture', accelerator.architecture],
      ['form', accelerator.formFactor],
      ['compute capability', accelerator.computeCapability ?? ''],
      ['fabric', fabricText(accelerator)],
      ['largest domain', fabric.domain === undefined ? '' : `${fabric.domain} devices`],
      [
        'usual node',
        host === undefined
          ? ''
          : `${host.devices} devices${host.numaNodes === undefined ? '' : `, ${host.numaNodes} NUMA node${host.numaNodes === 1 ? '' : 's'}`}`,
      ],
      ['resource', accelerator.resource],
      ['cores of a device', accelerator.cores === undefined ? '' : String(accelerator.cores)],
      ['taint', `${VENDORS[vendor].taint}=present:NoSchedule, by convention`],
      [accelerator.productLabelKey ?? 'label', accelerator.productLabels.join(', ')],
      ['cloud names', accelerator.cloudNames.join(', ')],
      ['PCI device ids', accelerator.pciDeviceIds.map((id) => `${PCI_VENDOR_IDS[vendor] ?? ''}:${id}`).join(', ')],
      ['note', accelerator.note ?? ''],
    ],
    [...(accelerator.mig.length > 0 ? [profiles] : []), ...(accelerator.partitions.length > 0 ? [partitions] : [])],
  );
}

function listed({ names }: DcgmMetric): string {
  if (names['4.8'].on === names['4.9'].on) {
    return names['4.8'].on ? 'yes' : 'no';
  }
  return names['4.9'].on ? 'from 4.9' : 'to 4.8';
}

function metricEntry(metric: DcgmMetric): CatalogEntry {
  const [old, now] = [metric.names['4.8'], metric.names['4.9']];
  return entry('metrics', old.name, [
    ['meaning', metric.meaning],
    [
      'type',
      metric.declared === undefined ? metric.type : `${metric.type}; the exporter's own list says ${metric.declared}`,
    ],
    ['unit', old.unit],
    ['from exporter 4.9 on', old.name === now.name ? '' : `${now.name} (${now.unit})`],
    ['other names', metric.aliases.join(', ')],
    ['labels in addition to those of the GPU', metric.labels.join(', ')],
    ["in the exporter's own list", listed(metric)],
    ['since exporter', metric.since ?? ''],
  ]);
}

function vendorEntry(vendor: VendorFacts): CatalogEntry {
  const variables = table(
    'vendors',
    'Environment variables',
    ['variable', 'meaning', 'set by'],
    vendor.environment,
    ({ name, meaning, setBy }) => [name, meaning, setBy === 'author' ? 'you' : 'the device plugin or runtime'],
  );
  const own = ACCELERATORS.filter((accelerator) => accelerator.vendor === vendor.vendor).map(({ name }) => name);
  return entry(
    'vendors',
    vendor.title,
    [
      ['one device', vendor.device],
      ['accelerators', own.join(', ')],
      ['resources', vendor.resources.join(', ')],
      ['parts', vendor.parts.join(', ')],
      ['taint', `${vendor.taint}=present:NoSchedule, by convention`],
      [
        'nodes are selected by',
        vendor.presentLabel === undefined
          ? ''
          : `${vendor.presentLabel.key}=${vendor.presentLabel.value}, set by ${vendor.presentLabel.setBy}`,
      ],
      ['installed by', vendor.operator],
      ['measured by', vendor.exporter],
      ['collectives', vendor.collectives],
    ],
    [variables],
  );
}

function resourceEntry(name: string, fact: ResourceFact): CatalogEntry {
  return entry('resources', name, [
    ['meaning', fact.meaning],
    ['vendor', fact.vendor],
    ['unit', fact.unit],
    ['write instead', fact.successor ?? ''],
    ['note', fact.note ?? ''],
  ]);
}

function labelEntry(name: string, fact: NodeLabelFact): CatalogEntry {
  return entry('labels', name, [
    ['meaning', fact.meaning],
    ['set by', fact.input ? `you, for ${fact.source}` : fact.source],
    ['values', fact.values?.join(', ') ?? ''],
    ['unit', fact.unit ?? ''],
    ['write instead', fact.successor ?? ''],
  ]);
}

function cloudEntry(cloud: CloudFacts): CatalogEntry {
  const labels = table('clouds', 'Other labels', ['label', 'meaning'], Object.entries(cloud.labels), (pair) => [
    ...pair,
  ]);
  return entry(
    'clouds',
    cloud.cloud,
    [
      ['name', cloud.title],
      ['accelerator label', cloud.gpuLabel],
      ['its values', cloud.gpuLabelValues.join(', ')],
      ['spot label', cloud.spot ? `${cloud.spot.label}=${cloud.spot.value}` : ''],
      ['spot taint', cloud.spot?.taint ? taintText(cloud.spot.taint) : ''],
      ['spot notice', cloud.spot?.noticeSeconds === undefined ? '' : `${cloud.spot.noticeSeconds} s`],
      ['GPU taint', cloud.gpuTaint ? taintText(cloud.gpuTaint) : ''],
      ['adds the GPU toleration', cloud.addsToleration ? 'yes' : 'no'],
      ['taken from', cloud.source],
    ],
    labels.rows.length > 0 ? [labels] : [],
  );
}

function taintText(taint: { readonly key: string; readonly value?: string; readonly effect: string }): string {
  return `${taint.key}${taint.value === undefined ? '' : `=${taint.value}`}:${taint.effect}`;
}

function same(a: string, b: string): boolean {
  return a.toLowerCase() === b.toLowerCase();
}
