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
    error.message.split('\n').forEach((message) => fields.wrongAt('remediation', `is wrong: ${message}`));
    return undefined;
  }
}

const REPAIRS: readonly FaultRepair[] = ['restart-device-plugin', ...MARKS];

/** `deviceFault`, `linkFault`, `condition`, and `alert`. */
export function readFaults(fields: Fields, at: number, nodes: readonly ClusterNode[]): readonly ScenarioEvent[] {
  const device = fields.texts('deviceFault');
  const link = fields.texts('linkFault');
  const condition = fields.text('condition');
  const alert = fields.text('alert');
  const on = fields.texts('nodes');
  const devices = fields.number('devices', { least: 1, whole: true });
  const speed = fields.number('speed', { least: 0, most: 1 });
  const lasts = fields.duration('for');
  const endedBy = fields.oneOf<FaultRepair>('endedBy', REPAIRS);
  const takes = fields.duration('takes');
  if (devices !== undefined && device === undefined) {
    fields.wrongAt('devices', 'must not be set without deviceFault');
  }
  if (speed !== undefined && link === undefined) {
    fields.wrongAt('speed', 'must not be set without linkFault');
  }
  if (takes !== undefined && endedBy === undefined) {
    fields.wrongAt('takes', 'must not be set without endedBy');
  }
  const isNamed = condition !== undefined || alert !== undefined;
  const isFault = device !== undefined || link !== undefined;
  if (on !== undefined && !isNamed) {
    fields.wrongAt('nodes', 'must not be set without condition or alert');
  }
  if (on === undefined && isNamed && !isFault) {
    fields.wrongAt('nodes', 'is required; set the nodes that have the condition or the alert');
  }
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
