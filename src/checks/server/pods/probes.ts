/**
 * Probes and lifecycle hooks: exactly one handler, with what that handler needs, and numbers within bounds.
 */
import { type JsonObject } from '../../../facts/api/schema';
import { isObject } from '../../../manifests/read';
import { type Rule } from '../../rules/rule';
import { type Say, podRule, since } from '../server-rule';
import { httpHeaderName, portName, portNumber } from '../../../manifests/values/name-syntax';
import { given, itemsOf, size, text, whole } from '../values';
import { type PodView } from '../pod-view';
import { completesProbes } from './completions';
import { oneOf } from '../../../facts/words';

interface Handler {
  /** `livenessProbe`, `lifecycle/preStop`, … */
  readonly field: string;
  readonly value: JsonObject;
  readonly path: string;
  readonly kinds: readonly string[];
}

const PROBES = ['livenessProbe', 'readinessProbe', 'startupProbe'];
const PROBE_HANDLERS = ['exec', 'httpGet', 'tcpSocket', 'grpc'];
const HOOKS = ['postStart', 'preStop'];
const HOOK_HANDLERS = ['exec', 'httpGet', 'tcpSocket', 'sleep'];
const NUMBERS = ['initialDelaySeconds', 'timeoutSeconds', 'periodSeconds', 'successThreshold', 'failureThreshold'];

export const probeRules: readonly Rule[] = [
  podRule(
    'handler-exactly-one',
    {
      concerns: ['livenessProbe', 'readinessProbe', 'startupProbe', 'lifecycle'],
      summary: 'A probe or hook must have exactly one handler.',
      fix: 'Set exactly one of exec, httpGet, tcpSocket, and grpc (for hooks also sleep), such as `livenessProbe.httpGet`.',
    },
    (pod, say) => {
      for (const { field, value, path, kinds } of handlersOf(pod)) {
        const found = kinds.filter((kind) => given(value[kind]));
        if (found.length === 0 && !(field === 'readinessProbe' && completesProbes(pod))) {
          say(path, `the ${field} must have a handler`, { expected: oneOf(kinds) });
        }
        if (found.length > 1) {
          say(path, `the ${field} must have only one handler, but has ${found.length}: ${found.join(', ')}`, {
            expected: 'exactly one',
          });
        }
      }
    },
  ),

  podRule(
    'handler-valid',
    {
      concerns: ['livenessProbe', 'readinessProbe', 'startupProbe', 'lifecycle'],
      summary:
        'An exec handler must have a command; an HTTP handler a port, a supported scheme, and valid header names; TCP and gRPC handlers a port.',
      fix: 'Set exec.command, or port and scheme of httpGet, tcpSocket, or grpc.',
    },
    (pod, say) => {
      for (const { value, path, kinds } of handlersOf(pod)) {
        const kind = kinds.find((name) => given(value[name]));
        const handler = kind === undefined ? undefined : value[kind];
        if (kind !== undefined && isObject(handler)) {
          checkHandler(kind, handler, `${path}/${kind}`, say, completesProbes(pod) && kinds === PROBE_HANDLERS);
        }
      }
    },
  ),

  podRule(
    'sleep-within-grace-period',
    {
      concerns: ['sleep'],
      summary: 'A sleep hook must not be negative and not longer than terminationGracePeriodSeconds.',
      fix: 'Decrease sleep.seconds, or increase terminationGracePeriodSeconds.',
    },
    (pod, say, context) => {
      const grace = whole(pod.spec.terminationGracePeriodSeconds) ?? 30;
      for (const { value, path } of handlersOf(pod)) {
        if (!isObject(value.sleep)) {
          continue;
        }
        const seconds = whole(value.sleep.seconds) ?? 0;
        const least = since(context, 33) ? 0 : 1;
        if (seconds < least || seconds > grace) {
          say(
            `${path}/sleep/seconds`,
            `sleep.seconds must be from ${least} to terminationGracePeriodSeconds (${grace}), but is ${seconds}`,
            {
              expected: `${least} to ${grace}`,
            },
          );
        }
      }
    },
  ),

  podRule(
    'probe-numbers-valid',
    {
      concerns: ['livenessProbe', 'readinessProbe', 'startupProbe'],
      summary:
        "A probe's times and thresholds must not be negative; successThreshold of a liveness or startup probe must be 1.",
      fix: 'Set periodSeconds, timeoutSeconds, failureThreshold, or successThreshold to a valid number, or leave it unset.',
    },
    (pod, say) => {
      for (const container of probedContainers(pod)) {
        for (const field of PROBES) {
          const probe = container.value[field];
          if (!isObject(probe)) {
            continue;
          }
          const path = `${container.path}/${field}`;
          for (const name of NUMBERS) {
            if ((whole(probe[name]) ?? 0) < 0) {
              say(`${path}/${name}`, `${name} must be greater than or equal to 0`, { expected: 'at least 0' });
            }
          }
          const grace = whole(probe.terminationGracePeriodSeconds);
          if (grace !== undefined) {
            if (field === 'readinessProbe') {
              say(
                `${path}/terminationGracePeriodSeconds`,
                'terminationGracePeriodSeconds must not be set for a readiness probe',
              );
            }
            if (grace <= 0) {
              say(`${path}/terminationGracePeriodSeconds`, 'terminationGracePeriodSeconds must be greater than 0', {
                expected: 'at least 1',
              });
            }
          }
          const successes = whole(probe.successThreshold) ?? 1;
          if (field !== 'readinessProbe' && successes > 1) {
            say(`${path}/successThreshold`, `successThreshold must be 1 for a ${field}, but is ${successes}`, {
              expected: '1',
            });
          }
        }
      }
    },
  ),
];

