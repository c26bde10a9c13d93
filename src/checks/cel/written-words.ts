/**
 * What those CEL rules of the covered kinds require that compare numbers, count, or search lists: written by hand, since their text does not
 * say it in words that could be derived. In a fix, `{}` is the place of the value.
 */
import { type JsonValue } from '../../facts/api/schema';
import { fieldOf } from '../../manifests/pointer';
import { type RuleWords } from './rule-words';

type Written = readonly [message: string, fix: string];

const NOT_EMPTY: Written = ['must not be empty', 'Set {} to a value that is not empty.'];
const NO_ITEMS: Written = ['must not be empty', 'Add at least one item to {}.'];
const KARPENTER_LABELS = 'karpenter.sh/capacity-type or karpenter.sh/nodepool';
const ALIAS_FIX = 'Set {} to a value such as al2023@latest.';

/** Families of machine images, by the name that an alias has for them. */
const AMI_FAMILIES = {
  al2: 'AL2',
  al2023: 'AL2023',
  bottlerocket: 'Bottlerocket',
  windows2019: 'Windows2019',
  windows2022: 'Windows2022',
  windows2025: 'Windows2025',
} as const;

const familyRules = Object.entries(AMI_FAMILIES).map(([alias, family]): readonly [string, Written] => [
  `!has(self.amiFamily) || (self.amiSelectorTerms.exists(x, has(x.alias) && x.alias.find('^[^@]+') == '${alias}') ? (self.amiFamily == 'Custom' || self.amiFamily == '${family}') : true)`,
  [
    `amiFamily must be Custom or ${family} when an alias in amiSelectorTerms is for ${alias}`,
    `Remove amiFamily from {}, or set it to ${family}.`,
  ],
]);

const noBorrowing = (cohort: string): Written => [
  `borrowingLimit must not be set unless ${cohort} is set`,
  `Set ${cohort} in {}, or remove borrowingLimit from {}.resourceGroups.`,
];

const alone = (field: string, others: string): Written => [
  `${field} must not be set together with ${others}`,
  `In each entry of {} with ${field}, remove ${others.replace(/ or /, ' and ')}, or remove ${field}.`,
];

const withValues = (operator: string): Written => [
  `an entry with the operator ${operator} must have values`,
  `Add values to each entry of {} with the operator ${operator}.`,
];

