/**
 * Volumes of a Volcano Job, mounted in every container of every task.
 */
import { type JobSpecVolume } from '../../facts/api/types/batch.volcano.sh/v1alpha1';
import { type PersistentVolumeClaimSpec } from '../../facts/api/types/core/v1';
import { type NamedReference, nameOf, referencesIn } from '../resources/references';
import { publicClass } from '../resources/public-class';

/**
 * A volume that all pods of a job mount.
 *
 * @example
 * new volcano.Job(chart, 'train', {
 *   tasks: [{ name: 'worker', replicas: 4, template: new PodTemplate({ image: 'registry.example.com/train:1' }) }],
 *   volumes: [volcano.JobVolume.existing('/data', 'datasets')],
 * });
 */
@publicClass('volcano.JobVolume')
export class JobVolume {
  /** A claim that there is. */
  static existing(mountPath: string, claim: NamedReference<'PersistentVolumeClaim'>): JobVolume {
    return new JobVolume({ mountPath, volumeClaimName: nameOf(claim) }, referencesIn(claim));
  }

  /** A new claim, which lives as long as the job. */
  static claim(mountPath: string, claim: PersistentVolumeClaimSpec): JobVolume {
    return new JobVolume({ mountPath, volumeClaim: claim }, []);
  }

  private constructor(
    private readonly spec: JobSpecVolume,
    /** Constructs that must exist before the job. */
    readonly references: readonly object[],
  ) {}

  /** Returns the volume as the spec of the job has it. */
  toVolume(): JobSpecVolume {
    return this.spec;
  }
}
