import { networksIn, readNetworks } from '../../src/manifests/network-annotation';

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
  ['rdma network', 'other characters'],
  ['net.a', 'other characters'],
  ['a,,b', 'between two commas'],
  ['a/b/c', 'not [namespace/]name'],
  ['a@an-interface-too-long', 'no name of an interface'],
  ['{"name":"a"}', 'not a list'],
  ['"a"', 'not a list'],
  ['[{"namespace":"a"}]', 'no name'],
  ['[{"name":"a","mac":"12:34"}]', 'no hardware address'],
  ['[{"name":"a"', 'looks like JSON'],
])('%s is refused', (text, complaint) => {
  expect(readNetworks(text)).toMatchObject({ complaint: expect.stringContaining(complaint) as string });
});
