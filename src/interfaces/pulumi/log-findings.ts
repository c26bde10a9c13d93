/**
 * Findings in Pulumi's log: errors end the program, with the URN that each object would have; warnings appear at their resources.
 */
import * as pulumi from '@pulumi/pulumi';
import { type ApiObject } from 'cdk8s';
import { type Finding } from '../../checks/report/finding';
import { type Report } from '../../checks/report/report';
import { findingText, notCheckedByReason } from '../../checks/report/text';
import { type RenderedObject } from '../../manifests/constructs';
import { type ObjectResource, typeToken } from './object-resource';

/**
 * @throws pulumi.RunError with every finding of severity error and the URNs, if there is one
 */
export async function failOnErrors(
  report: Report,
  stack: pulumi.ComponentResource,
  nameOf: (path: string) => string,
  objects: readonly RenderedObject[],
): Promise<void> {
  const errors = report.findings.filter(({ severity }) => severity === 'error');
  if (errors.length === 0) {
    return;
  }
  const byPath = new Map(objects.map((object) => [object.construct.node.path, object]));
  const texts = await Promise.all(
    errors.map(async (finding) => `${findingText(finding)}\n    urn: ${await urnOf(finding, byPath, stack, nameOf)}`),
  );
  const count = `${errors.length} ${errors.length === 1 ? 'error' : 'errors'}`;
  throw new pulumi.RunError(`the checks found ${count}, so nothing of this was registered:\n${texts.join('\n')}`);
}

async function urnOf(
  { construct = '' }: Finding,
  objects: ReadonlyMap<string, RenderedObject>,
  stack: pulumi.ComponentResource,
  nameOf: (path: string) => string,
): Promise<string> {
  const object = objects.get(construct);
  if (object === undefined) {
    return promised(stack.urn);
  }
  const { apiVersion, kind } = object.manifest.id;
  return promised(pulumi.createUrn(nameOf(construct), typeToken(apiVersion, kind), stack));
}

function promised<T>(output: pulumi.Output<T>): Promise<T> {
  return new Promise((resolve) => output.apply(resolve));
}

/** Warnings at their resources, and one line about what was not judged or not checked. */
export async function logNotices(
  report: Report,
  stack: pulumi.ComponentResource,
  resources: ReadonlyMap<ApiObject, Promise<ObjectResource>>,
  objects: readonly RenderedObject[],
): Promise<void> {
  const byPath = new Map(objects.map(({ construct }) => [construct.node.path, construct]));
  for (const finding of report.findings) {
    const construct = byPath.get(finding.construct ?? '');
    const resource = construct === undefined ? undefined : await resources.get(construct);
    const log = finding.severity === 'warning' ? pulumi.log.warn : pulumi.log.info;
    await log(findingText(finding, { withoutConstruct: true }), resource ?? stack);
  }
  for (const [why, found] of notCheckedByReason(report.notChecked)) {
    await pulumi.log.info(`not checked: ${found.map(({ object }) => object).join(', ')}: ${why}`, stack);
  }
  const rules = new Set((report.notJudged ?? []).map(({ rule }) => rule)).size;
  if (rules > 0) {
    const depend = rules === 1 ? '1 rule depends' : `${rules} rules depend`;
    await pulumi.log.info(`${depend} on outputs that are not known yet; they are checked by pulumi up`, stack);
  }
}
