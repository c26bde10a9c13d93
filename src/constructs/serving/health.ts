/**
 * How one asks a server whether it is well: a closed choice, rendered as a probe.
 */
import { type Probe } from '../../facts/api/types/core/v1';
import { publicClass } from '../resources/public-class';

type Handler = Pick<Probe, 'exec' | 'grpc' | 'httpGet' | 'tcpSocket'>;

/**
 * How the health of a model server is probed.
 *
 * @example
 * new serving.InferenceService(chart, 'chat', {
 *   image: 'vllm/vllm-openai:v0.14.0',
 *   port: 8000,
 *   loadingTime: Duration.minutes(4),
 *   accelerators: Accelerator.nvidia({ count: 1 }),
 *   ready: serving.Health.http('/health'),
 * });
 */
@publicClass('serving.Health')
export class Health {
  /** GET on the server's port; 200 to 399 is well. */
  static http(path = '/health'): Health {
    return new Health((port) => ({ httpGet: { path, port } }));
  }

  /** Probes the health protocol of gRPC on the port of the server. */
  static grpc(service?: string): Health {
    return new Health((_port, number) => ({ grpc: { port: number, ...(service === undefined ? {} : { service }) } }));
  }

  /** The port takes connections. Servers that open it before the model is loaded need another way. */
  static tcp(): Health {
    return new Health((port) => ({ tcpSocket: { port } }));
  }

  /** A command in the container that ends with 0. */
  static command(...command: readonly string[]): Health {
    return new Health(() => ({ exec: { command } }));
  }

  private constructor(private readonly handlerOf: (port: string | number, number: number) => Handler) {}

  /**
   * Returns the handler of a probe.
   * @param port the name of the container's port, or its number where names are not free
   * @param number its number
   */
  toHandler(port: string | number, number: number): Handler {
    return this.handlerOf(port, number);
  }
}
