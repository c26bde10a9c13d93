/**
 * The fix of a violation whose message has a form of Kubernetes validation: it names the field in hand and what to write.
 */
import { fieldFix, fixesByField, fixNaming, fixOfRequirement } from '../../../src/checks/rules/field-fix';
import { nameFix } from '../../../src/checks/rules/name-fix';
import { type ObjectRule } from '../../../src/checks/rules/rule';

const CASES: readonly (readonly [
  path: string,
  message: string,
  expected: string | undefined,
  fix: string | undefined,
])[] = [
  // What must be set.
  ['/spec/leaseName', 'leaseName must be set', undefined, 'Set spec.leaseName to the name of the lease.'],
  ['/spec/usages', 'usages must not be empty', undefined, 'Add at least one usage to spec.usages.'],
  ['/spec/policies', 'policies must not be empty', undefined, 'Add at least one policy to spec.policies.'],
  ['/spec/class', 'class must be set', undefined, 'Set spec.class.'],
  ['/spec/attacher', 'the driver must be set', undefined, 'Set spec.attacher to the name of the CSI driver.'],
  ['/dns/searches/0', 'searches[0] must be set', undefined, 'Set searches[0] to a DNS domain such as example.com.'],
  ['/ports/0/name', 'the port must have a name', 'a DNS label', 'Set ports[0].name to a DNS label.'],
  ['/ports/0/name', 'the port must have a name', undefined, 'Set ports[0].name to a unique name.'],
  ['/spec/signerName', 'the signer must have a domain', undefined, undefined],
  [
    '/spec/strategy',
    'exitCodes must be set in the rule',
    undefined,
    'Set spec.strategy.exitCodes to an object with operator and values.',
  ],
  ['', 'nodeName must be set', undefined, 'Set nodeName to the name of the node.'],
  ['/annotations/a.b~1c', 'nodeName must be set for a mirror pod', undefined, 'Set nodeName to the name of the node.'],
  ['/config/0/opaque', 'opaque must be set', 'opaque', 'Set config[0].opaque to an object with driver and parameters.'],
  ['/nfs/path', 'path must be set', 'a path', 'Set nfs.path to an exported path such as /exports/data.'],
  ['/ref/apiVersion', 'apiVersion must be set', 'such as apps/v1', 'Set ref.apiVersion to a value such as apps/v1.'],
  ['/spec/requests', 'gpu must be set', 'limits["x/gpu"]: 1', 'Set limits["x/gpu"]: 1.'],
  ['/webhooks/0', 'url or service must be set', undefined, 'Set url or service in webhooks[0].'],
  [
    '/c/startupProbe',
    'the probe must have a handler',
    'exec, httpGet or grpc',
    'Set exec, httpGet, or grpc in c.startupProbe.',
  ],
  ['/c/0/name', 'unknown claim "c"', 'an entry in claims', 'Set c[0].name to the name of an entry in claims.'],
  [
    '/v/medium',
    'unsupported medium "m"',
    'Memory, or unset for disk',
    'Set v.medium to Memory, or remove it for disk.',
  ],
  ['/r/verbs', 'the rule must have verbs', undefined, 'Set r.verbs to a list of verbs, such as [get, list].'],
  ['/config/service/name', 'name must be set', undefined, 'Set service.name to the name of the Service.'],
  ['/subjects/0/kind', 'kind must be set', undefined, 'Set subjects[0].kind to the kind of the subject.'],
  [
    '/spec/scaleTargetRef/kind',
    'kind must be set',
    undefined,
    'Set scaleTargetRef.kind to the kind of the scale target.',
  ],
  ['/spec/cel', 'cel must have a baseExpression', undefined, 'Set spec.cel.baseExpression.'],
  ['/codes/0', 'exit code 0 must not be listed, because it is not a failure', undefined, 'Remove codes[0].'],
  [
    '/p/port',
    'the port name "50%" must consist of letters',
    undefined,
    'Set p.port to a number from 1 to 65535, or to the name of a port, such as http.',
  ],
  [
    '/ports/0/name',
    'the port name "50%" must consist of letters',
    undefined,
    'Set ports[0].name to a value that consists of letters.',
  ],
  ['/s/roles', 'roles.Launcher must be set', undefined, 'Set s.roles.Launcher.'],
  // What must not.
  ['/a/id', 'id must not be set in a schema', undefined, 'Remove a.id.'],
  ['/a/tag', 'list-type must be set only for lists', undefined, 'Remove a.tag.'],
  ['/a/b', 'b must not be set unless mode is Indexed', undefined, 'Set mode: Indexed, or remove a.b.'],
  ['/a/endPort', 'endPort must not be set without port', undefined, 'Set port, or remove a.endPort.'],
  [
    '/a/port',
    'the port name "0" must contain at least one letter',
    undefined,
    'Set a.port to a number from 1 to 65535, or to the name of a port, such as http.',
  ],
  ['/a/list/0', 'list[0] must be set', undefined, 'Set list[0] to a string that is not empty, or remove it.'],
  ['/a/value', 'value must not be set when other is set', undefined, 'Remove value or other from a.'],
  [
    '/a/count',
    'count must not be set when mode is All',
    undefined,
    'Remove a.count, or set mode to a value other than All.',
  ],
  [
    '/spec',
    'minAvailable must not be set when maxUnavailable is set',
    undefined,
    'Remove spec.minAvailable or spec.maxUnavailable.',
  ],
  ['/spec/scopes', 'the scopes A and B must not be set together', undefined, 'Remove A or B from spec.scopes.'],
  ['/p/env/0/name', 'X must not be set with y', undefined, 'Remove env[0].'],
  // Values.
  [
    '/p/port',
    'the port must be between 1 and 65535, but is 70000',
    '1-65535',
    'Set p.port to a number from 1 to 65535.',
  ],
  ['/p/n', 'n must be between 0 and the limit', '0-30', 'Set p.n to a number from 0 to 30.'],
  ['/p/n', 'n must be between 0 and the limit', '0 to 30', 'Set p.n to a number from 0 to 30.'],
  ['/p/n', 'n must be greater than 0, but is -1', undefined, 'Set p.n to a number greater than 0.'],
  ['/p/n', 'n must be less than or equal to m (5 > 2)', 'at most 2', 'Set p.n to at most 2.'],
  ['/p/n', 'n must be less than or equal to m (5 > 2)', undefined, 'Set p.n to a number less than or equal to m (2).'],
  ['/p/n', 'n must be at least 10 seconds', undefined, 'Set p.n to at least 10.'],
  ['/p/n', 'n is out of range: 9', '1 to 5', 'Set p.n to a number from 1 to 5.'],
  ['/p/n', 'n is out of range', '1 to 5', 'Set p.n to a number from 1 to 5.'],
  ['/p/n', 'the index must be less than 1', '0 to 0', 'Set p.n to a number less than 1.'],
  ['/p/kind', 'unsupported kind "X"', 'A, B', 'Set p.kind to A or B.'],
  ['/p/kind', 'unsupported kind "X"', 'A, B, C', 'Set p.kind to A, B, or C.'],
  ['/p/kind', 'unsupported kind "X"', undefined, undefined],
  ['/p/ref', 'unknown volume "v"', 'data or logs', 'Set p.ref to data or logs.'],
  ['/p/size', 'size must be integer', 'integer', 'Set p.size to an integer.'],
  ['/p/config', 'must not have more than 32 configurations', undefined, 'Keep at most 32 configurations in p.config.'],
  ['/p/verbs', '"*" must not be combined with other values', undefined, 'Remove the other values from p.verbs.'],
  [
    '/p/v',
    'the volume must have only one source, but has 2',
    undefined,
    'Keep one source of p.v, and remove the others.',
  ],
  [
    '/p/v',
    'the volume must have only one source, but has 2: nfs, csi',
    'one source',
    'Keep nfs or csi in p.v, and remove the other.',
  ],
  [
    '/p/v',
    'the volume must have only one source, but has 3: a, b, c',
    undefined,
    'Keep a, b, or c in p.v, and remove the others.',
  ],
  ['/p/v', 'the volume must have a source', 'a, b, or c', 'Set a, b, or c in p.v.'],
  ['/p/v', 'the target must have an averageValue', undefined, 'Set p.v.averageValue.'],
  ['/p/v', 'a and b must be set together', undefined, 'Set both a and b in p.v, or remove both.'],
  ['/p/v', 'v must be set unless cluster is true', undefined, 'Set p.v, or set cluster: true.'],
  ['/p/v', 'v must not be set when w is unset', undefined, 'Set w, or remove p.v.'],
  ['/p/v', 'v requires w: on', undefined, 'Set w: on, or remove p.v.'],
  ['/p/v', 'x requires w', undefined, undefined],
  ['/p/v', 'must have at most 8 alternatives, but has 21', 'at most 8', 'Keep at most 8 alternatives in p.v.'],
  ['/p/v/3', 'a pod must not have more than one port', undefined, undefined],
  ['/p/v', 'v must have 1 to 100 entries, but has 0', '1-100', 'Set p.v to a list of 1 to 100 entries.'],
  ['/p/v', 'exit codes must be in ascending order', undefined, 'List p.v in ascending order.'],
  [
    '/p/v',
    'the name must be no more than 47 characters, but has 63',
    'at most 47',
    'Shorten p.v to at most 47 characters.',
  ],
  ['/p/v', '"a" is not a valid kind', undefined, 'Set p.v to a valid kind.'],
  ['/p/v', 'the default must be of type object', 'object', 'Set p.v to an object.'],
  ['/p/type', 'the type must be object', 'object', 'Set p.type to object.'],
  ['/p/ref', 'unknown volume "v"', 'one of d, e', 'Set p.ref to d or e.'],
  [
    '/p/ref',
    'unknown volume "v"',
    'a, b, c, d, e, f, g, h, i',
    'Set p.ref to one of the expected values, for example a.',
  ],
  [
    '/p/k',
    'the key must consist of letters, start with a letter, and not end with "-"',
    undefined,
    'Set p.k to a value that consists of letters, starts with a letter, and does not end with "-".',
  ],
  ['/p/0/key', 'duplicate key "k"', 'each key once', 'Set p[0].key to a unique value, or remove the duplicate.'],
  [
    '/p/name',
    'the name "A" must consist of lowercase letters',
    undefined,
    'Set p.name to a value that consists of lowercase letters.',
  ],
  ['/p/kind', 'the kind must not contain "/"', undefined, 'Remove "/" from p.kind.'],
  ['/p/ip', '"x" is not a valid address', 'an IP address', 'Set p.ip to an IP address.'],
  // Keys.
  [
    '/data/a~1b',
    'the key "a/b" must consist of letters',
    undefined,
    'Rename the key "a/b" in data so that it consists of letters.',
  ],
  [
    '/m/labels/a',
    'the label key "a" must have no more than 63 characters after the prefix',
    undefined,
    'Shorten the key in m.labels to at most 63 characters after the prefix.',
  ],
  ['/data/', 'the key "" must not be empty', undefined, 'Rename the key "" in data to a name such as config.yaml.'],
  ['/data/b', 'the key "b" must be c', 'c', undefined],
  ['/ports/-a', '-a must be set', undefined, 'Set ports["-a"].'],
  [
    '/ports/0/name',
    'the port name "1" must contain at least one letter',
    undefined,
    'Set ports[0].name to a name that contains at least one letter, such as http.',
  ],
  // A choice among several fields.
  ['/spec', 'exactly one of a and b must be set', 'a or b', 'Set either a or b in spec.'],
  ['/spec', 'exactly one way to select must be set', 'a or b', undefined],
  // What the form does not decide.
  ['/hard/gpus', 'the name "gpus" must be a standard resource', 'cpu, memory', undefined],
  ['/spec/x', 'x must be set', 'no x', undefined],
  ['/spec/x', 'the pods wait forever', 'fewer pods', undefined],
];

