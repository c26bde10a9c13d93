/**
 * Triggers of KEDA: the function of `keda.Triggers` for their scaler where it writes the same metadata, `keda.Trigger.custom` elsewhere.
 */
import { GeneratedTriggers } from '../../../../constructs/keda/generated-triggers';
import { type Trigger } from '../../../../constructs/keda/trigger';
import { secondsOfText } from '../../../../constructs/keda/time-text';
import { Triggers } from '../../../../constructs/keda/triggers';
import { kedaScaler, type KedaScalerParameter } from '../../../../facts/api/keda-scalers';
import { Call, duration, type Expression, type Fields, isFields, jsonOf, referenceTo, textOf } from '../expression';
import { all, at, oneOf, present } from '../proposal';
import { isRewritten, resourceProps, rewriteOf, serverParameters, type Texts } from './rewritten-parameters';

/** The triggers of a list; `undefined` where one has metadata that no trigger has. */
export function triggersOf(list: Expression): readonly Call[] | undefined {
  return all(list, (trigger) => {
    const type = textOf(at(trigger, 'type'));
    const metadata = at(trigger, 'metadata');
    if (type === undefined || !isFields(metadata)) {
      return undefined;
    }
    const texts = Object.entries(metadata).flatMap(([key, value]) => (typeof value === 'string' ? [[key, value]] : []));
    if (texts.length < Object.keys(metadata).length) {
      return undefined;
    }
    const reference = at(trigger, 'authenticationRef', 'name');
    const shared = at(trigger, 'authenticationRef', 'kind') === 'ClusterTriggerAuthentication';
    const options: Fields = {
      name: at(trigger, 'name'),
      metricType: oneOf(at(trigger, 'metricType'), 'AverageValue', 'Value', 'Utilization'),
      useCachedMetrics: at(trigger, 'useCachedMetrics'),
      authentication:
        reference === undefined
          ? undefined
          : referenceTo(reference, shared ? 'keda.ClusterTriggerAuthentication' : 'keda.TriggerAuthentication'),
    };
    const stated = Object.fromEntries(texts) as Texts;
    return typed(type, stated, options) ?? new Call('keda.Trigger.custom', [present({ type, ...options, metadata })]);
  });
}

/** The call of the scaler's own function, if it writes this metadata. */
function typed(type: string, metadata: Texts, options: Fields): Call | undefined {
  const name = type.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
  const said = saidOf(type, name, metadata, options);
  if (said === undefined) {
    return undefined;
  }
  const target = `keda.Triggers.${name}`;
  const { authentication, ...others } = said.options;
  // Any authentication does: a variable of the stack has no construct yet.
  const standIn = authentication === undefined ? undefined : new Call('keda.TriggerAuthentication.fromName', ['any']);
  return writesSame(new Call(target, [{ ...said.props, ...others, authentication: standIn }]), metadata, options)
    ? new Call(target, [present({ ...said.props, ...said.options })])
    : undefined;
}

/** What the function of a scaler is called with. */
interface Said {
  readonly props: Fields;
  /** Options of the trigger that the function takes. */
  readonly options: Fields;
}

function saidOf(type: string, name: string, metadata: Texts, options: Fields): Said | undefined {
  // The functions but those of `cpu` and `memory` have no such type.
  const asStated = (props: Fields | undefined): Said | undefined =>
    options.metricType === 'Utilization' ? undefined : props && { props, options };
  switch (type) {
    case 'cpu':
    case 'memory': {
      const props = resourceProps(metadata, options.metricType);
      return props && { props, options: { name: options.name } };
    }
    case 'external':
    case 'external-push': {
      const own = new Set(kedaScaler(type)?.parameters.map((parameter) => parameter.name));
      const isOwn = ([key]: readonly [string, string]): boolean => own.has(key);
      const entries = Object.entries(metadata);
      const props = propsOf(type, Object.fromEntries(entries.filter(isOwn)));
      const others = Object.fromEntries(entries.filter((entry) => !isOwn(entry)));
      return asStated(props && { ...props, ...serverParameters(others) });
    }
    default: {
      const isGenerated = Object.hasOwn(GeneratedTriggers, name) && !Object.hasOwn(Triggers, name);
      return isGenerated || isRewritten(type) ? asStated(propsOf(type, metadata)) : undefined;
    }
  }
}

/** The properties that say the parameters of a scaler; `undefined` where one of them cannot be said. */
function propsOf(type: string, metadata: Texts): Fields | undefined {
  const parameters = new Map(kedaScaler(type)?.parameters.map((parameter) => [parameter.name, parameter]));
  const props: Record<string, Expression> = {};
  for (const [key, text] of Object.entries(metadata)) {
    const said = rewriteOf(type, key)?.(text, metadata) ?? asItIs(type, parameters, key, text);
    if (said === undefined) {
      return undefined;
    }
    Object.assign(props, said);
  }
  return props;
}

function asItIs(
  type: string,
  parameters: ReadonlyMap<string, KedaScalerParameter>,
  key: string,
  text: string,
): Fields | undefined {
  const name = key.replace(/FromEnv$/, '');
  const parameter = parameters.get(name);
  if (parameter === undefined || rewriteOf(type, name) !== undefined) {
    return undefined;
  }
  if (key !== name) {
    return parameter.fromEnv ? { [parameter.property ?? name]: new Call('keda.fromEnv', [text]) } : undefined;
  }
  const value = parameter.fromMetadata ? valueOf(parameter, text) : undefined;
  return value === undefined ? undefined : { [parameter.property ?? name]: value };
}

/** The value of a parameter as its property takes it; `undefined` where its text has a form that is not written so. */
function valueOf(parameter: KedaScalerParameter, text: string): Expression {
  const time = parameter.time ?? (parameter.value === 'duration' ? 'go' : undefined);
  if (time !== undefined) {
    return duration(secondsOfText(text, time));
  }
  switch (parameter.value) {
    case 'integer':
    case 'number':
      return String(Number(text)) === text ? Number(text) : undefined;
    case 'boolean':
      return text === 'true' || text === 'false' ? text === 'true' : undefined;
    case 'text':
      return parameter.allowedValues?.includes(text) === false ? undefined : text;
    case 'texts':
      return parameter.allowedValues === undefined ? text.split(parameter.separator ?? ',') : undefined;
    case 'duration':
    case 'integers':
    case 'map':
    case 'query':
      return undefined;
  }
}

/** Whether the call makes a trigger with this metadata and these options, whichever its authentication. */
function writesSame(call: Call, metadata: Texts, options: Fields): boolean {
  try {
    const made = (jsonOf(call) as Trigger).toSpec();
    const written: Texts = made.metadata;
    const keys = Object.keys(metadata);
    return (
      keys.length === Object.keys(written).length &&
      keys.every((key) => written[key] === metadata[key]) &&
      (made.authenticationRef === undefined) === (options.authentication === undefined) &&
      (['name', 'metricType', 'useCachedMetrics'] as const).every((option) => made[option] === options[option])
    );
  } catch {
    return false;
  }
}
