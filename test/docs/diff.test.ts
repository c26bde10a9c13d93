import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Workplace } from '../interfaces/cli/fake-terminal';

const PAGE = readFileSync(join(__dirname, '../../docs/diff.md'), 'utf8');

const manifests = (version: number, replicas: number): string => `
apiVersion: scheduling.volcano.sh/v1beta1
kind: Queue
metadata: {name: research}
spec: {capability: {nvidia.com/gpu: 64}}
---
apiVersion: batch.volcano.sh/v1alpha1
kind: Job
metadata: {name: tune, namespace: research}
spec:
  queue: research
  schedulerName: volcano
  minAvailable: 4
  tasks:
    - name: worker
      replicas: ${replicas}
      template:
        spec: {containers: [{name: main, image: "example.com/tune:1", resources: {limits: {nvidia.com/gpu: 8}}}]}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: server, namespace: research}
spec:
  replicas: 2
  selector: {matchLabels: {app: server}}
  template:
    metadata: {labels: {app: server}}
    spec: {containers: [{name: main, image: "example.com/server:${version}"}]}
---
apiVersion: batch/v1
kind: Job
metadata: {name: train, namespace: research}
spec:
  template:
    spec: {restartPolicy: Never, containers: [{name: main, image: "example.com/train:${version}"}]}
`;

test('the example of docs/diff.md is what the command prints', async () => {
  const place = new Workplace();
  place.write('main/manifests/all.yaml', manifests(1, 4));
  place.write('manifests/all.yaml', manifests(2, 6));
  const { out } = await place.run(['diff', 'main/manifests', 'manifests']);
  place.remove();
  expect(/```text\n(.*?)```/s.exec(PAGE)?.[1]).toBe(out);
});
