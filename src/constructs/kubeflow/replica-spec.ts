/**
 * One role of a training-operator job: a number of pods from one template.
 */
import { type JAXJobSpecJaxReplicaSpec } from '../../facts/api/types/kubeflow.org/v1';
import { type PodRenderOptions, PodTemplate, type PodProps } from '../pods';
import { type Framework, type ReplicaRestartPolicy } from './frameworks';

/** The same in every kind. */
export type ReplicaSpec = JAXJobSpecJaxReplicaSpec;

export interface ReplicaProps {
  readonly framework: Framework;
  /** Always written out: the webhooks look before the operator fills in its defaults. */
  readonly replicas: number;
  readonly restartPolicy: ReplicaRestartPolicy;
  readonly template: PodTemplate;
  /** Port of the rendezvous. @default - the operator adds its own */
  readonly port?: number;
}

export function replicaSpecOf(
  props: ReplicaProps,
  options: Omit<PodRenderOptions, 'containerName' | 'restartPolicy'>,
): ReplicaSpec {
  const { framework, replicas, restartPolicy } = props;
  const template = props.port === undefined ? props.template : withPort(props.template, framework.portName, props.port);
  return {
    replicas,
    restartPolicy,
    template: template.toPodTemplate({ ...options, containerName: framework.container }),
  };
}

function withPort(template: PodTemplate, name: string, containerPort: number): PodTemplate {
  return template.with({ ports: [{ name, containerPort }, ...(template.props.ports ?? [])] });
}

/** The template of a role: the job's, with what is different in this role. */
export function roleTemplate(common: PodProps, changes: Partial<PodProps> | undefined): PodTemplate {
  return new PodTemplate({ ...common, ...changes });
}
