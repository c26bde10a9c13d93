/**
 * A chat service whose replicas follow its queue, down to none without requests; a ranking service by load and hour; embeddings that are
 * computed as documents come in.
 *
 * The servers report to Prometheus how many requests wait. At zero replicas they report nothing, so the rate at the gateway wakes the first one.
 */
import { App, Chart, Duration } from 'cdk8s';
import { Accelerator, keda, Namespace, PodTemplate, Resource } from 'cdk8s-gantry';
import { Deployment } from 'cdk8s-gantry/api/apps/v1';

const { ClusterTriggerAuthentication, LlmScaling, ScaledJob, ScaledObject, TriggerAuthentication, Triggers } = keda;

const PROMETHEUS = 'http://prometheus.monitoring:9090';

export class Serving extends Chart {
  constructor(app: App, id: string) {
    super(app, id, { namespace: 'serving' });
    new Namespace(this, 'serving');
    this.chat();
    this.ranking();
    this.embeddings();
  }

  /** Large, slow to load: by its queue, to zero without requests. */
  private chat(): void {
    const chat = this.deployment(
      'chat',
      new PodTemplate({
        image: 'registry.example.com/vllm:0.11',
        args: ['--model', 'meta-llama/Llama-3.3-70B-Instruct', '--tensor-parallel-size', '4'],
        accelerators: Accelerator.nvidia({ count: 4 }),
        sharedMemory: '32Gi',
        resources: { cpu: 16, memory: '256Gi' },
      }),
    );
    new ScaledObject(this, 'chat-by-queue', {
      target: chat,
      maxReplicas: 8,
      ...LlmScaling.queueDepth({
        server: 'vllm',
        serverAddress: PROMETHEUS,
        labels: { namespace: 'serving', model_name: 'llama' },
        waitingPerReplica: 4,
        modelLoadingTime: Duration.minutes(7),
        wakeUp: Triggers.prometheus({
          serverAddress: PROMETHEUS,
          query: 'sum(rate(gateway_requests_total{route="chat"}[2m])) or vector(0)',
          threshold: 20,
        }),
      }),
    });
  }

  /** Small, always there: by CPU, and more of it in office hours. */
  private ranking(): void {
    const ranking = this.deployment(
      'ranking',
      new PodTemplate({
        image: 'registry.example.com/ranking:4.2',
        resources: { cpu: 4, memory: '16Gi' },
      }),
    );
    new ScaledObject(this, 'ranking-by-load', {
      target: ranking,
      minReplicas: 2,
      maxReplicas: 12,
      triggers: [
        Triggers.cpu({ utilizationPercent: 70 }),
        Triggers.cron({ timezone: 'Europe/Berlin', start: '0 7 * * 1-5', end: '0 19 * * 1-5', desiredReplicas: 4 }),
      ],
    });
  }

  /** One Job for each ten documents, in a queue here and in one of the cloud. Both count what is worked on, as KEDA's default expects. */
  private embeddings(): void {
    const broker = new TriggerAuthentication(this, 'broker', { secrets: { host: { name: 'rabbitmq', key: 'uri' } } });
    new ScaledJob(this, 'embeddings', {
      image: 'registry.example.com/embed:2',
      accelerators: Accelerator.nvidia({ count: 1 }),
      resources: { cpu: 8, memory: '64Gi' },
      maxReplicas: 16,
      rollout: 'gradual',
      backoffLimit: 2,
      successfulJobsHistoryLimit: 5,
      multipleTriggers: 'sum',
      triggers: [
        Triggers.rabbitmq({ queueName: 'documents', measure: { queueLength: 10 }, authentication: broker }),
        Triggers.awsSqsQueue({
          queueURL: 'https://sqs.eu-central-1.amazonaws.com/123456789012/documents',
          awsRegion: 'eu-central-1',
          queueLength: 10,
          authentication: ClusterTriggerAuthentication.fromName('aws'),
        }),
      ],
    });
  }

  /** No replicas in it: they are KEDA's to set. */
  private deployment(name: string, template: PodTemplate): Resource<Deployment> {
    return new Resource(this, name, Deployment, {
      metadata: { name },
      spec: {
        selector: { matchLabels: { app: name } },
        template: template.with({ podLabels: { app: name } }).toPodTemplate({ containerName: 'server' }),
      },
    });
  }
}

export function scaledServices(app: App): App {
  new ClusterWide(app, 'keda-cluster');
  new Serving(app, 'serving');
  return app;
}

/** What all namespaces may name. */
class ClusterWide extends Chart {
  constructor(app: App, id: string) {
    super(app, id);
    new ClusterTriggerAuthentication(this, 'aws', { podIdentity: { provider: 'aws' } });
  }
}

if (require.main === module) {
  scaledServices(new App()).synth();
}
