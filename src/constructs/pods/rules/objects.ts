/**
 * Advice about built-in objects around pods: schedules that never come, node ports that servers do not hand out.
 */
import { type ObjectRule, type Rule } from '../../../checks/rules/rule';
import { scheduleFires } from '../../../checks/server/workloads/schedule';
import { asObject } from '../../../manifests/read';
import { itemsOf, text, whole } from '../../../checks/server/values';

const scheduleComes: ObjectRule = {
  id: 'pods/cron-schedule-comes',
  row: 'K11',
  tier: 'advice',
  severity: 'error',
  summary: 'The schedule of a CronJob must match at least one date.',
  why: 'The API server accepts a day that does not occur in the given month; the CronJob never runs.',
  source: 'observed on kube-apiserver 1.36.2 (0 0 31 2 *)',
  fix: 'Set the day of the month in spec.schedule to one that the month has.',
  on: 'object',
  kinds: ['batch/CronJob', 'batch.volcano.sh/CronJob'],
  check: ({ object }) => {
    const schedule = text(asObject(object.spec).schedule);
    return scheduleFires(schedule) === false
      ? [
          {
            path: '/spec/schedule',
            message: `the schedule "${schedule}" matches no date, so the CronJob never runs`,
            found: schedule,
          },
        ]
      : [];
  },
};

const nodePortInRange: ObjectRule = {
  id: 'pods/node-port-in-default-range',
  tier: 'advice',
  severity: 'warning',
  summary: 'A nodePort should be in the default range of node ports.',
  why: 'A server with the default range rejects other ports.',
  source: 'kubernetes 1.36, kube-apiserver --service-node-port-range (30000-32767)',
  fix: 'Set nodePort to a port from 30000 to 32767, or leave it unset.',
  on: 'object',
  kinds: ['Service'],
  check: ({ object }) =>
    itemsOf(asObject(object.spec).ports, '/spec/ports').flatMap(({ value, path }) => {
      const port = whole(value.nodePort) ?? 0;
      return port > 0 && (port < 30000 || port > 32767)
        ? [
            {
              path: `${path}/nodePort`,
              message: `the node port ${port} is outside the default range (30000-32767)`,
              found: port,
              expected: '30000-32767',
            },
          ]
        : [];
    }),
};

export const objectRules: readonly Rule[] = [scheduleComes, nodePortInRange];
