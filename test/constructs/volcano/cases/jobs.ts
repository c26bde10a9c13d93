import { type JsonObject } from '../../../../src/facts/api/schema';
import { asObject } from '../../../../src/manifests/read';
import { container, cronJob, job, jobTemplate, queue, task, type RuleCases } from './world';

function withoutSpec({ spec: _spec, ...object }: JsonObject): JsonObject {
  return object;
}

/** A job whose pods state whether Prometheus scrapes them. */
function scraped(value: string): JsonObject {
  const { template, ...master } = task('master', 1);
  const metadata = { annotations: { 'prometheus.io/scrape': value } };
  return job({ tasks: [{ ...master, template: { metadata, ...asObject(template) } }] });
}

export const jobCases: readonly RuleCases[] = [
  {
    rule: 'volcano/object-has-spec',
    fires: {
      'a job without one': [{ ...job(), spec: null }],
      'a queue without one': [withoutSpec(queue('q'))],
      'an empty job template': [cronJob({ jobTemplate: {} })],
    },
    silent: { 'an empty one of a queue': [queue('q')], 'a cron job': [cronJob()] },
  },
  {
    rule: 'volcano/job-durations-readable',
    fires: {
      'a number without a unit': [job({ policies: [{ event: 'PodPending', action: 'RestartJob', timeout: '10' }] })],
      'a date as the estimate': [job({ runningEstimate: '2026-01-01T00:00:00Z' })],
      'of a task': [
        job({ tasks: [task('a', 1, { policies: [{ event: 'PodPending', action: 'RestartJob', timeout: '1 h' }] })] }),
      ],
      'of a cron job': [cronJob({ jobTemplate: { spec: { ...asObject(job().spec), runningEstimate: '10%' } } })],
      'longer than 292 years': [job({ runningEstimate: '2562048h' })],
    },
    silent: {
      'hours and minutes': [job({ runningEstimate: '1h30m' })],
      'the longest': [job({ runningEstimate: '2562047h' })],
    },
  },
  {
    rule: 'volcano/task-has-containers',
    fires: {
      'no template': [job({ tasks: [{ name: 'a', replicas: 1 }] })],
      'an empty list': [job({ tasks: [task('a', 1, {}, { containers: [] })] })],
    },
    silent: { 'one container': [job({ tasks: [task('a', 1)] })] },
  },
  {
    rule: 'volcano/job-has-tasks',
    fires: { 'no tasks': [job({ tasks: [] })] },
    silent: { 'one task': [job({ tasks: [task('master', 1)] })] },
  },
  {
    rule: 'volcano/job-task-names-unique',
    fires: { 'two of one name': [job({ tasks: [task('worker', 1), task('worker', 2)] })] },
    silent: { 'two unnamed tasks, which Volcano numbers': [job({ tasks: [{ replicas: 1 }, { replicas: 1 }] })] },
  },
  {
    rule: 'volcano/task-min-available-within-replicas',
    fires: { 'more than replicas': [job({ tasks: [task('master', 1, { minAvailable: 2 })] })] },
    silent: { 'as many as replicas': [job({ tasks: [task('master', 2, { minAvailable: 2 })] })] },
  },
  {
    rule: 'volcano/job-min-available-within-replicas',
    fires: {
      'more than all tasks': [job({ minAvailable: 5 })],
      'in a template too': [{ ...jobTemplate('t'), spec: { minAvailable: 1, tasks: [task('a', 0)] } }],
    },
    silent: { 'all tasks': [job({ minAvailable: 4 })] },
  },
  {
    rule: 'volcano/job-min-available-covers-tasks',
    fires: { 'fewer than the tasks need': [job({ minAvailable: 2 })] },
    silent: {
      'the sum of what they need': [
        job({ minAvailable: 3, tasks: [task('master', 1), task('worker', 3, { minAvailable: 2 })] }),
      ],
      'left to Volcano': [job()],
      'some pods of one task': [job({ minAvailable: 2, tasks: [task('worker', 8)] })],
    },
  },
  {
    rule: 'volcano/task-states-replicas',
    fires: { 'no replicas': [job({ tasks: [{ name: 'master', template: {} }] })] },
    silent: { replicas: [job()] },
  },
  {
    rule: 'volcano/job-volumes-valid',
    fires: {
      'no claim': [job({ volumes: [{ mountPath: '/data' }] })],
      'two claims': [job({ volumes: [{ mountPath: '/data', volumeClaimName: 'x', volumeClaim: {} }] })],
      'one path twice': [
        job({
          volumes: [
            { mountPath: '/data', volumeClaimName: 'x' },
            { mountPath: '/data', volumeClaimName: 'y' },
          ],
        }),
      ],
      'no path': [job({ volumes: [{ volumeClaimName: 'x' }] })],
    },
    silent: {
      'a claim each': [
        job({
          volumes: [
            { mountPath: '/data', volumeClaimName: 'x' },
            { mountPath: '/out', volumeClaim: {} },
          ],
        }),
      ],
    },
  },
  {
    rule: 'volcano/job-task-dependencies-acyclic',
    fires: {
      'a name that is no task': [job({ tasks: [task('master', 1, { dependsOn: { name: ['worker'] } })] })],
      'a name twice': [
        job({ tasks: [task('master', 1), task('worker', 1, { dependsOn: { name: ['master', 'master'] } })] }),
      ],
      'a circle': [
        job({
          tasks: [
            task('master', 1, { dependsOn: { name: ['worker'] } }),
            task('worker', 1, { dependsOn: { name: ['master'] } }),
          ],
        }),
      ],
    },
    silent: {
      'one after the other': [
        job({ tasks: [task('master', 1), task('worker', 1, { dependsOn: { name: ['master'] } })] }),
      ],
    },
  },
  {
    rule: 'volcano/task-partitions-add-up',
    fires: {
      'replicas that do not divide': [
        job({ tasks: [task('worker', 7, { partitionPolicy: { totalPartitions: 2, partitionSize: 4 } })] }),
      ],
      'a minimum that does not divide': [
        job({
          tasks: [
            task('worker', 8, {
              minAvailable: 5,
              partitionPolicy: { totalPartitions: 2, partitionSize: 4, minPartitions: 1 },
            }),
          ],
        }),
      ],
      'partitions of nothing': [
        job({ tasks: [task('worker', 8, { partitionPolicy: { totalPartitions: 2, partitionSize: 0 } })] }),
      ],
    },
    silent: {
      'numbers that agree': [
        job({
          tasks: [
            task('worker', 8, {
              minAvailable: 4,
              partitionPolicy: { totalPartitions: 2, partitionSize: 4, minPartitions: 1 },
            }),
          ],
        }),
      ],
      'no minimum of partitions': [
        job({
          tasks: [task('worker', 8, { minAvailable: 5, partitionPolicy: { totalPartitions: 2, partitionSize: 4 } })],
        }),
      ],
    },
  },
  {
    rule: 'volcano/task-topology-needs-whole-cpus',
    fires: {
      'no request': [job({ tasks: [task('worker', 1, { topologyPolicy: 'restricted' })] })],
      'half a core': [
        job({
          tasks: [
            task(
              'worker',
              1,
              { topologyPolicy: 'restricted' },
              { containers: [container({ resources: { requests: { cpu: '1500m' } } })] },
            ),
          ],
        }),
      ],
      'requests that leave out the CPU, although there is a limit': [
        job({
          tasks: [
            task(
              'worker',
              1,
              { topologyPolicy: 'restricted' },
              { containers: [container({ resources: { requests: { memory: '1Gi' }, limits: { cpu: 2 } } })] },
            ),
          ],
        }),
      ],
    },
    silent: {
      'a limit alone': [
        job({
          tasks: [
            task(
              'worker',
              1,
              { topologyPolicy: 'restricted' },
              { containers: [container({ resources: { limits: { cpu: '2' } } })] },
            ),
          ],
        }),
      ],
      'no policy': [job({ tasks: [task('worker', 1, { topologyPolicy: 'none' })] })],
    },
  },
  {
    rule: 'volcano/job-network-topology-names-one-tier',
    fires: { 'number and name': [job({ networkTopology: { highestTierAllowed: 1, highestTierName: 'rack' } })] },
    silent: { 'a name': [job({ networkTopology: { highestTierName: 'rack' } })] },
  },
  {
    rule: 'volcano/task-restart-policy-lets-finish',
    fires: {
      'none, so Always': [
        job({ tasks: [{ name: 'master', replicas: 1, template: { spec: { containers: [container()] } } }] }),
      ],
      Always: [job({ tasks: [task('master', 1, {}, { restartPolicy: 'Always' })] })],
    },
    silent: { OnFailure: [job()], Never: [job({ tasks: [task('master', 1, {}, { restartPolicy: 'Never' })] })] },
  },
  {
    rule: 'volcano/policy-reacts-to-event-or-exit-code',
    fires: {
      both: [job({ policies: [{ event: 'PodFailed', exitCode: 3, action: 'RestartJob' }] })],
      neither: [job({ policies: [{ action: 'RestartJob' }] })],
      'in a task': [job({ tasks: [task('master', 1, { policies: [{ action: 'RestartTask' }] })] })],
    },
    silent: {
      'one each': [
        job({
          policies: [
            { events: ['PodFailed'], action: 'RestartJob' },
            { exitCode: 3, action: 'AbortJob' },
          ],
        }),
      ],
    },
  },
  {
    rule: 'volcano/policy-exit-code-not-zero',
    fires: { zero: [job({ policies: [{ exitCode: 0, action: 'RestartJob' }] })] },
    silent: { three: [job({ policies: [{ exitCode: 3, action: 'RestartJob' }] })] },
  },
  {
    rule: 'volcano/policy-events-once',
    fires: {
      'an event twice': [
        job({
          policies: [
            { event: 'PodFailed', action: 'RestartJob' },
            { events: ['PodFailed'], action: 'AbortJob' },
          ],
        }),
      ],
      'a code twice': [
        job({
          policies: [
            { exitCode: 3, action: 'RestartJob' },
            { exitCode: 3, action: 'AbortJob' },
          ],
        }),
      ],
      'every event beside one': [
        job({
          policies: [
            { event: '*', action: 'RestartJob' },
            { event: 'PodFailed', action: 'AbortJob' },
          ],
        }),
      ],
    },
    silent: {
      'an event twice in one policy': [
        job({ policies: [{ event: 'PodFailed', events: ['PodFailed'], action: 'RestartJob' }] }),
      ],
      'the same event at the job and at a task': [
        job({
          policies: [{ event: 'PodFailed', action: 'RestartJob' }],
          tasks: [task('master', 1, { policies: [{ event: 'PodFailed', action: 'RestartTask' }] })],
        }),
      ],
      'every event beside an exit code': [
        job({
          policies: [
            { event: '*', action: 'RestartJob' },
            { exitCode: 3, action: 'AbortJob' },
          ],
        }),
      ],
    },
  },
  {
    rule: 'volcano/policy-event-allowed',
    fires: { 'an event of Volcano itself': [job({ policies: [{ event: 'PodRunning', action: 'RestartJob' }] })] },
    silent: { 'an event for users': [job({ policies: [{ event: 'JobUpdated', action: 'RestartJob' }] })] },
  },
  {
    rule: 'volcano/policy-action-allowed',
    fires: {
      'an action that does not exist': [job({ policies: [{ event: 'PodFailed', action: 'Restart' }] })],
      'no action': [job({ policies: [{ event: 'PodFailed' }] })],
      'an action without effect': [job({ policies: [{ exitCode: 3, action: 'Restart' }] })],
    },
    silent: { 'an action': [job({ policies: [{ event: 'PodFailed', action: 'RestartPartition' }] })] },
  },
  {
    rule: 'volcano/policy-pod-pending-has-timeout',
    fires: { 'no timeout': [job({ policies: [{ event: 'PodPending', action: 'AbortJob' }] })] },
    silent: { 'a timeout': [job({ policies: [{ event: 'PodPending', action: 'AbortJob', timeout: '10m' }] })] },
  },
  {
    rule: 'volcano/gang-reacts-to-failure',
    fires: { 'four pods and no policy': [job({ policies: [] })] },
    silent: {
      'one pod': [job({ policies: [], tasks: [task('master', 1)] })],
      'a policy at a task': [
        job({
          policies: [],
          tasks: [task('master', 2, { policies: [{ event: 'TaskCompleted', action: 'CompleteJob' }] })],
        }),
      ],
    },
  },
  {
    rule: 'volcano/task-container-has-program',
    fires: {
      'a base image and nothing to run': [
        job({ tasks: [task('master', 1, {}, { containers: [container({ image: 'pytorch/pytorch:2.0.1' })] })] }),
      ],
    },
    silent: {
      "an image of one's own": [job()],
      'a base image with a command': [
        job({
          tasks: [task('master', 1, {}, { containers: [container({ image: 'python:3.12', args: ['train.py'] })] })],
        }),
      ],
    },
  },
  {
    rule: 'volcano/job-network-policy-lets-scrapers-in',
    fires: {
      'pods that are annotated to be scraped, with ports of any name': [scraped('true')],
      'a metrics port': [
        job({
          tasks: [
            task('master', 1, {}, { containers: [container({ ports: [{ name: 'metrics', containerPort: 9100 }] })] }),
          ],
        }),
      ],
    },
    silent: {
      'no metrics': [job()],
      'pods that are annotated not to be scraped': [scraped('false')],
      'no policy': [
        job({
          plugins: { svc: ['--disable-network-policy'] },
          tasks: [
            task('master', 1, {}, { containers: [container({ ports: [{ name: 'metrics', containerPort: 9100 }] })] }),
          ],
        }),
      ],
    },
  },
  {
    rule: 'volcano/job-name-serves-as-host',
    fires: { 'a dot': [job({}, { name: 'train.v1' })], 'a digit first': [job({}, { name: '70b-train' })] },
    silent: {
      'a label': [job({}, { name: 'train-70b' })],
      'a digit first, without svc': [job({ plugins: {} }, { name: '70b-train' })],
    },
  },
  {
    rule: 'volcano/job-derived-names-fit',
    fires: {
      'a volume of a plugin': [job({}, { name: 'x'.repeat(60) })],
      volumes: [job({ plugins: {}, volumes: [{ mountPath: '/d', volumeClaimName: 'c' }] }, { name: 'x'.repeat(51) })],
    },
    silent: { 'room enough': [job({}, { name: 'x'.repeat(59) })] },
  },
  {
    rule: 'volcano/job-pod-names-fit',
    fires: {
      "too long by the task's position": [job({ tasks: [task('w'.repeat(40), 1)] }, { name: 'x'.repeat(30) })],
      'too long only for the last pods': [
        job({ tasks: [task('master', 1), task('worker', 1000)] }, { name: 'x'.repeat(53) }),
      ],
    },
    silent: {
      'the last pod fits': [job({ tasks: [task('master', 1), task('worker', 1000)] }, { name: 'x'.repeat(52) })],
      'no host names': [
        job({ plugins: {}, tasks: [task('master', 1), task('worker', 1000)] }, { name: 'x'.repeat(53) }),
      ],
    },
  },
];
