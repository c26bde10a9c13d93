/**
 * Faults and remediation of a scenario file.
 */
import { isObject } from '../../manifests/read';
import { type ClusterNode } from '../../placement';
import { type Fields } from '../cluster/files/fields';
import { DEFAULT_REMEDIATION, MARKS, readRemediationSettings, RemediationSettingsError } from '../remediation';
import { matches } from './read-expectations';
import { type FaultRepair, type ScenarioEvent, type ScenarioFault, type ScenarioRemediation } from './scenario';

/** Settings of remediation as its program reads them, and `dryRun`; `default` for the default rules. */
export function readRemediation(fields: Fields): ScenarioRemediation | undefined {
  const value = fields.raw('remediation');
  if (value === undefined) {
    return undefined;
  }
  if (value === 'default') {
    return { settings: DEFAULT_REMEDIATION, dryRun: false };
  }
  if (!isObject(value)) {
    fields.wrong('remediation', value, 'a map of settings, or default');
    return undefined;
  }
  const { dryRun = false, ...settings } = value;
  if (typeof dryRun !== 'boolean') {
    fields.wrong('remediation.dryRun', dryRun, 'true or false');
  }
  try {
    return { settings: readRemediationSettings(settings), dryRun: dryRun === true };
  } catch (error) {
    if (!(error instanceof RemediationSettingsError)) {
      throw error;
    }
    error.message.split('\n').forEach((message) => fields.wrongAt('remediation', `is invalid: ${message}`));
    return undefined;
  }
}

const REPAIRS: readonly FaultRepair[] = ['restart-device-plugin', ...MARKS];

interface FaultFields {
  readonly device: readonly string[] | undefined;
  readonly link: readonly string[] | undefined;
  readonly condition: string | undefined;
  readonly alert: string | undefined;
  readonly on: readonly string[] | undefined;
  readonly devices: number | undefined;
  readonly speed: number | undefined;
  readonly lasts: number | undefined;
  readonly endedBy: FaultRepair | undefined;
  readonly takes: number | undefined;
}

function fieldsOfFault(fields: Fields): FaultFields {
  return {
    device: fields.texts('deviceFault'),
    link: fields.texts('linkFault'),
    condition: fields.text('condition'),
    alert: fields.text('alert'),
    on: fields.texts('nodes'),
    devices: fields.number('devices', { least: 1, whole: true }),
    speed: fields.number('speed', { least: 0, most: 1 }),
    lasts: fields.duration('for'),
    endedBy: fields.oneOf<FaultRepair>('endedBy', REPAIRS),
    takes: fields.duration('takes'),
  };
}

/** Fields that have a meaning only beside another one. */
function checkFields(fields: Fields, { device, link, condition, alert, on, ...rest }: FaultFields): void {
  const isNamed = condition !== undefined || alert !== undefined;
  if (rest.devices !== undefined && device === undefined) {
    fields.wrongAt('devices', 'must not be set without deviceFault');
  }
  if (rest.speed !== undefined && link === undefined) {
    fields.wrongAt('speed', 'must not be set without linkFault');
  }
  if (rest.takes !== undefined && rest.endedBy === undefined) {
    fields.wrongAt('takes', 'must not be set without endedBy');
  }
  if (on !== undefined && !isNamed) {
    fields.wrongAt('nodes', 'must not be set without condition or alert');
  }
  if (on === undefined && isNamed && device === undefined && link === undefined) {
    fields.wrongAt('nodes', 'is required; set the nodes that have the condition or the alert');
  }
}

/** `deviceFault`, `linkFault`, `condition`, and `alert`. */
export function readFaults(fields: Fields, at: number, nodes: readonly ClusterNode[]): readonly ScenarioEvent[] {
  const read = fieldsOfFault(fields);
  checkFields(fields, read);
  const { device, link, condition, alert, on, devices, speed, lasts, endedBy, takes } = read;
  const isFault = device !== undefined || link !== undefined;
  const faultOf = (key: string, patterns: readonly string[], more: Partial<ScenarioFault>): ScenarioEvent[] => {
    const named = nodes.map(({ name }) => name).filter((name) => patterns.some((pattern) => matches(pattern, name)));
    if (named.length === 0) {
      fields.wrong(key, patterns.join(', '), 'names of nodes, or a pattern such as rack-2-* that matches a node');
    }
    const fault: ScenarioFault = {
      nodes: named,
      ...(condition === undefined ? {} : { condition }),
      ...(alert === undefined ? {} : { alert }),
      ...(endedBy === undefined ? {} : { endedBy, takesSeconds: takes ?? 0 }),
      ...more,
    };
    return [
      { at, kind: 'fault', fault },
      ...(lasts === undefined ? [] : [{ at: at + lasts, kind: 'fault-ends', fault } as const]),
    ];
  };
  return [
    ...(device === undefined
      ? []
      : faultOf('deviceFault', device, { devices: devices ?? 1, condition: condition ?? 'AcceleratorsMissing' })),
    ...(link === undefined
      ? []
      : faultOf('linkFault', link, { speed: speed ?? 0, condition: condition ?? 'RdmaDegraded' })),
    ...(on === undefined || isFault ? [] : faultOf('nodes', on, {})),
  ];
}