const WORDS: ReadonlyMap<string, Written> = new Map<string, Written>([
  ['self.size() != 0', NOT_EMPTY],
  ['self >= 1', ['must be at least 1', 'Set {} to at least 1.']],
  ["!self.exists(c, c == 'node')", ['must not contain "node"', 'Remove "node" from {}.']],
  [
    "self.roles.filter(r, !has(r.scaling) || r.scaling.mode != 'External').all(r, !has(r.spec.replicas) || r.spec.replicas == 0) || self.roles.filter(r, !has(r.scaling) || r.scaling.mode != 'External').all(r, has(r.spec.replicas) && r.spec.replicas > 0)",
    [
      'replicas must be 0 in all roles, or more than 0 in all roles; roles with scaling.mode External do not count',
      'Set spec.replicas to a number greater than 0 in all entries of {}.roles, or to 0 in all of them.',
    ],
  ],
  ...familyRules,
  [
    "self.all(k, !k.startsWith('kubernetes.io/cluster') )",
    [
      'keys must not begin with "kubernetes.io/cluster"',
      'Remove the keys that begin with "kubernetes.io/cluster" from {}.',
    ],
  ],
  [
    "self.all(k, k != '' && self[k] != '')",
    [
      'keys and values must not be empty',
      'Set the key and the value of each entry of {} to strings that are not empty.',
    ],
  ],
  [
    'self.filter(x, has(x.rootVolume)?x.rootVolume==true:false).size() <= 1',
    ['only one entry may have rootVolume: true', 'Remove rootVolume from all but one entry of {}.'],
  ],
  [
    "self.split('@')[0] in ['windows2019','windows2022','windows2025'] ? self.split('@')[1] == 'latest' : true",
    ['the version in a Windows alias must be "latest"', 'Set {} to a value such as windows2022@latest.'],
  ],
  [
    "self.split('@')[0] in ['al2','al2023','bottlerocket','windows2019','windows2022','windows2025']",
    ['the part before the "@" must be al2, al2023, bottlerocket, windows2019, windows2022, or windows2025', ALIAS_FIX],
  ],
  ["self.matches('^[a-zA-Z0-9]+@.+$')", ['must have the form <family>@<version>', ALIAS_FIX]],
  [
    'self in ["karpenter.sh/capacity-type", "karpenter.sh/nodepool"] || !self.find("^([^/]+)").endsWith("karpenter.sh")',
    [
      `a label in the domain karpenter.sh must be ${KARPENTER_LABELS}`,
      `Set {} to ${KARPENTER_LABELS}, or to a label of another domain.`,
    ],
  ],
  [
    'self.all(x, x in ["karpenter.sh/capacity-type", "karpenter.sh/nodepool"] || !x.find("^([^/]+)").endsWith("karpenter.sh"))',
    [`a label in the domain karpenter.sh must be ${KARPENTER_LABELS}`, 'Remove the other karpenter.sh labels from {}.'],
  ],
  [
    "self.all(x, (x.operator == 'In' && has(x.minValues)) ? x.values.size() >= x.minValues : true)",
    [
      'an entry with the operator In must have at least minValues values',
      'In each entry of {} with the operator In, add values, or lower minValues to the number of values.',
    ],
  ],
  ["self.all(x, x.operator == 'In' ? x.values.size() != 0 : true)", withValues('In')],
  ["self.all(x, x.operator == 'NotIn' ? x.values.size() != 0 : true)", withValues('NotIn')],
  [
    "self.all(x, (x.operator == 'Gt' || x.operator == 'Lt' || x.operator == 'Gte' || x.operator == 'Lte') ? (x.values.size() == 1 && int(x.values[0]) >= 0) : true)",
    [
      'an entry with the operator Gt, Gte, Lt, or Lte must have exactly one value, an integer greater than or equal to 0',
      'In each entry of {} with one of these operators, set values to one integer, for example ["4"].',
    ],
  ],
  [
    "!has(self.shardingStrategy) || !has(self.shardingStrategy.mode) || self.shardingStrategy.mode != 'Topology' || !has(self.shardingStrategy.topology) || !has(self.shardingStrategy.topology.values) || self.shardingStrategy.topology.values.size() == 0 || (has(self.shards) ? self.shards : 1) >= self.shardingStrategy.topology.values.size()",
    [
      'shards must be greater than or equal to the number of values in shardingStrategy.topology',
      'Increase {}.shards, or remove values from {}.shardingStrategy.topology.',
    ],
  ],
  [
    "!(has(self.mode) && self.mode == 'DaemonSet' && has(self.shards) && self.shards > 1)",
    ['shards must not be more than 1 when mode is DaemonSet', 'Remove shards from {}.'],
  ],
  [
    '!has(self.topologyName) || self.nodeLabels.size() >= 1',
    ['nodeLabels must not be empty when topologyName is set', 'Add a label to {}.nodeLabels, or remove topologyName.'],
  ],
  [
    '!has(self.minReplicaCount) || self.minReplicaCount <= (has(self.maxReplicaCount) ? self.maxReplicaCount : 100)',
    [
      'minReplicaCount must be less than or equal to maxReplicaCount, which defaults to 100',
      'Decrease {}.minReplicaCount, or increase {}.maxReplicaCount.',
    ],
  ],
  [
    "size(self.filter(i, i.nodeLabel == 'kubernetes.io/hostname')) == 0 || self[size(self) - 1].nodeLabel == 'kubernetes.io/hostname'",
    ['kubernetes.io/hostname must be the last level', 'Move the level kubernetes.io/hostname to the end of {}.'],
  ],
  [
    'size(self.filter(i, size(self.filter(j, j == i)) > 1)) == 0',
    ['entries must be unique', 'Remove the duplicate entries from {}.'],
  ],
  [
    "self.metadata.name.matches('^[a-z]([-a-z0-9]*[a-z0-9])?$')",
    [
      'the name must consist of lowercase letters, digits, and "-", start with a letter, and not end with "-"',
      'Set metadata.name to a name such as train-70b.',
    ],
  ],
  [
    'size(self.metadata.name) <= 63',
    ['the name must be no more than 63 characters', 'Shorten metadata.name to at most 63 characters.'],
  ],
  [
    'has(self.minCount) ? self.minCount <= self.count : true',
    ['minCount must be less than or equal to count', 'Decrease {}.minCount, or increase {}.count.'],
  ],
  [
    "has(self.status) && has(self.status.conditions) && self.status.conditions.exists(c, c.type == 'QuotaReserved' && c.status == 'True') && has(self.status.admission) ? size(self.spec.podSets) == size(self.status.admission.podSetAssignments) : true",
    [
      'status.admission.podSetAssignments must have one entry for each entry of spec.podSets',
      'Remove status, which Kueue sets.',
    ],
  ],
  ...['cohortName', 'cohort'].map((cohort): readonly [string, Written] => [
    `!has(self.${cohort}) && has(self.resourceGroups) ? self.resourceGroups.all(rg, rg.flavors.all(f, f.resources.all(r, !has(r.borrowingLimit)))) : true`,
    noBorrowing(cohort),
  ]),
  [
    'self.flavors.all(x, size(x.resources) == size(self.coveredResources))',
    [
      'resources of each flavor must have one entry for each resource in coveredResources',
      'Set resources in each entry of {}.flavors to one entry for each resource in coveredResources.',
    ],
  ],
  [
    '!self.exists(x, has(x.alias) && (has(x.id) || has(x.tags) || has(x.name) || has(x.owner)))',
    alone('alias', 'id, tags, name, or owner'),
  ],
  [
    '!self.exists(x, has(x.id) && (has(x.alias) || has(x.tags) || has(x.name) || has(x.owner)))',
    alone('id', 'alias, tags, name, or owner'),
  ],
  [
    '!self.all(x, has(x.id) && (has(x.tags) || has(x.ownerID) || has(x.instanceMatchCriteria)))',
    alone('id', 'tags, ownerID, or instanceMatchCriteria'),
  ],
  ['!self.all(x, has(x.id) && (has(x.tags) || has(x.name)))', alone('id', 'tags or name')],
  ['!self.all(x, has(x.id) && has(x.tags))', alone('id', 'tags')],
  ['!self.all(x, has(x.name) && (has(x.tags) || has(x.id)))', alone('name', 'tags or id')],
  [
    '!(self.exists(x, has(x.alias)) && self.size() != 1)',
    ['an entry with an alias must be the only entry', 'Keep only the entry with the alias in {}.'],
  ],
  [
    "self.all(x, self.filter(y, x.networkCardIndex == y.networkCardIndex && x.deviceIndex == y.deviceIndex).size() == 1 && (x.interfaceType != 'efa-only' || self.filter(y, x.networkCardIndex == y.networkCardIndex && y.interfaceType == 'efa-only').size() == 1))",
    [
      'no two entries may have the same networkCardIndex and deviceIndex, and only one entry for each network card may have interfaceType: efa-only',
      'Set a different networkCardIndex or deviceIndex in each entry of {}, and interfaceType: efa-only in at most one for each network card.',
    ],
  ],
  [
    "self.size() == 0 || self.exists(x, x.deviceIndex == 0 && x.networkCardIndex == 0 && x.interfaceType == 'interface')",
    [
      'one entry must have deviceIndex: 0, networkCardIndex: 0, and interfaceType: interface',
      'Set deviceIndex: 0, networkCardIndex: 0, and interfaceType: interface in one entry of {}.',
    ],
  ],
  [
    'self.amiSelectorTerms.exists(x, has(x.alias)) ? true : has(self.amiFamily)',
    [
      'amiFamily must be set unless an entry of amiSelectorTerms has an alias',
      'Set {}.amiFamily, or set alias in {}.amiSelectorTerms.',
    ],
  ],
  [
    "!has(self.replicas) || (!has(self.limits) || size(self.limits) == 0 || (size(self.limits) == 1 && 'nodes' in self.limits))",
    [
      'limits must contain no resource other than nodes when replicas is set',
      'Remove all resources other than nodes from {}.limits, or remove {}.replicas.',
    ],
  ],
  [
    'self.slices.all(x, size(x.valuesPerLevel) == size(self.levels))',
    [
      'valuesPerLevel of each slice must have as many entries as levels',
      'Set valuesPerLevel in each entry of {}.slices to one entry for each entry of levels.',
    ],
  ],
  [
    "!(has(self.startupPolicy) && self.startupPolicy.startupPolicyOrder == 'InOrder' && self.replicatedJobs.exists(x, has(x.dependsOn)))",
    [
      'dependsOn must not be set in replicatedJobs when startupPolicy.startupPolicyOrder is InOrder',
      'Remove startupPolicy from {}, or dependsOn from {}.replicatedJobs.',
    ],
  ],
  [
    '!has(self.podCounts.individual) || size(self.podCounts.individual) == self.domainCount',
    [
      'podCounts.individual must have as many entries as domainCount',
      'Set one number for each domain in {}.podCounts.individual.',
    ],
  ],
  [
    'self.valuesPerLevel.all(x, !has(x.individual) || size(x.individual.roots) == self.domainCount)',
    [
      'individual.roots must have as many entries as domainCount',
      'Set one root for each domain in individual.roots of {}.valuesPerLevel.',
    ],
  ],
  [
    'has(self.default) && self.default ? !has(self.nodeSelector) || size(self.nodeSelector) == 0 : true',
    ['nodeSelector must be empty when default is true', 'Remove nodeSelector from {}, or set {}.default to false.'],
  ],
  [
    "self == '' || self.matches('^[A-Za-z][A-Za-z0-9+.-]*://.+$')",
    ['must be a URI with a scheme', 'Set {} to a URI such as s3://bucket/path.'],
  ],
  [
    "!(has(self.template.spectrumXOptimized) && self.template.spectrumXOptimized.enabled) || (self.nicSelector.nicType == '1023' || self.nicSelector.nicType == 'a2dc')",
    [
      'nicType must be 1023 or a2dc when spectrumXOptimized.enabled is true',
      'Set nicSelector.nicType in {} to 1023 or a2dc, or remove template.spectrumXOptimized.',
    ],
  ],
  [
    "!(has(self.spectrumXOptimized) && self.spectrumXOptimized.enabled) || (self.linkType == 'Ethernet' && self.numVfs == 1)",
    [
      'linkType must be Ethernet and numVfs must be 1 when spectrumXOptimized.enabled is true',
      'Set linkType: Ethernet and numVfs: 1 in {}, or remove {}.spectrumXOptimized.',
    ],
  ],
  [
    '!(has(self.spectrumXOptimized) && self.spectrumXOptimized.enabled) || !(has(self.roceOptimized) && self.roceOptimized.enabled)',
    [
      'roceOptimized and spectrumXOptimized must not both be enabled',
      'Remove {}.roceOptimized or {}.spectrumXOptimized.',
    ],
  ],
  [
    '!(has(self.spectrumXOptimized) && self.spectrumXOptimized.enabled) || !has(self.rawNvConfig) || size(self.rawNvConfig) == 0',
    [
      'rawNvConfig must be empty when spectrumXOptimized.enabled is true',
      'Remove {}.rawNvConfig or {}.spectrumXOptimized.',
    ],
  ],
  [
    'self.templates.all(t, !has(t.metadata.namespace) || size(t.metadata.namespace) == 0)',
    ['metadata.namespace must not be set in templates', 'Remove metadata.namespace from {}.templates.'],
  ],
  [
    '!has(self.clusterName) || (!has(self.nominatedClusterNames) || (has(self.nominatedClusterNames) && size(self.nominatedClusterNames) == 0))',
    [
      'clusterName and nominatedClusterNames must not be set together',
      'Remove clusterName or nominatedClusterNames from {}.',
    ],
  ],
]);

/** The rules that have words here. */
export const WRITTEN_RULES: readonly string[] = [...WORDS.keys()];

/** What the rule requires, for a value that violates it; `undefined` for a rule without words here. */
export function writtenWords(rule: string, self: JsonValue, place: string): RuleWords | undefined {
  const written = WORDS.get(rule.replaceAll(/\s+/g, ' ').trim());
  if (written === undefined) {
    return undefined;
  }
  // An empty list violates "not all entries", whatever is asked of an entry.
  const [message, fix] =
    Array.isArray(self) && self.length === 0 && (rule.startsWith('!self.all(') || written === NOT_EMPTY)
      ? NO_ITEMS
      : written;
  return { message, fix: (place === fieldOf('') ? fix.replaceAll('{}.', '') : fix).replaceAll('{}', place) };
}
