/**
 * Reads the text of a CNI configuration as Multus and the plugins read it, and notes what they would make of it. No server looks at it:
 * what is wrong shows when a pod does not start.
 *
 * Sources: multus-cni, pkg/types (LoadDelegateNetConf); CNI library; containernetworking/plugins; sriov-cni,
 * ib-sriov-cni, ipoib-cni, rdma-cni, whereabouts, nvidia-k8s-ipam.
 */
import { oneOf } from '../../facts/words';
import { type JsonObject, type JsonValue } from '../../facts/api/schema';
import { asArray, asString, isObject } from '../../manifests/read';
import { type Address, isWithin, type Network, parseAddress, parseNetwork } from './addresses';

export type CniProblemKind =
  /** No JSON object: the pod does not start. */
  | 'json'
  /** No plugin is named. */
  | 'type'
  | 'version'
  | 'name'
  /** A setting without which a plugin fails, or one that it does not take. */
  | 'setting'
  | 'ipam'
  /** A plugin that only works after another. */
  | 'chain'
  /** A virtual interface that the kernel does not make on such a device. */
  | 'macvlan-on-infiniband';

export interface CniProblem {
  readonly kind: CniProblemKind;
  readonly message: string;
  readonly found?: JsonValue;
  readonly expected?: string;
  /** What to write. @default - that of the rule */
  readonly fix?: string;
  /** Not certainly wrong. */
  readonly severity?: 'warning' | 'info';
}

export interface CniReading {
  readonly problems: readonly CniProblem[];
  /** The plugins, in the order in which they are run. */
  readonly plugins: readonly JsonObject[];
}

type Note = (kind: CniProblemKind, message: string, more?: Omit<CniProblem, 'kind' | 'message'>) => void;

const VERSIONS = ['0.1.0', '0.2.0', '0.3.0', '0.3.1', '0.4.0', '1.0.0', '1.1.0'];
const NETWORK_NAME = /^[a-zA-Z0-9][\w.-]*$/;
const LINK_STATES = ['auto', 'enable', 'disable'];
const MACVLAN_MODES = ['bridge', 'private', 'vepa', 'passthru'];

/**
 * @param device whether a device is passed on to the plugins: an annotation ties the attachment to a resource
 */
export function readCniConfig(text: string, device: boolean): CniReading {
  const problems: CniProblem[] = [];
  const note: Note = (kind, message, more = {}) => problems.push({ kind, message, ...more });
  const config = parsed('spec.config', text);
  if (typeof config === 'string') {
    note('json', config, { expected: 'a JSON object with cniVersion, name, and type or plugins' });
    return { problems, plugins: [] };
  }
  const list = config.plugins;
  const one = asString(config.type) ?? '';
  const plugins = one === '' ? asArray(list).filter(isObject) : [config];
  if (one === '' && plugins.length === 0) {
    note('type', 'type or plugins must be set in the CNI configuration', {
      expected: 'type, or plugins with a type in each entry',
      fix: 'Set "type" to a CNI plugin, for example "type": "sriov", or "plugins" to a list of plugins.',
    });
  }
  for (const plugin of plugins) {
    if ((asString(plugin.type) ?? '') === '') {
      note('type', 'type must be set in each entry of plugins', {
        fix: 'Set "type" to the name of a CNI plugin in each entry of "plugins".',
      });
    }
  }
  readVersion(config, note);
  readName(config.name, note);
  for (const [index, plugin] of plugins.entries()) {
    readPlugin(plugin, { device, first: index === 0 }, note);
  }
  return { problems, plugins };
}

/** A plugin's `ipam` of its own: the text in the networks of an operator. */
export function readIpam(text: string): readonly CniProblem[] {
  const problems: CniProblem[] = [];
  const ipam = parsed('spec.ipam', text);
  if (typeof ipam === 'string') {
    return [
      {
        kind: 'json',
        message: ipam,
        expected: 'a JSON object with a type, for example {"type":"whereabouts","range":"192.168.100.0/24"}',
      },
    ];
  }
  noteIpam(ipam, (kind, message, more = {}) => problems.push({ kind, message, ...more }));
  return problems;
}

