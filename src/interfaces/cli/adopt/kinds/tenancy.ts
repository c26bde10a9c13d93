/**
 * Namespaces, priority classes, quotas, and limit ranges.
 */
import { amounts, isBytes, isCores } from '../container-resources';
import { wordOf, type Expression, type Fields, fieldsOf } from '../expression';
import { at, type Inverse, listOf, present, whole } from '../proposal';

const namespace: Inverse = () => ({ className: 'Namespace', overrides: 'spec', props: {} });

const priorityClass: Inverse = ({ value, description, preemptionPolicy }) =>
  typeof value === 'number'
    ? {
        className: 'PriorityClass',
        overrides: 'object',
        props: {
          value,
          preemptionPolicy: preemptionPolicy === 'Never' ? preemptionPolicy : undefined,
          description,
        },
      }
    : undefined;

const COUNTED: Readonly<Record<string, string>> = {
  pods: 'pods',
  persistentvolumeclaims: 'persistentVolumeClaims',
};

const resourceQuota: Inverse = ({ spec }) => {
  const requests: Record<string, Expression> = {};
  const limits: Record<string, Expression> = {};
  const props: Record<string, Expression> = {};
  const hard: Record<string, Expression> = {};
  for (const [key, amount] of Object.entries(fieldsOf(at(spec, 'hard')))) {
    const [, form, resource = ''] = /^(requests|limits)\.(.+)$/.exec(key) ?? [];
    const counted = Object.hasOwn(COUNTED, key) ? COUNTED[key] : undefined;
    const count = whole(typeof amount === 'string' && /^\d+$/.test(amount) ? Number(amount) : amount);
    const readable = (name: string): boolean => amounts({ [name]: amount }, ['pods']) !== undefined;
    if (key === 'requests.storage' && isBytes(amount)) {
      props.storage = amount;
    } else if (form === 'requests' && !resource.startsWith('hugepages-') && readable(resource)) {
      requests[resource] = amount;
    } else if (key.startsWith('hugepages-') && readable(key)) {
      requests[key] = amount;
    } else if (form === 'limits' && LIMITED.includes(resource) && readable(resource)) {
      limits[resource] = amount;
    } else if (counted !== undefined && count !== undefined) {
      props[counted] = count;
    } else if (isCores(amount)) {
      hard[key] = amount;
    } else {
      return undefined;
    }
  }
  const given = (byName: Fields): Fields | undefined =>
    Object.keys(byName).length === 0 ? undefined : amounts(byName);
  return {
    className: 'ResourceQuota',
    overrides: 'spec',
    props: {
      requests: given(requests),
      limits: given(limits),
      ...props,
      hard: present(hard),
      scopes: at(spec, 'scopes'),
      scopeSelector: at(spec, 'scopeSelector'),
    },
  };
};

const LIMITED = ['cpu', 'memory', 'ephemeral-storage'];
const TYPES: Readonly<Record<string, string>> = {
  Container: 'container',
  Pod: 'pod',
  PersistentVolumeClaim: 'persistentVolumeClaim',
};

const limitRange: Inverse = ({ spec }) => {
  const props: Record<string, Expression> = {};
  for (const item of listOf(at(spec, 'limits'))) {
    const type = TYPES[wordOf(at(item, 'type'))];
    if (type === undefined || props[type] !== undefined) {
      return undefined;
    }
    const bounds = ['default', 'defaultRequest', 'max', 'min'].map((member): [string, Expression] => {
      const stated = at(item, member);
      const storage = at(stated, 'storage');
      return [member, type === 'persistentVolumeClaim' ? storage : amounts(stated, ['pods'])];
    });
    const ratio = ratioOf(at(item, 'maxLimitRequestRatio'));
    props[type] = present({ ...Object.fromEntries(bounds), maxLimitRequestRatio: ratio }) ?? {};
  }
  return { className: 'LimitRange', overrides: 'spec', props };
};

function ratioOf(stated: Expression): Fields | undefined {
  const ratio = (name: string): number | undefined => {
    const value = at(stated, name);
    return typeof value === 'number' || (typeof value === 'string' && /^\d+$/.test(value)) ? Number(value) : undefined;
  };
  return present({ cpu: ratio('cpu'), memory: ratio('memory'), ephemeralStorage: ratio('ephemeral-storage') });
}

export const TENANCY: Readonly<Record<string, Inverse>> = {
  'v1/LimitRange': limitRange,
  'v1/Namespace': namespace,
  'v1/ResourceQuota': resourceQuota,
  'scheduling.k8s.io/v1/PriorityClass': priorityClass,
};