test.each(CASES)('%s: %s (%s): %s', (path, message, expected, fix) => {
  expect(fieldFix({ path, message, expected })).toBe(fix);
});

test('a violation keeps a fix of its own, and one of no known form that of the rule', () => {
  const rule: ObjectRule = {
    id: 'test/rule',
    tier: 'advice',
    severity: 'error',
    summary: 'A.',
    why: 'B.',
    source: 'C',
    fix: 'Set d.',
    on: 'object',
    kinds: ['*'],
    check: () => [
      { path: '/a/b', message: 'b must be set', fix: 'Own.' },
      { path: '/a/b', message: 'b must be set' },
      { path: '/a/b', message: 'the pods wait' },
    ],
  };
  const fixes = [...fixesByField(rule).check({} as never, {} as never)].map(({ fix }) => fix);
  expect(fixes).toEqual(['Own.', 'Set a.b.', undefined]);
});

test.each([
  ['/a/except/0', 'x must be inside y', undefined, 'Set a.peers.', 'Set except[0] to a value that is inside y.'],
  [
    '/a/indexes',
    'the indexes must not exceed 3',
    'such as 0-2',
    'Set a.action.',
    'Set a.indexes to a value such as 0-2.',
  ],
  ['/a/indexes', 'the indexes must not exceed 3', 'such as 0-2', 'Lower Indexes.', undefined],
  ['/a/rule', 'a rule must not use x', undefined, 'Set a.c.', undefined],
  ['/a/group', 'the group must have two templates, but has 1', undefined, 'Set a.c.', undefined],
  ['/a/form', 'the name must be of the form a/b', undefined, 'Set a.c.', 'Set a.form to a value of the form a/b.'],
  ['/a/kind', 'the kind must be Pod', undefined, 'Set a.c.', 'Set a.kind to Pod.'],
  ['/a/api', 'the group must be ""', undefined, 'Set a.c.', 'Set a.api to "".'],
  ['/a/on', 'on must not be true', undefined, 'Set a.c.', 'Set a.on to false.'],
  [
    '/a/scale',
    'scale must be an integer of at least 0, but is "x"',
    undefined,
    'Set a.c.',
    'Set a.scale to an integer of at least 0.',
  ],
  [
    '/a/cel',
    'the expression must evaluate to string',
    undefined,
    'Set a.c.',
    'Set a.cel to a value that evaluates to string.',
  ],
  ['/a/zone', 'zone must be x, but is y', undefined, 'Set a.c.', 'Set a.zone to a value that is x.'],
  ['/a/ctx', 'runAs must not be 0 here', undefined, 'Set a.c.', 'Set a.ctx.runAs to a value that is not 0 here.'],
  ['/a/map', 'the map type must be atomic or granular', undefined, 'Set a.c.', 'Set a.map to atomic or granular.'],
  [
    '/a/expr',
    'it must be a string, or an integer, but is 1',
    undefined,
    'Set a.c.',
    'Set a.expr to a string, or an integer.',
  ],
  ['/a/v', 'it must be no longer than 64 bytes', undefined, 'Set a.c.', 'Shorten a.v to at most 64 bytes.'],
  ['/a/b', 'b is odd', undefined, 'Set a.c.', undefined],
  ['/a/b', 'the key "b" must be c', 'c', 'Set a.d.', undefined],
  ['', 'must be c', 'c', 'Set a.d.', undefined],
  [
    '/a/',
    'the value "b-" must be empty, or end with b',
    undefined,
    'Set a.d.',
    'Set a[""] to a value that is empty, or ends with b.',
  ],
])('%s: %s (%s) under "%s": %s', (path, message, expected, ruleFix, fix) => {
  expect(fixNaming({ path, message, expected }, ruleFix)).toBe(fix);
});

