import { networksIn, readNetworks } from '../../../src/manifests/references/network-annotation';

test.each([
  ['rdma', [{ name: 'rdma' }]],
  ['research/rdma@net1', [{ namespace: 'research', name: 'rdma', interface: 'net1' }]],
  [' a , b ', [{ name: 'a' }, { name: 'b' }]],
  [
    '[{"name":"a","namespace":"b","interface":"ib0","infiniband-guid":"02:00:00:00:00:00:00:01"}]',
    [{ name: 'a', namespace: 'b', interface: 'ib0' }],
  ],
  [' [{"name": "a", "ips": ["10.0.0.1/24"], "mac": "c2:b0:57:49:47:f1"}]', [{ name: 'a' }]],
])('%s is read as Multus reads it', (text, networks) => {
  expect(networksIn(text)).toMatchObject(networks);
});

test.each([
  ['rdma network', 'must consist of lowercase letters, digits, and hyphens'],
  ['net.a', 'must consist of lowercase letters, digits, and hyphens'],
  ['a,,b', 'an item of the list is empty'],
  ['a/b/c', 'not [namespace/]name'],
  ['a@an-interface-too-long', 'is not a valid interface name'],
  ['{"name":"a"}', 'the JSON must be a list'],
  ['"a"', 'the JSON must be a list'],
  ['[{"namespace":"a"}]', 'item 0: name is required'],
  ['[{"name":"default/nad"}]', 'item 0: name must be "nad", with namespace "default"'],
  ['[{"name":"a","mac":"12:34"}]', 'is not a valid hardware address'],
  ['[{"name":"a"', 'must be a valid JSON list or a comma-separated list of names'],
])('%s is refused', (text, complaint) => {
  expect(readNetworks(text)).toMatchObject({ complaint: expect.stringContaining(complaint) as string });
});
