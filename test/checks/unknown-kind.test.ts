/**
 * A kind without a schema: the message names the option of the place where the user is, and a suppression accepts it.
 */
import { ApiObject, App, Chart } from 'cdk8s';
import { check } from '../../src/checks/engine';
import { Checks } from '../../src/checks/synth/checks-of';
import { Testing } from '../../src/interfaces/testing';
import { readManifests } from '../../src/interfaces/checks';

const SETTINGS = 'apiVersion: example.com/v1\nkind: Settings\nmetadata:\n  name: settings\n';

function settingsIn(app: App): ApiObject {
  return new ApiObject(new Chart(app, 'platform'), 'settings', {
    apiVersion: 'example.com/v1',
    kind: 'Settings',
    metadata: { name: 'settings' },
  });
}

test('in an app, the message names Checks.of(app).addCustomResourceDefinitions', () => {
  const app = new App();
  settingsIn(app);
  expect(Testing.check(app).notChecked).toEqual([
    {
      object: 'example.com/v1 Settings settings',
      construct: 'platform/settings',
      why: 'no schema for API group example.com; pass its CustomResourceDefinition with Checks.of(app).addCustomResourceDefinitions(…)',
    },
  ]);
});

test('in the library, it names the option crds', () => {
  expect(check(readManifests(SETTINGS)).notChecked[0]?.why).toBe(
    'no schema for API group example.com; pass its CustomResourceDefinition with the option crds',
  );
});

test('ignoring schema/known-kind accepts that the object is not checked', () => {
  const app = new App();
  Checks.of(settingsIn(app)).ignore('schema/known-kind', 'a kind of our own controller');
  const { notChecked, suppressed } = Testing.check(app);
  expect(notChecked).toEqual([]);
  expect(suppressed).toMatchObject([
    { rule: 'schema/known-kind', reason: 'a kind of our own controller', construct: 'platform/settings' },
  ]);
});

test('ignoring another rule does not', () => {
  const app = new App();
  Checks.of(settingsIn(app)).ignore('schema/enum', 'not this one');
  expect(Testing.check(app).notChecked).toHaveLength(1);
});
