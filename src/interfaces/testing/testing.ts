/**
 * Synthesis for unit tests of stacks: no files, the same checks.
 */
import { App, Chart } from 'cdk8s';
import { type IConstruct } from 'constructs';
import { type JsonObject } from '../../facts/api/schema';
import { checkTree } from '../../checks/synth/check-tree';
import { type Report } from '../../checks/report/report';
import { synthesize } from '../../checks/synth/synthesize';
import { manifestsOf } from '../../manifests/constructs';
import '../checks';

/** Options of `Testing.synth`. */
export interface TestingSynthOptions {
  /**
   * Whether the objects are checked.
   * @default true - findings of severity error throw
   */
  readonly check?: boolean;
}

/**
 * Synthesizes constructs in unit tests.
 *
 * @example
 * const chart = Testing.chart();
 * new Namespace(chart, 'research');
 * expect(Testing.synth(chart)).toMatchObject([{ kind: 'Namespace', metadata: { name: 'research' } }]);
 */
export class Testing {
  /** Creates an app that writes nowhere. */
  static app(): App {
    return new App();
  }

  /** Creates a chart in an app of its own. */
  static chart(): Chart {
    return new Chart(new App(), 'test');
  }

  /**
   * Returns the objects of everything below a construct (an app, a chart, or any construct), in the order in which cdk8s writes them.
   *
   * @throws CheckError with all findings if one of them is an error
   */
  static synth(scope: IConstruct, options: TestingSynthOptions = {}): readonly JsonObject[] {
    return options.check === false
      ? manifestsOf(scope).manifests.map((manifest) => manifest.object)
      : synthesize(scope).objects;
  }

  /** Returns what the checks find in everything below a construct. Findings never throw. */
  static check(scope: IConstruct): Report {
    return checkTree(scope);
  }
}
