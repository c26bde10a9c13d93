/**
 * Synthesis for unit tests of stacks: no files, the same checks.
 */
import { App, Chart } from 'cdk8s';
import { type IConstruct } from 'constructs';
import { type JsonObject } from '../../facts/api/schema';
import { checkRendered, checkTree } from '../../checks/on-synth';
import { hasErrors, type Report } from '../../checks/report';
import { renderText } from '../../checks/report/text';
import { manifestsOf } from '../../manifests/constructs';
import '../checks';
import { CheckError } from './check-error';

export interface TestingSynthOptions {
  /**
   * Give the manifests even where checks fail.
   * @default true - findings of severity error throw
   */
  readonly check?: boolean;
}

export class Testing {
  /** An app that writes nowhere. */
  static app(): App {
    return new App();
  }

  /** A chart in an app of its own. */
  static chart(): Chart {
    return new Chart(new App(), 'test');
  }

  /**
   * The manifests of everything below a construct (an app, a chart, or any construct), in the order in which they would be applied.
   *
   * @throws CheckError with all findings, where one of them is an error
   */
  static synth(scope: IConstruct, options: TestingSynthOptions = {}): readonly JsonObject[] {
    if (options.check === false) {
      return manifestsOf(scope).manifests.map((manifest) => manifest.object);
    }
    const { report, rendered } = checkRendered(scope);
    if (hasErrors(report)) {
      throw new CheckError(renderText(report), report);
    }
    return rendered.map(({ manifest }) => manifest.object);
  }

  /** What the checks say of everything below a construct; never throws for what they find. */
  static check(scope: IConstruct): Report {
    return checkTree(scope);
  }
}
