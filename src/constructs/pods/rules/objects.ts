/**
 * Advice about built-in objects around pods: schedules that never come, node ports that servers do not hand out.
 */
import { type ObjectRule, type Rule } from '../../../checks/rule';
import { scheduleFires } from '../../../checks/server/workloads/schedule';
import { asObject } from '../../../manifests/read';
import { itemsOf, text, whole } from '../../../checks/server/values';

const scheduleComes: ObjectRule = {
  id: 'pods/cron-schedule-comes',
  row: 'K11',
  tier: 'advice',
  severity: 'error',
  summary: "A CronJob's schedule comes at some time.",
  why: 'The server takes a day that no month has; the CronJob never runs.',
  source: 'observed on kube-apiserver 1.36.2 (0 0 31 2 *)',
  fix: 'Correct the day or the month.',
  on: 'object',
  kinds: ['batch/CronJob', 'batch.volcano.sh/CronJob'],
  check: ({ object }) => {
    const schedule = text(asObject(object.spec).schedule);
    return scheduleFires(schedule) === false
      ? [
          {
            path: '/spec/schedule',
            message: `the schedule "${schedule}" names days that no month has: it never fires`,
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
  summary: 'A nodePort lies in the range from which servers hand out node ports.',
  why: 'A server with the default range refuses other ports.',
  source: 'kubernetes 1.36, kube-apiserver --service-node-port-range (30000-32767)',
  fix: 'Choose a port from 30000 to 32767, or none.',
  on: 'object',
  kinds: ['Service'],
  check: ({ object }) =>
    itemsOf(asObject(object.spec).ports, '/spec/ports').flatMap(({ value, path }) => {
      const port = whole(value.nodePort) ?? 0;
      return port > 0 && (port < 30000 || port > 32767)
        ? [
            {
              path: `${path}/nodePort`,
              message: `node port ${port} is outside of the default range`,
              found: port,
              expected: '30000-32767',
            },
          ]
        : [];
    }),
};

export const objectRules: readonly Rule[] = [scheduleComes, nodePortInRange];