/** Init containers that end are refused their probes by another rule. */
function probedContainers(pod: PodView): PodView['all'] {
  return [...pod.containers, ...pod.initContainers.filter(({ sidecar }) => sidecar)];
}

function handlersOf(pod: PodView): readonly Handler[] {
  const handlers: Handler[] = [];
  for (const { value, path } of probedContainers(pod)) {
    for (const field of PROBES) {
      const probe = value[field];
      if (isObject(probe)) {
        handlers.push({ field, value: probe, path: `${path}/${field}`, kinds: PROBE_HANDLERS });
      }
    }
    if (!isObject(value.lifecycle)) {
      continue;
    }
    for (const hook of HOOKS) {
      const handler = value.lifecycle[hook];
      if (isObject(handler)) {
        handlers.push({
          field: `${hook} hook`,
          value: handler,
          path: `${path}/lifecycle/${hook}`,
          kinds: HOOK_HANDLERS,
        });
      }
    }
  }
  return handlers;
}

function checkHandler(kind: string, handler: JsonObject, path: string, say: Say, portComesLater: boolean): void {
  const checksPort = !portComesLater || (given(handler.port) && handler.port !== 0);
  switch (kind) {
    case 'exec':
      if (size(handler.command) === 0) {
        say(`${path}/command`, 'the exec handler must have a command', { expected: 'a command and its arguments' });
      }
      return;
    case 'httpGet':
      if (checksPort) {
        checkPort(handler, path, say);
      }
      if (text(handler.scheme) !== '' && !['HTTP', 'HTTPS'].includes(text(handler.scheme))) {
        say(`${path}/scheme`, `unsupported scheme "${text(handler.scheme)}"`, { expected: 'HTTP or HTTPS' });
      }
      for (const header of itemsOf(handler.httpHeaders, `${path}/httpHeaders`)) {
        const complaint = httpHeaderName(text(header.value.name));
        if (complaint !== undefined) {
          say(`${header.path}/name`, `the header name "${text(header.value.name)}" must ${complaint}`);
        }
      }
      return;
    case 'tcpSocket':
    case 'grpc':
      if (checksPort) {
        checkPort(handler, path, say);
      }
      return;
    default:
  }
}

/** A port number or, but for gRPC, the name of one. An absent port is 0. */
function checkPort(handler: JsonObject, path: string, say: Say): void {
  const port = given(handler.port) ? handler.port : 0;
  if (typeof port === 'number') {
    // A fraction is reported as a value of another type.
    if (Number.isInteger(port) && portNumber(port) !== undefined) {
      say(
        `${path}/port`,
        port === 0 ? 'the handler must have a port' : `the port must be between 1 and 65535, but is ${port}`,
        {
          expected: '1-65535',
        },
      );
    }
  } else if (typeof port === 'string') {
    const complaint = portName(port);
    if (complaint !== undefined) {
      say(`${path}/port`, `the port name "${port}" must ${complaint}`);
    }
  }
}
