/**
 * Pod templates as the props of the pod model: what has a property becomes one, everything else `podOverrides`.
 */
import { acceleratorOf } from './accelerators';
import {
  at,
  duration,
  type Expression,
  type Fields,
  fieldsOf,
  isFields,
  listOf,
  namedReference,
  nonEmpty,
  present,
  textOf,
  Unset,
  without,
} from './expression';
import { containerAmounts } from './container-resources';
import { mountsOf } from './mounts';

/** A pod template as props, and what its workload says instead. */
export interface Pods {
  readonly props: Fields;
  /** Name of the main container. */
  readonly containerName: string;
  readonly restartPolicy: Expression;
  readonly priorityClassName: Expression;
  /** Devices of each pod. */
  readonly acceleratorCount: number | undefined;
}

export interface PodOptions {
  /** Name of the main container where the construct prescribes it. @default - the first container, whatever its name */
  readonly container?: string;
  /** Whether the construct has a property for another name. @default false */
  readonly namesContainer?: boolean;
  /** Whether the construct writes the restart policy. @default false: it stays in the pod's overrides */
  readonly restartPolicy?: boolean;
}

/** @returns undefined where the template has no container with an image */
export function podProps(template: Expression, options: PodOptions = {}): Pods | undefined {
  const spec = fieldsOf(at(template, 'spec'));
  const containers = listOf(spec.containers);
  const main = containers.find((one) => textOf(at(one, 'name')) === options.container) ?? containers[0];
  if (!isFields(main) || at(main, 'image') === undefined) {
    return undefined;
  }
  const accelerator = acceleratorOf(main, spec);
  const amounts = containerAmounts(at(main, 'resources'), accelerator.taken);
  const memory = at(amounts.props ?? {}, 'memory');
  const mounts = mountsOf(main, listOf(spec.volumes), typeof memory === 'string' ? memory : undefined);
  const environment = environmentOf(main.env);
  const metadata = fieldsOf(at(template, 'metadata'));
  const name = textOf(main.name) ?? '';
  const renamed = options.container !== undefined && name !== options.container && options.namesContainer !== true;
  const container = present({
    ...(renamed ? { name } : {}),
    ...without(main, ...CONTAINER_PROPS),
    env: environment === undefined ? emptyAsNothing(main.env) : undefined,
    resources: amounts.rest,
    volumeMounts: mounts.otherMounts,
  });
  const grace = duration(spec.terminationGracePeriodSeconds);
  const pod = present({
    ...without(spec, ...POD_PROPS, ...(options.restartPolicy === true ? ['restartPolicy'] : [])),
    volumes: mounts.otherVolumes,
    terminationGracePeriodSeconds: grace === undefined ? spec.terminationGracePeriodSeconds : undefined,
  });
  const more = without(metadata, 'labels', 'annotations');
  const podOverrides = present({ container, pod, metadata: more });
  const props: Fields = {
    image: main.image,
    imagePullPolicy: main.imagePullPolicy,
    command: main.command,
    args: main.args,
    workingDir: main.workingDir,
    env: environment,
    envFrom: nonEmpty(listOf(main.envFrom)),
    ports: nonEmpty(listOf(main.ports)),
    resources: amounts.props,
    accelerators: accelerator.expression,
    sharedMemory: mounts.sharedMemory,
    mounts: mounts.mounts,
    nodeSelection: accelerator.nodeSelection,
    affinity: spec.affinity,
    tolerations: accelerator.tolerations,
    serviceAccount: namedReference(spec.serviceAccountName),
    securityContext: main.securityContext,
    podSecurityContext: spec.securityContext,
    runtimeClass: namedReference(spec.runtimeClassName),
    imagePullSecrets: pullSecrets(spec.imagePullSecrets),
    initContainers: nonEmpty(listOf(spec.initContainers)),
    sidecars: nonEmpty(containers.filter((one) => one !== main)),
    terminationGracePeriod: grace,
    podLabels: nonEmptyFields(metadata.labels),
    podAnnotations: nonEmptyFields(metadata.annotations),
    podOverrides,
  };
  return {
    props: present(props) ?? {},
    containerName: name,
    restartPolicy: spec.restartPolicy,
    priorityClassName: spec.priorityClassName,
    acceleratorCount: accelerator.count,
  };
}

const CONTAINER_PROPS = [
  'name',
  'image',
  'imagePullPolicy',
  'command',
  'args',
  'workingDir',
  'env',
  'envFrom',
  'ports',
  'resources',
  'volumeMounts',
  'securityContext',
];

const POD_PROPS = [
  'containers',
  'initContainers',
  'volumes',
  'nodeSelector',
  'affinity',
  'tolerations',
  'serviceAccountName',
  'securityContext',
  'runtimeClassName',
  'imagePullSecrets',
  'terminationGracePeriodSeconds',
  'priorityClassName',
];

/** What is different in the pods of one role; properties that it does not have are unset. */
export function changesOf(common: Fields, role: Fields): Fields | undefined {
  const changes: Record<string, Expression> = {};
  for (const [name, value] of Object.entries(role)) {
    if (!sameExpression(common[name], value)) {
      changes[name] = value;
    }
  }
  for (const name of Object.keys(common)) {
    if (role[name] === undefined && common[name] !== undefined) {
      changes[name] = new Unset();
    }
  }
  return Object.keys(changes).length === 0 ? undefined : changes;
}

function sameExpression(a: Expression, b: Expression): boolean {
  return a === b || JSON.stringify(a) === JSON.stringify(b);
}

/** Variables as a map, where each has one name and a value or a source, and a map keeps their order. */
function environmentOf(env: Expression): Fields | undefined {
  const list = listOf(env);
  const entries: Record<string, Expression> = {};
  for (const variable of list) {
    const { name, value, valueFrom, ...others } = fieldsOf(variable);
    const text = textOf(name);
    if (text === undefined || text === '__proto__' || /^\d+$/.test(text) || Object.hasOwn(entries, text)) {
      return undefined;
    }
    if (
      Object.keys(others).length > 0 ||
      (value !== undefined && (valueFrom !== undefined || typeof value !== 'string'))
    ) {
      return undefined;
    }
    entries[text] = valueFrom ?? value ?? '';
  }
  return present(entries);
}

function pullSecrets(list: Expression): readonly Expression[] | undefined {
  return nonEmpty(listOf(list).map((secret) => namedReference(at(secret, 'name'))));
}

function nonEmptyFields(value: Expression): Fields | undefined {
  const fields = fieldsOf(value);
  return Object.keys(fields).length === 0 ? undefined : fields;
}

function emptyAsNothing(value: Expression): Expression {
  return listOf(value).length === 0 ? undefined : value;
}