function parsed(field: string, text: string): JsonObject | string {
  try {
    const value = JSON.parse(text) as JsonValue;
    return isObject(value) ? value : `${field} must be a JSON object`;
  } catch (error) {
    return `${field} is not valid JSON: ${error instanceof Error ? error.message : String(error)}`;
  }
}

function readVersion(config: JsonObject, note: Note): void {
  const { cniVersion } = config;
  if (cniVersion === undefined && config.cniVersions === undefined) {
    note('version', 'cniVersion is unset: plugins assume 0.1.0, whose results have only one address', {
      severity: 'info',
      expected: 'cniVersion: 1.0.0',
    });
  } else if (cniVersion !== undefined && (typeof cniVersion !== 'string' || !VERSIONS.includes(cniVersion))) {
    note('version', `cniVersion ${JSON.stringify(cniVersion)} is not a valid version`, {
      found: cniVersion,
      expected: oneOf(VERSIONS.slice(-4)),
    });
  }
}

function readName(name: JsonValue | undefined, note: Note): void {
  if (name === undefined || name === '') {
    note('name', 'name is unset in the CNI configuration, so Multus uses the name of the NetworkAttachmentDefinition', {
      severity: 'info',
      expected: 'the name of the NetworkAttachmentDefinition',
    });
  } else if (typeof name !== 'string') {
    note('name', '"name" must be a string', { found: name });
  } else if (!NETWORK_NAME.test(name)) {
    note('name', `"${name}" is not a valid network name`, {
      found: name,
      expected: 'letters, digits, "_", ".", and "-", with a letter or digit at the beginning',
      fix: 'Set "name" to letters, digits, "_", ".", and "-", with a letter or digit at the beginning.',
    });
  }
}

interface Place {
  readonly device: boolean;
  readonly first: boolean;
}

function readPlugin(plugin: JsonObject, place: Place, note: Note): void {
  const type = asString(plugin.type) ?? '';
  if (isObject(plugin.ipam)) {
    noteIpam(plugin.ipam, note);
  } else if (plugin.ipam !== undefined && plugin.ipam !== null) {
    note('ipam', 'ipam must be an object', { found: plugin.ipam });
  }
  if (type === 'sriov' || type === 'ib-sriov') {
    readSriov(plugin, place, note);
  } else if (type === 'macvlan') {
    readMacvlan(plugin, note);
  } else if (type === 'ipoib') {
    readIpoib(plugin, note);
  } else if (type === 'host-device') {
    readHostDevice(plugin, place, note);
  } else if (type === 'rdma' && place.first) {
    note('chain', 'the rdma plugin must not be the first plugin: it needs an interface from an earlier plugin', {
      expected: 'plugins: sriov (or ib-sriov, host-device), then rdma',
    });
  } else if (type === 'tuning' && place.first) {
    note('chain', 'the tuning plugin must not be the first plugin: it needs an interface from an earlier plugin', {
      expected: 'plugins: macvlan (or another), then tuning',
      fix: 'Set "plugins" to a list: [{"type": "macvlan", …}, {"type": "tuning", …}].',
    });
  }
}

function readVlan({ vlan, vlanQoS, vlanProto }: JsonObject, note: Note): void {
  if (typeof vlan === 'number' && (vlan < 0 || vlan > 4094)) {
    note('setting', `vlan must be between 0 and 4094, but is ${vlan}`, { found: vlan, expected: '0 to 4094' });
  }
  if (typeof vlanQoS === 'number') {
    if (vlanQoS < 0 || vlanQoS > 7) {
      note('setting', `vlanQoS must be between 0 and 7, but is ${vlanQoS}`, { found: vlanQoS, expected: '0 to 7' });
    } else if (vlan === undefined || (vlan === 0 && vlanQoS !== 0)) {
      note('setting', 'vlanQoS requires vlan', { found: vlanQoS, expected: 'vlan: 1 to 4094' });
    }
  }
  const proto = asString(vlanProto)?.toLowerCase();
  if (proto !== undefined && proto !== '802.1q' && proto !== '802.1ad') {
    note('setting', `unsupported value "${proto}" for vlanProto`, { found: vlanProto, expected: '802.1q or 802.1ad' });
  }
}

