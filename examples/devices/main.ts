/**
 * One program on the accelerators of several vendors, and on GPUs by claim: what changes is one line.
 */
import { App, Chart } from 'cdk8s';
import { Accelerator, Checks, devices, Namespace, PodTemplate, Resource, ResourceQuota } from 'cdk8s-gantry';
import { Job } from 'cdk8s-gantry/api/batch/v1';

const { ComputeDomain, DeviceClass, deviceClassQuota, DeviceSelector, GpuClaim } = devices;

/** The same job, wherever it runs. */
function job(chart: Chart, name: string, template: PodTemplate, completions = 1): void {
  const indexed = completions > 1 ? { completionMode: 'Indexed', completions, parallelism: completions } : {};
  new Resource(chart, name, Job, {
    metadata: { name },
    spec: { backoffLimit: 3, ...indexed, template: template.toPodTemplate({ restartPolicy: 'Never' }) },
  });
}

const base = new PodTemplate({
  image: 'registry.example.com/eval:3',
  command: ['python', 'eval.py'],
  resources: { cpu: 8, memory: '32Gi' },
  sharedMemory: '8Gi',
});

/** What device plugins give out, each under its name, in its unit, on its nodes. */
export class ByPlugin extends Chart {
  constructor(app: App, id: string) {
    super(app, id, { namespace: 'evaluation' });
    new Namespace(this, 'evaluation');
    const requests: Readonly<Record<string, Accelerator>> = {
      'whole-gpus': Accelerator.nvidia({ count: 2, product: 'H100-SXM-80GB' }),
      'mig-slice': Accelerator.mig({ count: 1, profile: '3g.40gb', product: 'H100-SXM-80GB' }),
      'gpu-share': Accelerator.timeSliced({ product: 'T4' }),
      hami: Accelerator.hami({ count: 1, memory: '10Gi', computePercent: 30, gpuTypes: ['A100'] }),
      'volcano-vgpu': Accelerator.volcanoVgpu({ count: 1, memory: '10Gi' }),
      cgpu: Accelerator.cgpu({ memory: '10Gi', computePercent: 30 }),
      qgpu: Accelerator.qgpu({ memory: '10Gi', computePercent: 30 }),
      amd: Accelerator.amd({ count: 2 }),
      intel: Accelerator.intel({ count: 1, driver: 'xe' }),
      gaudi: Accelerator.gaudi({ count: 2, hugepages: '24Gi' }),
      ascend: Accelerator.ascend({ count: 8 }),
      neuron: Accelerator.neuron({ count: 1 }),
      tpu: Accelerator.tpu({ count: 4, accelerator: 'tpu-v5-lite-podslice', topology: '2x2' }),
    };
    for (const [name, accelerators] of Object.entries(requests)) {
      job(this, name, base.with({ accelerators }));
    }
  }
}

/** GPUs by claim: a class of large ones, alternatives, and four nodes of a rack that share their memory. */
export class ByClaim extends Chart {
  constructor(app: App, id: string) {
    super(app, id, { namespace: 'claims' });
    const namespace = new Namespace(this, 'claims');
    new ResourceQuota(this, 'quota', {
      namespace,
      hard: { [deviceClassQuota('gpu.nvidia.com')]: 32, [deviceClassQuota('large-gpu.example.com')]: 16 },
    });
    const large = new DeviceClass(this, 'large-gpu.example.com', {
      selectors: [DeviceSelector.cel('device.driver == "gpu.nvidia.com"'), DeviceSelector.memoryAtLeast('70Gi')],
    });
    const pair = new GpuClaim(this, 'pair', {
      deviceClass: large,
      count: 2,
      constraints: [{ sameAttribute: 'resource.kubernetes.io/pcieRoot' }],
    });
    job(this, 'train', base.with({ accelerators: pair.accelerator() }));

    const either = new GpuClaim(this, 'either', {
      firstAvailable: [
        { name: 'one-hopper', selectors: [DeviceSelector.architecture('Hopper')] },
        { name: 'two-ampere', count: 2, selectors: [DeviceSelector.architecture('Ampere')] },
      ],
    });
    job(this, 'tune', base.with({ accelerators: either.accelerator({ count: 1 }) }));

    const rack = new ComputeDomain(this, 'rack');
    const whole = new GpuClaim(this, 'node', { count: 4 });
    job(this, 'rack-train', base.with({ accelerators: whole.accelerator(), parts: [rack.channel] }), 4);
  }
}

export function manyDevices(app: App): App {
  Checks.of(app).target('1.34');
  new ByPlugin(app, 'by-plugin');
  new ByClaim(app, 'by-claim');
  return app;
}

if (require.main === module) {
  manyDevices(new App()).synth();
}
