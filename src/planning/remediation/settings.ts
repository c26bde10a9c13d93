/**
 * Reads the settings of remediation from a value, such as a configuration file. Every problem is reported, with its path.
 */
import { type JsonObject, type JsonValue } from '../../facts/api/schema';
import { isObject } from '../../manifests/read';
import {
  DEFAULT_REMEDIATION,
  REMEDIATION_ACTIONS,
  type RemediationAction,
  type RemediationCause,
  type RemediationRule,
  type RemediationSettings,
} from './rules';

/** Settings that cannot be used; the message has one line for each problem. */
export class RemediationSettingsError extends Error {
  override readonly name = 'RemediationSettingsError';
}

const MOST_RULES = 100;
const MOST_SECONDS = 7 * 24 * 3600;
const LABEL_KEY = /^([a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?\/)?[A-Za-z0-9]([A-Za-z0-9._-]{0,61}[A-Za-z0-9])?$/;
const NAME = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/;
const IDENTIFIER = /^[A-Za-z0-9_][A-Za-z0-9_./:-]{0,315}$/;

/** @throws RemediationSettingsError */
export function readRemediationSettings(value: JsonValue): RemediationSettings {
  return new Reader().settings(value);
}

class Reader {
  private readonly problems: string[] = [];

  settings(value: JsonValue): RemediationSettings {
    const fields = this.object(value, 'the settings', Object.keys(DEFAULT_REMEDIATION));
    const base = DEFAULT_REMEDIATION;
    const settings: RemediationSettings = {
      rules: fields.rules === undefined ? base.rules : this.rules(fields.rules),
      maxUnavailablePercent: this.number(fields, 'maxUnavailablePercent', 1, 100, base.maxUnavailablePercent),
      maxPerRack: this.number(fields, 'maxPerRack', 1, 10_000, base.maxPerRack),
      healthySeconds: this.number(fields, 'healthySeconds', 0, MOST_SECONDS, base.healthySeconds),
      poolLabel: this.text(fields, 'poolLabel', LABEL_KEY, 'a label key', base.poolLabel),
      rackLabel: this.text(fields, 'rackLabel', LABEL_KEY, 'a label key', base.rackLabel),
      devicePluginNamespace: this.text(
        fields,
        'devicePluginNamespace',
        NAME,
        'a namespace name',
        base.devicePluginNamespace,
      ),
      devicePluginLabels:
        fields.devicePluginLabels === undefined
          ? base.devicePluginLabels
          : this.texts(fields.devicePluginLabels, 'devicePluginLabels'),
      repairAnnotation: this.text(fields, 'repairAnnotation', LABEL_KEY, 'an annotation key', base.repairAnnotation),
    };
    if (Object.keys(settings.devicePluginLabels).length === 0) {
      this.problems.push('devicePluginLabels must have at least one label, or it would select every pod');
    }
    if (this.problems.length > 0) {
      throw new RemediationSettingsError(this.problems.join('\n'));
    }
    return settings;
  }

  private rules(value: JsonValue): readonly RemediationRule[] {
    if (!Array.isArray(value) || value.length > MOST_RULES) {
      this.problems.push(`rules must be a list of at most ${MOST_RULES} rules`);
      return [];
    }
    const rules = value.map((rule: JsonValue, index) => this.rule(rule, `rules[${index}]`));
    const names = rules.map(({ name }) => name);
    names.forEach((name, index) => {
      if (names.indexOf(name) !== index) {
        this.problems.push(`rules[${index}].name: duplicate value "${name}"`);
      }
    });
    return rules;
  }

  private rule(value: JsonValue, at: string): RemediationRule {
    const fields = this.object(value, at, ['name', 'cause', 'afterSeconds', 'actions', 'graceSeconds']);
    return {
      name: this.text(fields, 'name', NAME, 'lowercase letters, digits, and hyphens', undefined, at),
      cause: this.cause(fields.cause, `${at}.cause`),
      afterSeconds: this.number(fields, 'afterSeconds', 0, MOST_SECONDS, 0, at),
      actions: this.actions(fields.actions, `${at}.actions`),
      ...(fields.graceSeconds === undefined
        ? {}
        : { graceSeconds: this.number(fields, 'graceSeconds', 0, MOST_SECONDS, 0, at) }),
    };
  }

  private actions(value: JsonValue | undefined, at: string): readonly RemediationAction[] {
    const isAction = (one: JsonValue): one is RemediationAction => REMEDIATION_ACTIONS.some((action) => action === one);
    const list: readonly JsonValue[] = Array.isArray(value) ? value : [];
    if (list.length === 0 || !list.every(isAction) || new Set(list).size !== list.length) {
      this.problems.push(`${at} must be a list of one or more different actions of ${REMEDIATION_ACTIONS.join(', ')}`);
      return [];
    }
    if (list.includes('evict') && list.includes('move')) {
      this.problems.push(`${at} must not have both evict and move`);
    }
    return list.filter(isAction);
  }

  private cause(value: JsonValue | undefined, at: string): RemediationCause {
    const fields = this.object(value, at, ['condition', 'alert', 'labels', 'nodeLabel', 'report']);
    const kinds = ['condition', 'alert', 'report'].filter((kind) => fields[kind] !== undefined);
    const hasLabels = fields.labels !== undefined || fields.nodeLabel !== undefined;
    if (kinds.length !== 1 || (hasLabels && kinds[0] !== 'alert')) {
      this.problems.push(`${at} must have exactly one of condition, alert (with labels and nodeLabel), and report`);
    }
    if (fields.alert !== undefined) {
      return {
        alert: this.text(fields, 'alert', IDENTIFIER, 'the name of an alert', '', at),
        ...(fields.labels === undefined ? {} : { labels: this.texts(fields.labels, `${at}.labels`) }),
        ...(fields.nodeLabel === undefined
          ? {}
          : { nodeLabel: this.text(fields, 'nodeLabel', IDENTIFIER, 'the name of a label', '', at) }),
      };
    }
    if (fields.report !== undefined) {
      return { report: this.report(fields.report, `${at}.report`) };
    }
    return { condition: this.text(fields, 'condition', IDENTIFIER, 'the type of a node condition', '', at) };
  }

  private report(
    value: JsonValue,
    at: string,
  ): { readonly devicesBelow?: number; readonly freeMemoryBelowMiB?: number } {
    const fields = this.object(value, at, ['devicesBelow', 'freeMemoryBelowMiB']);
    if (Object.keys(fields).length === 0) {
      this.problems.push(`${at} must have devicesBelow or freeMemoryBelowMiB`);
    }
    const bound = (key: 'devicesBelow' | 'freeMemoryBelowMiB', most: number): object =>
      fields[key] === undefined ? {} : { [key]: this.number(fields, key, 1, most, 1, at) };
    return { ...bound('devicesBelow', 1024), ...bound('freeMemoryBelowMiB', 2 ** 30) };
  }

  private object(value: JsonValue | undefined, at: string, keys: readonly string[]): JsonObject {
    if (!isObject(value)) {
      this.problems.push(`${at} must be an object`);
      return {};
    }
    for (const key of Object.keys(value).filter((one) => !keys.includes(one))) {
      this.problems.push(`${at}: unknown field "${key}"; the fields are ${keys.join(', ')}`);
    }
    return Object.fromEntries(keys.flatMap((key) => (Object.hasOwn(value, key) ? [[key, value[key]]] : [])));
  }

  private number(fields: JsonObject, key: string, least: number, most: number, otherwise: number, at?: string): number {
    const value = fields[key] ?? otherwise;
    if (typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most) {
      return value;
    }
    this.problems.push(
      `${pathOf(at, key)} must be a whole number from ${least} to ${most}, not ${JSON.stringify(value)}`,
    );
    return otherwise;
  }

  private text(
    fields: JsonObject,
    key: string,
    form: RegExp,
    expected: string,
    otherwise?: string,
    at?: string,
  ): string {
    const value = fields[key] ?? otherwise;
    if (typeof value === 'string' && form.test(value)) {
      return value;
    }
    this.problems.push(`${pathOf(at, key)} must be ${expected}, not ${JSON.stringify(value)}`);
    return '';
  }

  private texts(value: JsonValue, at: string): Readonly<Record<string, string>> {
    if (!isObject(value) || Object.values(value).some((text) => typeof text !== 'string')) {
      this.problems.push(`${at} must be an object of strings`);
      return {};
    }
    return value as Readonly<Record<string, string>>;
  }
}

function pathOf(at: string | undefined, key: string): string {
  return at === undefined ? key : `${at}.${key}`;
}
