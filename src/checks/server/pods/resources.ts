/**
 * Requests, limits and claims of containers and pods (rows K2, K3 and K7).
 */
import { type JsonObject, type JsonValue } from '../../../facts/api/schema';
import { oneOfStrings } from '../../../facts/words';
import { nearestName } from '../../../facts/spelling';
import { fieldOf, pointer } from '../../../manifests/pointer';
import { asObject, isObject } from '../../../manifests/read';
import { Quantity } from '../../../manifests/values/quantity';
import { type Rule } from '../../rules/rule';
import { fieldFromObject, type PodView } from '../pod-view';
import {
  amountOf,
  CONTAINER_RESOURCES,
  containerResourceName,
  isHugePages,
  isWholePages,
  mayOvercommit,
} from '../resource-names';
import { type Details, podRule, type Say, since } from '../server-rule';
import { dnsLabel, dnsSubdomain } from '../../../manifests/values/name-syntax';
import { given, itemsOf, quantitiesOf, size, text } from '../values';
import { onlyDescribesPods } from './completions';

interface Requirements {
  readonly value: JsonObject;
  readonly path: string;
  readonly limits: ReadonlyMap<string, Quantity>;
  readonly requests: ReadonlyMap<string, Quantity>;
}

/** What to write in place of a negative amount. */
function negativeFix(path: string, name: string, amount: Quantity): Details {
  const example = name === 'cpu' ? '2' : name === 'memory' || name === 'ephemeral-storage' ? '64Gi' : '1';
  return amount.isNegative() ? { fix: `Set ${fieldOf(path)} to 0 or more, for example ${example}.` } : {};
}

const LISTS = ['limits', 'requests'] as const;

/** Claims that a message names. */
const MOST_NAMED = 6;

const requirementsByPod = new WeakMap<PodView, readonly Requirements[]>();

