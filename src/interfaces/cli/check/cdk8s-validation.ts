/**
 * The checks as a validation of cdk8s-cli: `validations` in `cdk8s.yaml`.
 */
import { createRequire } from 'node:module';
import { type GantryValidationContext, type GantryValidationProperties } from './cdk8s-terms';
import type * as ValidateManifests from './validate-manifests';

/**
 * Checks what a cdk8s app writes whenever `cdk8s synth` runs. The app needs no construct of this library: `validations` in `cdk8s.yaml`
 * names the class. Errors fail the synthesis; warnings and information are listed.
 *
 * @example
 * // cdk8s.yaml:
 * //   validations:
 * //     - package: ./node_modules/cdk8s-gantry
 * //       class: GantryValidation
 * //       version: 1.0.0
 * const validation = new GantryValidation({ k8s: '1.36', 'fail-on': 'warning' });
 */
export class GantryValidation {
  /** @param properties what `properties` in `cdk8s.yaml` sets */
  constructor(private readonly properties: GantryValidationProperties = {}) {}

  /**
   * Checks the files of the context and submits the report.
   *
   * @throws Error that says in one line which property, configuration file, or manifest cannot be read
   */
  async validate(context: GantryValidationContext): Promise<void> {
    const { validateManifests } = createRequire(__filename)('./validate-manifests') as typeof ValidateManifests;
    await validateManifests(context, this.properties);
  }
}
