/**
 * Which PodGroups get a status, and which of these writes are sent before all others.
 */
import { type JsonObject } from '../../../src/facts/api/schema';
import { type CollectionName } from '../../../src/planning/scheduler-settings/collections';
import { DEFAULT_CONFIGURATION } from '../../../src/planning/scheduler-settings/configuration';
import {
  letPodGroupsGoOn,
  type PodGroupReport,
  reportPodGroups,
} from '../../../src/runtime/kubernetes/report-pod-groups';
import { World } from '../../../src/runtime/kubernetes/world/world';
import { pod, Source } from './watched-source';

const PATHS: Partial<Record<CollectionName, string>> = {
  volcanoPodGroups: '/apis/scheduling.volcano.sh/v1beta1/podgroups',
  schedulerPluginsPodGroups: '/apis/scheduling.x-k8s.io/v1alpha1/podgroups',
};

interface Sent {
  readonly path: string;
  readonly status: JsonObject;
  readonly gates: boolean;
}

class Reported {
  readonly source = new Source();
  readonly world: World;
  readonly sent: Sent[] = [];
  readonly report: PodGroupReport;

  constructor(enqueueVolcanoPodGroups = true, served: typeof PATHS = PATHS) {
    this.world = new World(this.source, { ...DEFAULT_CONFIGURATION, enqueueVolcanoPodGroups });
    this.report = {
      watched: { all: (name) => this.source.all(name), pathOf: (name) => served[name] },
      world: this.world,
      explainer: {
        podGroup: (path, body, contentType, gates) => {
          expect(contentType).toBe('application/merge-patch+json');
          this.sent.push({ path, status: (body as { status: JsonObject }).status, gates });
        },
      },
      now: '2026-01-01T00:00:00Z',
    };
  }

  group(collection: CollectionName, name: string, status?: JsonObject): void {
    this.source.put(collection, {
      metadata: { namespace: 'default', name },
      spec: { minMember: 1 },
      ...(status && { status }),
    });
  }

  /** Pods of a PodGroup of Volcano. */
  pods(group: string, ...phases: readonly (string | undefined)[]): void {
    phases.forEach((phase, index) =>
      this.source.put(
        'pods',
        pod(`${group}-${index}`, {
          annotations: { 'scheduling.k8s.io/group-name': group },
          ...(phase !== undefined && { phase, node: 'n-1' }),
        }),
      ),
    );
  }

  gangs(): void {
    reportPodGroups(this.report, this.world.gangs.values(), new Map([['default/job', 'no node fits']]));
  }
}

describe('the status that a gang gets', () => {
  test('counts its pods by what they are at, and says why it waits', () => {
    const reported = new Reported();
    reported.group('volcanoPodGroups', 'job', { phase: 'Inqueue' });
    reported.pods('job', undefined, 'Running', 'Running', 'Succeeded', 'Failed');
    reported.gangs();
    expect(reported.sent).toEqual([
      {
        path: '/apis/scheduling.volcano.sh/v1beta1/namespaces/default/podgroups/job',
        status: expect.objectContaining({ running: 2, succeeded: 1, failed: 1 }) as JsonObject,
        gates: false,
      },
    ]);
    expect(JSON.stringify(reported.sent[0].status)).toContain('no node fits');
  });

  test('is sent only where the cluster serves the kind, the PodGroup exists, and the gang has pods', () => {
    const unserved = new Reported(true, {});
    unserved.group('volcanoPodGroups', 'job');
    unserved.pods('job', 'Running');
    unserved.gangs();
    expect(unserved.sent).toEqual([]);

    const reported = new Reported();
    reported.pods('absent', 'Running');
    reported.source.put('pods', pod('labeled', { gang: 'job' }));
    reported.group('volcanoPodGroups', 'job', { phase: 'Running' });
    reported.pods('job', 'Running');
    reported.source.remove('pods', 'default/job-0');
    reported.gangs();
    expect(reported.sent).toEqual([]);
  });
});

test('a PodGroup that ran and waits again is not what a controller waits for', () => {
  const reported = new Reported();
  reported.group('volcanoPodGroups', 'job', { phase: 'Running' });
  reported.pods('job', undefined);
  reported.gangs();
  expect(reported.sent).toMatchObject([{ status: { phase: 'Inqueue' }, gates: false }]);
});

describe('a PodGroup without a phase, or with the phase Pending', () => {
  test.each([undefined, { phase: 'Pending' }])('is let go on where no pod exists yet: %j', (status) => {
    const reported = new Reported();
    reported.group('volcanoPodGroups', 'job', status);
    letPodGroupsGoOn(reported.report);
    expect(reported.sent).toEqual([
      {
        path: '/apis/scheduling.volcano.sh/v1beta1/namespaces/default/podgroups/job',
        status: { phase: 'Inqueue' },
        gates: true,
      },
    ]);
  });

  test('is left to Volcano where the configuration does not say otherwise, unless the gang has pods', () => {
    const reported = new Reported(false);
    reported.group('volcanoPodGroups', 'job');
    letPodGroupsGoOn(reported.report);
    expect(reported.sent).toEqual([]);
    reported.pods('job', undefined);
    letPodGroupsGoOn(reported.report);
    expect(reported.sent).toMatchObject([{ status: { phase: 'Inqueue' }, gates: true }]);
  });

  test('is reported as it is where the gang runs, which no controller waits for', () => {
    const reported = new Reported();
    reported.group('volcanoPodGroups', 'job');
    reported.pods('job', 'Running');
    letPodGroupsGoOn(reported.report);
    expect(reported.sent).toMatchObject([{ status: { phase: 'Running', running: 1 }, gates: false }]);
  });

  test('has nothing to wait for once it has another phase or is deleted', () => {
    const reported = new Reported();
    reported.group('volcanoPodGroups', 'job');
    reported.group('volcanoPodGroups', 'job', { phase: 'Inqueue' });
    reported.group('volcanoPodGroups', 'deleted');
    reported.source.remove('volcanoPodGroups', 'default/deleted');
    reported.group('schedulerPluginsPodGroups', 'other');
    letPodGroupsGoOn(reported.report);
    expect(reported.sent).toEqual([]);
  });
});
