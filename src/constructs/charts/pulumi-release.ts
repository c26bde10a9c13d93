/**
 * PulumiRelease: a chart of the catalog that a Pulumi program installs, as a `helm.v3.Release` beside the objects of its stack.
 */
import { Construct, type IConstruct } from 'constructs';
import { synthState } from '../../checks/synth/synth-state';
import { type AnyChart } from './chart-facts';
import { chartInstall, type ChartInstall, type ChartOptions } from './chart-install';
import { publicClass } from '../resources/public-class';

const PULUMI_RELEASE = Symbol.for('gantry.pulumi-release');

/** Props of a PulumiRelease. */
export type PulumiReleaseProps<C extends AnyChart> = ChartOptions<C>;

/**
 * A chart that `GantryStack` of `cdk8s-gantry/pulumi` installs. It renders no object, so an app that is written as YAML rejects it.
 *
 * Custom resources of the stack wait for it, since it brings their definitions.
 *
 * @example
 * new GantryStack('operators', (operators) => {
 *   new charts.PulumiRelease(operators, 'kueue', { chart: 'kueue' });
 * });
 */
@publicClass('charts.PulumiRelease')
export class PulumiRelease extends Construct {
  /** Whether a construct is a PulumiRelease, of any copy of this package. */
  static isPulumiRelease(construct: IConstruct): construct is PulumiRelease {
    return PULUMI_RELEASE in construct;
  }

  /** The chart that is installed. */
  readonly install: ChartInstall;

  /** @throws if the catalog has no version of the chart and none is given */
  constructor(scope: Construct, id: string, props: PulumiReleaseProps<AnyChart>) {
    super(scope, id);
    this.install = chartInstall(props);
    Object.defineProperty(this, PULUMI_RELEASE, { value: true });
    this.node.addValidation({
      validate: () =>
        synthState(this).installsCharts
          ? []
          : [
              'Pulumi alone installs this chart. Build the app in a GantryStack, or use charts.HelmRelease or charts.ArgoApplication.',
            ],
    });
  }
}