function readSriov(plugin: JsonObject, { device }: Place, note: Note): void {
  const { link_state: state } = plugin;
  if (!device && (asString(plugin.deviceID) ?? '') === '') {
    note('setting', `the ${asString(plugin.type) ?? ''} plugin requires a virtual function, but none is configured`, {
      expected: 'the annotation k8s.v1.cni.cncf.io/resourceName',
      fix: 'Set metadata.annotations["k8s.v1.cni.cncf.io/resourceName"] to the resource name of the virtual functions.',
    });
  }
  readVlan(plugin, note);
  if (typeof state === 'string' && state !== '' && !LINK_STATES.includes(state)) {
    note('setting', `unsupported value "${state}" for link_state`, { found: state, expected: oneOf(LINK_STATES) });
  }
}

function readMacvlan({ mode, mtu, master }: JsonObject, note: Note): void {
  if (typeof mode === 'string' && mode !== '' && !MACVLAN_MODES.includes(mode)) {
    note('setting', `unsupported value "${mode}" for the macvlan mode`, {
      found: mode,
      expected: oneOf(MACVLAN_MODES),
    });
  }
  if (typeof mtu === 'number' && mtu < 0) {
    note('setting', `mtu must be greater than or equal to 0, but is ${mtu}`, { found: mtu });
  }
  if (typeof master === 'string' && /^ib/.test(master)) {
    note('macvlan-on-infiniband', `${master} looks like an InfiniBand interface, which does not support macvlan`, {
      found: master,
      expected: 'type: ipoib',
      severity: 'warning',
    });
  }
}

function readIpoib({ master }: JsonObject, note: Note): void {
  if ((asString(master) ?? '') === '') {
    note('setting', '"master" must be set for the ipoib plugin', {
      expected: 'an InfiniBand interface on the nodes, such as ibs3f1',
      fix: 'Set "master" to an InfiniBand interface on the nodes, such as "ibs3f1".',
    });
  }
}

function readHostDevice(plugin: JsonObject, { device }: Place, note: Note): void {
  const named =
    ['device', 'hwaddr', 'kernelpath', 'pciBusID'].some((key) => (asString(plugin[key]) ?? '') !== '') ||
    isObject(plugin.runtimeConfig);
  if (!device && !named) {
    note('setting', 'the host-device plugin requires a device, but none is configured', {
      fix: 'Set "device", "hwaddr", "kernelpath", or "pciBusID", or the annotation k8s.v1.cni.cncf.io/resourceName.',
      expected: 'device, hwaddr, kernelpath, or pciBusID, or the annotation k8s.v1.cni.cncf.io/resourceName',
    });
  }
}

function noteIpam(ipam: JsonObject, note: Note): void {
  const type = asString(ipam.type) ?? '';
  if (type === '') {
    if (Object.keys(ipam).length > 0) {
      note('ipam', 'ipam.type must be set; without it, the CNI plugin ignores ipam', {
        expected: 'whereabouts, host-local, static, dhcp, or nv-ipam',
        fix: 'Set "type" in "ipam" to whereabouts, host-local, static, dhcp, or nv-ipam.',
      });
    }
    return;
  }
  if (type === 'whereabouts') {
    noteWhereabouts(ipam, note);
  } else if (type === 'host-local') {
    noteHostLocal(ipam, note);
  } else if (type === 'static') {
    for (const address of asArray(ipam.addresses).filter(isObject)) {
      noteNetwork(address.address, 'addresses', note);
    }
  } else if (type === 'nv-ipam' && (asString(ipam.poolName) ?? '') === '') {
    note('ipam', 'ipam.poolName must be set for nv-ipam', {
      expected: 'the name of an IPPool',
      fix: 'Set "poolName" in "ipam" to the name of an IPPool.',
    });
  }
}