export const resourceRules: readonly Rule[] = [
  podRule(
    'resource-name-valid',
    {
      concerns: ['limits', 'requests'],
      row: 'K2',
      summary: 'A container must request cpu, memory, ephemeral-storage, hugepages-<size>, or an extended resource.',
      fix: 'Rename the key in resources.limits or resources.requests to a fully qualified name such as nvidia.com/gpu.',
    },
    (pod, say) => {
      for (const one of amountsOf(pod)) {
        const { list, name } = one;
        const complaint = containerResourceName(name);
        if (complaint !== undefined) {
          const near = nearestName(name, CONTAINER_RESOURCES);
          say(pathOf(one), `the resource name "${name}" must ${complaint}`, {
            fix:
              near === undefined
                ? `Rename the key "${name}" in resources.${list} to ${name !== name.trim() && containerResourceName(name.trim()) === undefined ? `"${name.trim()}"` : 'a fully qualified name such as nvidia.com/gpu'}.`
                : `Rename the key "${name}" to "${near}".`,
          });
        }
      }
    },
  ),

  podRule(
    'resource-amount-valid',
    {
      concerns: ['limits', 'requests'],
      row: 'K2',
      summary: 'Amounts must not be negative, and amounts of extended resources must be integers.',
      fix: 'Set the amount in resources.limits to an integer, or request the shared resource that the cluster offers to share a GPU.',
    },
    (pod, say) => {
      for (const one of amountsOf(pod)) {
        const { list, name, amount } = one;
        const complaint = amountOf(name, amount);
        if (complaint !== undefined) {
          const at = pathOf(one);
          say(at, `the ${list.slice(0, -1)} for ${name} must ${complaint}`, negativeFix(at, name, amount));
        }
      }
    },
  ),

  podRule(
    'extended-resource-request-equals-limit',
    {
      concerns: ['requests'],
      row: 'K2',
      summary: 'An extended resource or huge pages must have a limit, and a request must equal it.',
      fix: 'Set only resources.limits, which is also the request.',
    },
    (pod, say) => {
      if (onlyDescribesPods(pod)) {
        return;
      }
      for (const { path, limits, requests } of requirementsOf(pod)) {
        for (const [name, request] of requests) {
          if (mayOvercommit(name)) {
            continue;
          }
          const limit = limits.get(name);
          const at = pointer(path, 'requests', name);
          if (limit === undefined) {
            say(at, `a limit must be set for ${name}`, {
              expected: `a limit of ${request.toString()}`,
              fix: `Set ${fieldOf(pointer(path, 'limits', name))} to ${request.toString()}.`,
            });
          } else if (!request.equals(limit)) {
            say(at, `the request for ${name} must equal the limit (${request.toString()} != ${limit.toString()})`, {
              expected: limit.toString(),
            });
          }
        }
      }
    },
  ),

  podRule(
    'resource-request-within-limit',
    {
      concerns: ['requests'],
      row: 'K2',
      summary: 'A request must be less than or equal to the limit.',
      fix: 'Decrease resources.requests, or increase resources.limits.',
    },
    (pod, say) => {
      for (const { path, limits, requests } of requirementsOf(pod)) {
        for (const [name, request] of requests) {
          const limit = limits.get(name);
          if (mayOvercommit(name) && limit !== undefined && request.isGreaterThan(limit)) {
            say(
              pointer(path, 'requests', name),
              `the request for ${name} must be less than or equal to the limit (${request.toString()} > ${limit.toString()})`,
              {
                expected: `at most ${limit.toString()}`,
                fix: raiseLimit(fieldOf(pointer(path, 'limits', name)), request, limit),
              },
            );
          }
        }
      }
    },
  ),

  podRule(
    'huge-pages-need-cpu-or-memory',
    {
      concerns: ['limits', 'requests'],
      row: 'K3',
      summary: 'A container with huge pages must also request cpu or memory.',
      fix: 'Add cpu or memory to resources.requests or resources.limits.',
    },
    (pod, say) => {
      for (const { path, limits, requests } of requirementsOf(pod)) {
        const names = [...limits.keys(), ...requests.keys()];
        if (names.some(isHugePages) && !names.includes('cpu') && !names.includes('memory')) {
          say(path, 'cpu or memory must be set for a container with huge pages', {
            expected: 'a request or limit of cpu or memory',
            fix: `Add cpu or memory to requests or limits in ${fieldOf(path)}.`,
          });
        }
      }
    },
  ),

  podRule(
    'huge-pages-whole-pages',
    {
      concerns: ['limits', 'requests'],
      row: 'K3',
      summary: 'An amount of huge pages must be a multiple of the page size.',
      fix: 'Set the amount in resources.limits to a multiple of the page size.',
    },
    (pod, say) => {
      for (const one of amountsOf(pod)) {
        const { name, amount } = one;
        if (isHugePages(name) && !isWholePages(name, amount)) {
          say(pathOf(one), `${amount.toString()} must be a multiple of the page size of ${name}`);
        }
      }
    },
  ),

  podRule(
    'resource-claim-of-pod',
    {
      concerns: ['claims'],
      row: 'K7',
      summary: "A container's resource claim must be one of the pod's resourceClaims, and must be unique.",
      fix: 'Add the claim to spec.resourceClaims, or correct resources.claims[].name.',
    },
    (pod, say) => {
      const known = new Set(
        itemsOf(pod.spec.resourceClaims, '')
          .map(({ value }) => text(value.name))
          .filter((name) => name !== ''),
      );
      const claims = fieldFromObject(pod, '/spec/resourceClaims');
      const entry = `the name of an entry in ${claims}`;
      const expected = known.size === 0 ? entry : oneOfStrings([...known].slice(0, MOST_NAMED));
      for (const { value, path } of pod.all) {
        const seen = new Set<string>();
        const withRequest = new Set<string>();
        for (const claim of itemsOf(asObject(value.resources).claims, `${path}/resources/claims`)) {
          const name = text(claim.value.name);
          const request = text(claim.value.request);
          if (name === '') {
            say(`${claim.path}/name`, 'the claim must have a name', {
              expected: entry,
            });
            continue;
          }
          if (!known.has(name)) {
            const place = fieldOf(claim.path);
            const added =
              dnsLabel(name) === undefined
                ? `Add an entry with the name "${name}" to ${claims}, or remove ${place}.`
                : `Remove ${place}, or add an entry to ${claims} and set ${place}.name to its name.`;
            say(`${claim.path}/name`, `unknown resource claim "${name}"`, {
              expected,
              ...(known.size === 0 ? { fix: added } : {}),
            });
          }
          const complaint = request === '' ? undefined : dnsLabel(request);
          if (complaint !== undefined) {
            say(`${claim.path}/request`, `the request name "${request}" must ${complaint}`);
          }
          const key = request === '' ? name : `${name}/${request}`;
          if (seen.has(name) || seen.has(key) || (request === '' && withRequest.has(name))) {
            say(claim.path, `duplicate claim "${key}"`, { found: key });
          }
          seen.add(key);
          if (request !== '') {
            withRequest.add(name);
          }
        }
      }
    },
  ),

  podRule(
    'pod-resource-claim-valid',
    {
      concerns: ['resourceClaims'],
      row: 'K7',
      summary:
        "A pod's resource claim must have a unique DNS label as its name and exactly one of resourceClaimName and resourceClaimTemplateName.",
      fix: 'Set resourceClaims[].name, and either resourceClaimName or resourceClaimTemplateName.',
    },
    (pod, say) => {
      const seen = new Set<string>();
      for (const { value, path } of itemsOf(pod.spec.resourceClaims, '/spec/resourceClaims')) {
        const name = text(value.name);
        const complaint = name === '' ? 'be set' : dnsLabel(name);
        if (complaint !== undefined) {
          say(`${path}/name`, `the claim name ${JSON.stringify(name)} must ${complaint}`);
        }
        if (name !== '' && seen.has(name)) {
          say(`${path}/name`, `duplicate resource claim "${name}"`);
        }
        seen.add(name);
        const sources = ['resourceClaimName', 'resourceClaimTemplateName'].filter((field) => given(value[field]));
        if (sources.length !== 1) {
          say(
            path,
            sources.length === 0
              ? 'resourceClaimName or resourceClaimTemplateName must be set'
              : 'resourceClaimName must not be set when resourceClaimTemplateName is set',
            { expected: 'resourceClaimName or resourceClaimTemplateName' },
          );
        }
        for (const field of sources) {
          if (typeof value[field] !== 'string') {
            continue;
          }
          const bad = dnsSubdomain(text(value[field]));
          if (bad !== undefined) {
            say(`${path}/${field}`, `the name ${JSON.stringify(value[field])} must ${bad}`);
          }
        }
      }
    },
  ),

  podRule(
    'pod-overhead-valid',
    {
      concerns: ['overhead'],
      row: 'K2',
      summary: 'Overhead must name container resources, with amounts that are not negative.',
      fix: 'Remove spec.overhead, which the RuntimeClass sets.',
    },
    (pod, say) => {
      const overhead = quantitiesOf(pod.spec.overhead);
      for (const [name, amount] of overhead) {
        const complaint =
          containerResourceName(name) ??
          amountOf(name, amount) ??
          (isHugePages(name) && !isWholePages(name, amount) ? 'be a multiple of the page size' : undefined);
        if (complaint !== undefined) {
          say(pointer('/spec/overhead', name), `the resource name "${name}" must ${complaint}`);
        }
      }
      if ([...overhead.keys()].some(isHugePages) && !overhead.has('cpu') && !overhead.has('memory')) {
        say('/spec/overhead', 'overhead with huge pages must also set cpu or memory', {
          fix: 'Set cpu or memory in spec.overhead.',
        });
      }
    },
  ),

  podRule(
    'pod-level-resources-valid',
    {
      concerns: ['resources'],
      row: 'K2',
      summary:
        'Resources of a whole pod must name cpu, memory, or huge pages, no claims, and cover the requests of its containers.',
      fix: 'Increase spec.resources of the pod, or decrease resources of its containers.',
    },
    (pod, say, context) => {
      const resources = pod.spec.resources;
      if (!since(context, 34) || !isObject(resources)) {
        return;
      }
      if (asObject(pod.spec.os).name === 'windows') {
        say('/spec/resources', 'resources must not be set for a Windows pod');
        return;
      }
      if (Array.isArray(resources.claims)) {
        say('/spec/resources/claims', 'claims must not be set for the whole pod');
      }
      const limits = quantitiesOf(resources.limits);
      const requests = quantitiesOf(resources.requests);
      for (const one of amountsIn({ path: '/spec/resources', limits, requests })) {
        const complaint = podAmountComplaint(one.name, one.amount);
        if (complaint !== undefined) {
          const fix = `Remove ${fieldOf(pathOf(one))}, or set it in the resources of a container.`;
          say(pathOf(one), `${one.name} must ${complaint}`, complaint === ONLY_OF_POD ? { fix } : {});
        }
      }
      for (const [name, request] of requests) {
        const limit = limits.get(name);
        if (limit !== undefined && request.isGreaterThan(limit)) {
          say(
            pointer('/spec/resources/requests', name),
            `the pod request for ${name} must be less than or equal to the pod limit`,
          );
        }
        if (podAmountComplaint(name, request) !== undefined) {
          continue;
        }
        const sum = sumOf(pod, name);
        if (sum.isGreaterThan(request)) {
          say(
            pointer('/spec/resources/requests', name),
            `the pod request for ${name} must be greater than or equal to the total of its containers (${request.toString()} < ${sum.toString()})`,
            { expected: `at least ${sum.toString()}` },
          );
        }
      }
      checkContainerLimits(pod, limits, say);
    },
  ),
];