test.each([
  ['/a/url', 'url must not be set in spec', undefined, 'Remove a.url.'],
  ['/a/port', 'the port must be even, but is 3', undefined, 'Set a.port to a value that is even.'],
  ['/a/percent', 'percent must not be set in spec', undefined, undefined],
  ['/a/percent', 'percent must be less than 9, but is 10', undefined, 'Set a.percent to a number less than 9.'],
  ['/a', 'the targets of percent add up to 1', '100', undefined],
  ['/a/url', 'the first url has no scheme', 'https://…', undefined],
  ['/a/from', 'exactly one of b and c must be set', undefined, undefined],
  ['/a/rule', 'the rule must set b or c', undefined, undefined],
])('a requirement on a field that the rule does not name gets its own fix: %s: %s', (path, message, expected, fix) => {
  expect(fixOfRequirement({ path, message, expected }, 'Set percent to 100.')).toBe(fix);
});

test('a fix of several fields is not of the one in hand', () => {
  const said = { path: '/a/host', message: 'the host "A" must be a DNS name' };
  expect(fixOfRequirement(said, 'Set host and path.')).toBe('Set a.host to a DNS name.');
  expect(fixOfRequirement(said, 'Set host.')).toBeUndefined();
});

test('only what a value contains is to be removed from it', () => {
  const fix = (found?: string): string => nameFix('metadata.name', 'not contain "/" or "%"', found);
  expect(fix('10%')).toBe('Remove "%" from metadata.name.');
  expect(fix('a/b%')).toBe('Remove "/" and "%" from metadata.name.');
  expect(fix()).toBe('Remove "/" and "%" from metadata.name.');
});
