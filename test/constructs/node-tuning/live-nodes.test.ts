/**
 * The red lines: what a DaemonSet must not do to the node that it runs on.
 */
import { liveNodeRules } from '../../../src/constructs/node-tuning/rules/live-nodes';
import { findingsOf } from '../../support/findings';

const daemonSet = (command: string, more = ''): string => `
apiVersion: apps/v1
kind: DaemonSet
metadata: { name: tune, namespace: kube-system }
spec:
  selector: { matchLabels: { app: tune } }
  ${more}
  template:
    metadata: { labels: { app: tune } }
    spec:
      containers:
        - name: tune
          image: busybox
          command: [sh, -c, ${JSON.stringify(command)}]
      volumes:
        - { name: scripts, configMap: { name: scripts } }
        - { name: plugins, hostPath: { path: /var/lib/kubelet/device-plugins/ } }
`;
const messages = (yaml: string): readonly string[] =>
  findingsOf(yaml, liveNodeRules).map(({ message }) => message.split(':')[0]);

test.each([
  ['nsenter -t 1 -m systemctl daemon-reload', 'runs systemctl daemon-reload'],
  ['chroot /host systemctl restart containerd.service', 'restarts the kubelet or the container runtime'],
  ['nvidia-smi -i 0 -mig 1', 'changes the MIG mode'],
  ['nvidia-smi --gpu-reset -i 0', 'resets a GPU'],
  ['rmmod nvidia_uvm', 'unloads the driver'],
  ['echo -800 > /proc/$(pgrep -f torch)/oom_score_adj', 'writes to oom_score_adj'],
  ['echo -800 | tee /proc/1/oom_score_adj', 'writes to oom_score_adj'],
  ['echo 100 > /host/sys/fs/cgroup/kubepods.slice/cpu.weight', 'writes to the cgroups of pods'],
  ['swapoff -a', 'changes swap'],
  ['sysctl -w vm.nr_hugepages=1024', 'changes the number of huge pages'],
])('%s crosses a red line', (command, what) => {
  expect(messages(daemonSet(command))).toEqual([`the container ${what} on a running node`]);
});

test.each([
  'nvidia-smi -L',
  'systemctl status kubelet',
  'sysctl -w net.core.rmem_max=67108864',
  'cat /proc/1/oom_score_adj',
  'nvidia-smi mig -lgi',
])('%s crosses none', (command) => {
  expect(messages(daemonSet(command))).toEqual([]);
});

test('a script in a ConfigMap is read, its comments are not', () => {
  const map = (text: string): string =>
    `---\napiVersion: v1\nkind: ConfigMap\nmetadata: { name: scripts, namespace: kube-system }\ndata: { run.sh: ${JSON.stringify(text)} }\n`;
  expect(messages(`${daemonSet('sh /scripts/run.sh')}${map('#!/bin/sh\nsystemctl daemon-reload\n')}`)).toEqual([
    'the script "run.sh" of the ConfigMap "scripts" runs systemctl daemon-reload on a running node',
  ]);
  expect(messages(`${daemonSet('sh /scripts/run.sh')}${map('#!/bin/sh\n# never systemctl daemon-reload\n')}`)).toEqual(
    [],
  );
});

test('a device plugin must not be there twice', () => {
  const surge = (most: string): readonly string[] =>
    messages(daemonSet('run', `updateStrategy: { rollingUpdate: { maxSurge: ${most} } }`));
  expect(surge('1')).toEqual(['maxSurge must be 0']);
  expect(surge('0')).toEqual([]);
});