function noteWhereabouts(ipam: JsonObject, note: Note): void {
  const ranges = asArray(ipam.ipRanges).filter(isObject);
  if (ipam.range === undefined && ranges.length === 0) {
    note('ipam', 'ipam.range must be set for whereabouts', {
      expected: 'a CIDR such as 192.168.100.0/24',
      fix: 'Set "range" in "ipam" to a CIDR such as "192.168.100.0/24".',
    });
  }
  for (const set of ipam.range === undefined ? ranges : [ipam, ...ranges]) {
    const text = asString(set.range) ?? '';
    // `192.168.2.225-192.168.2.230/28` names the first and the last one as well.
    const [before = '', after] = text.split('-');
    const network = noteNetwork(after === undefined ? text : after.trim(), 'range', note);
    for (const [key, value] of [
      ['range_start', set.range_start],
      ['range_end', set.range_end],
      ...(after === undefined ? [] : [['range', before.trim()] as const]),
    ] as const) {
      noteAddress(value, key, network, note);
    }
    for (const excluded of asArray(set.exclude)) {
      noteNetwork(
        typeof excluded === 'string' && !excluded.includes('/') ? `${excluded}/32` : excluded,
        'exclude',
        note,
      );
    }
  }
  noteAddress(ipam.gateway, 'gateway', undefined, note);
}

function noteHostLocal(ipam: JsonObject, note: Note): void {
  const ranges = [
    ...(ipam.subnet === undefined ? [] : [ipam]),
    ...asArray(ipam.ranges)
      .flatMap((set) => asArray(set))
      .filter(isObject),
  ];
  if (ranges.length === 0) {
    note('ipam', 'ipam.subnet or ipam.ranges must be set for host-local', {
      expected: 'subnet: 10.10.0.0/24, or ranges: [[{subnet: …}]]',
      fix: 'Set "subnet" in "ipam" to a CIDR such as "10.10.0.0/24", or set "ranges".',
    });
  }
  for (const range of ranges) {
    const network = noteNetwork(range.subnet, 'subnet', note);
    const start = noteAddress(range.rangeStart, 'rangeStart', network, note);
    const end = noteAddress(range.rangeEnd, 'rangeEnd', network, note);
    if (start !== undefined && end !== undefined && start.value > end.value) {
      note('ipam', 'rangeStart must not be after rangeEnd', {
        found: range.rangeStart,
        fix: 'Set "rangeStart" to an address that is not after "rangeEnd".',
      });
    }
    noteAddress(range.gateway, 'gateway', undefined, note);
  }
}

function noteNetwork(value: JsonValue | undefined, key: string, note: Note): Network | undefined {
  const network = typeof value === 'string' ? parseNetwork(value) : undefined;
  if (network === undefined) {
    note('ipam', `${key} ${JSON.stringify(value ?? '')} is not a valid network`, {
      found: value,
      expected: 'a CIDR, for example 192.168.100.0/24',
      fix: `Set "${key}" to a CIDR, for example "192.168.100.0/24".`,
    });
  }
  return network;
}

function noteAddress(
  value: JsonValue | undefined,
  key: string,
  network: Network | undefined,
  note: Note,
): Address | undefined {
  if (value === undefined || value === null || value === '') {
    return undefined;
  }
  const address = typeof value === 'string' ? parseAddress(value) : undefined;
  if (address === undefined) {
    note('ipam', `${key} ${JSON.stringify(value)} is not a valid address`, { found: value });
  } else if (network !== undefined && !isWithin(address, network)) {
    note('ipam', `${key} ${JSON.stringify(value)} is outside the network`, { found: value });
  }
  return address;
}
