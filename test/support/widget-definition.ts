/**
 * A CustomResourceDefinition whose schema is what a test is about.
 */
import { type JsonObject } from '../../src/facts/api/schema';

/**
 * @param schema of the one version
 * @param version more fields of the version
 */
export function widgetDefinition(schema: JsonObject, version: JsonObject = {}): JsonObject {
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'widgets.example.com' },
    spec: {
      group: 'example.com',
      scope: 'Namespaced',
      names: { plural: 'widgets', singular: 'widget', kind: 'Widget', listKind: 'WidgetList' },
      versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: schema }, ...version }],
    },
  };
}