/** What to do about a request above its limit: a limit below 0 is not one to request. */
function raiseLimit(field: string, request: Quantity, limit: Quantity): string {
  const raised = `${field} to at least ${request.toString()}`;
  return limit.isGreaterThan(Quantity.ZERO)
    ? `Set ${field.replace(/\blimits\b/, 'requests')} to at most ${limit.toString()}, or ${raised}.`
    : `Set ${raised}.`;
}

type Quantities = ReturnType<typeof quantitiesOf>;

const ONLY_OF_POD = 'not be set for the whole pod, which can set only cpu, memory, and huge pages';

function podAmountComplaint(name: string, amount: Quantity): string | undefined {
  if (name !== 'cpu' && name !== 'memory' && !isHugePages(name)) {
    return ONLY_OF_POD;
  }
  const pages = isHugePages(name) && !isWholePages(name, amount) ? 'be a multiple of the page size' : undefined;
  return amountOf(name, amount) ?? pages;
}

/** @param limits of the whole pod */
function checkContainerLimits(pod: PodView, limits: Quantities, say: Say): void {
  for (const { path, limits: ofContainer } of containerRequirements(pod.containers)) {
    for (const [name, amount] of ofContainer) {
      const limit = limits.get(name);
      if (limit !== undefined && amount.isGreaterThan(limit)) {
        say(
          pointer(path, 'limits', name),
          `the container limit for ${name} must be less than or equal to the pod limit (${amount.toString()} > ${limit.toString()})`,
          { expected: `at most ${limit.toString()}` },
        );
      }
    }
  }
}

