import { App, Chart } from 'cdk8s';
import { Construct } from 'constructs';
import { type JsonObject } from '../../../src/facts/api/schema';
import { Job, type JobSpec } from '../../../src/facts/api/types/batch/v1';
import { PodTemplate, Scheduling } from '../../../src/constructs/pods';
import { Workload, type WorkloadProps } from '../../../src/constructs/workload/workload';
import { requireWholeNumber } from '../../../src/constructs/workload/whole-number';

interface PlainJobProps extends WorkloadProps<JobSpec> {
  readonly image: string;
  readonly after?: object;
}

/** The least that a workload is. */
class PlainJob extends Workload<Job, JobSpec> {
  constructor(scope: Construct, id: string, props: PlainJobProps) {
    super(scope, id, {
      kind: Job,
      props,
      render: (choice) => {
        if (props.image === '') {
          throw new Error('image is empty.');
        }
        return {
          template: new PodTemplate({ image: props.image }).toPodTemplate({ ...choice, restartPolicy: 'Never' }),
        };
      },
      references: [props.after],
      metadataOf: ({ engine }) => ({ annotations: { 'example.com/engine': engine } }),
      labelsOfPriority: ({ name }) => ({ 'example.com/priority': name }),
    });
  }
}

class Named extends Construct {
  readonly engine = 'volcano';

  constructor(
    scope: Construct,
    readonly name: string,
  ) {
    super(scope, name);
  }
}

function made(props: Partial<PlainJobProps>, change: (job: PlainJob) => unknown = () => undefined): JsonObject {
  const chart = new Chart(new App(), 'test', { namespace: 'ml' });
  change(new PlainJob(chart, 'work', { image: 'x', ...props }));
  return (chart.toJson() as JsonObject[])[0] ?? {};
}

test('queue and priority may come at once or later, and are written alike', () => {
  const scheduling = Scheduling.volcano({ engine: 'volcano', name: 'q' });
  const priorityClass = { kind: 'PriorityClass', name: 'high' } as const;
  const later = made({}, (job) => job.scheduleBy(scheduling).withPriority(priorityClass));
  expect(later).toEqual(made({ scheduling, priorityClass }));
  expect(later).toMatchObject({
    metadata: { labels: { 'example.com/priority': 'high' }, annotations: { 'example.com/engine': 'volcano' } },
    spec: { template: { spec: { schedulerName: 'volcano', priorityClassName: 'high' } } },
  });
});

test('a second queue is refused, and so is a queue beside the default scheduler, with both', () => {
  expect(() =>
    // @ts-expect-error it has a queue
    made({}, (job) => job.submitTo({ engine: 'volcano', name: 'a' }).submitTo({ engine: 'volcano', name: 'b' })),
  ).toThrow('test/work: must not be scheduled by the Volcano queue "b": it is scheduled by the Volcano queue "a".');
  expect(() =>
    made({ scheduling: Scheduling.default() }, (job) => job.submitTo({ engine: 'kueue', name: 'a' })),
  ).toThrow('must not be scheduled by the Kueue LocalQueue "a": it is scheduled by the default scheduler.');
});

test('what contradicts is reported where it is written, with the path, and nothing is chosen then', () => {
  expect(() => made({ image: '' })).toThrow('test/work: image is empty.');
  made({}, (job) => {
    expect(() => job.scheduleBy(Scheduling.podGroup())).toThrow(
      'test/work: Job cannot be scheduled by pod-group (a native PodGroup): its pods are independent of each other',
    );
    expect(job.choice.scheduling).toBeUndefined();
    job.submitTo({ engine: 'volcano', name: 'q' });
  });
});

test("metadata of one's own wins, and overrides are merged in at the end", () => {
  expect(
    made({
      name: 'a',
      labels: { x: '1', y: '1' },
      metadata: { labels: { y: '2' } },
      overrides: { backoffLimit: 2, template: { metadata: { labels: { z: '3' } } } },
    }),
  ).toMatchObject({
    metadata: { name: 'a', namespace: 'ml', labels: { x: '1', y: '2' } },
    spec: { backoffLimit: 2, template: { metadata: { labels: { z: '3' } }, spec: { containers: [{ image: 'x' }] } } },
  });
});

test('a workload waits for its queue and for what it refers to', () => {
  const chart = new Chart(new App(), 'test');
  const [queue, claim] = [new Named(chart, 'q'), new Named(chart, 'c')];
  const job = new PlainJob(chart, 'work', { image: 'x', after: claim }).submitTo(queue);
  expect(job.node.dependencies).toEqual(expect.arrayContaining([queue, claim]));
});

test('counts are whole numbers of at least so many', () => {
  expect(() => requireWholeNumber('n', 0, 0)).not.toThrow();
  for (const value of [0, 1.5, Number.NaN, Infinity]) {
    expect(() => requireWholeNumber('n', value)).toThrow(
      `n must be a whole number greater than or equal to 1, not ${value}.`,
    );
  }
});