/** One limit or request. */
interface Amount {
  /** Where the resources are that contain it. */
  readonly resources: string;
  readonly list: (typeof LISTS)[number];
  readonly name: string;
  readonly amount: Quantity;
}

function* amountsOf(pod: PodView): Iterable<Amount> {
  for (const requirements of requirementsOf(pod)) {
    yield* amountsIn(requirements);
  }
}

function* amountsIn(requirements: Pick<Requirements, 'path' | 'limits' | 'requests'>): Iterable<Amount> {
  for (const list of LISTS) {
    for (const [name, amount] of requirements[list]) {
      yield { resources: requirements.path, list, name, amount };
    }
  }
}

function pathOf({ resources, list, name }: Amount): string {
  return pointer(resources, list, name);
}

function requirementsOf(pod: PodView): readonly Requirements[] {
  let list = requirementsByPod.get(pod);
  if (list === undefined) {
    list = containerRequirements(pod.all);
    requirementsByPod.set(pod, list);
  }
  return list;
}

function containerRequirements(containers: PodView['all']): readonly Requirements[] {
  return containers.flatMap(({ value, path }) => {
    if (!isObject(value.resources) || !LISTS.some((list) => size(asObject(value.resources)[list]) > 0)) {
      return [];
    }
    return [requirements(value.resources, `${path}/resources`)];
  });
}

function requirements(value: JsonObject, path: string): Requirements {
  return { value, path, limits: quantitiesOf(value.limits), requests: quantitiesOf(value.requests) };
}

/** What containers and sidecars request together; a container without a request has its limit as request in a Pod. */
function sumOf(pod: PodView, name: string): Quantity {
  let sum = Quantity.ZERO;
  const requestOf = (resources: JsonValue | undefined): Quantity => {
    const { limits, requests } = requirements(asObject(resources), '');
    return requests.get(name) ?? (pod.isPod ? limits.get(name) : undefined) ?? Quantity.ZERO;
  };
  for (const { value } of pod.containers) {
    sum = sum.add(requestOf(value.resources));
  }
  let sidecars = Quantity.ZERO;
  let greatest = Quantity.ZERO;
  for (const { value, sidecar } of pod.initContainers) {
    const request = requestOf(value.resources);
    if (sidecar) {
      sidecars = sidecars.add(request);
      if (sidecars.isGreaterThan(greatest)) {
        greatest = sidecars;
      }
    } else if (sidecars.add(request).isGreaterThan(greatest)) {
      greatest = sidecars.add(request);
    }
  }
  sum = sum.add(sidecars);
  return greatest.isGreaterThan(sum) ? greatest : sum;
}
