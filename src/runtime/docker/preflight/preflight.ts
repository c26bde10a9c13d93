/**
 * Whether a host can run tasks with what the runner promises, and which command mends what it cannot. Pure: `facts.ts` finds out.
 */
import { type EngineInfo } from '../engine/answers';
import { type EngineError } from '../engine/engine-error';
import { type RunnerError } from '../runner-error';
import { type HostDevice } from '../devices/inventory';

export interface HostFacts {
  /** Why the engine does not answer; what it would say is then empty. @default - it answers */
  readonly engineProblem?: Pick<EngineError, 'message' | 'code'>;
  /** Why the store of the runner cannot be loaded. @default - it can */
  readonly storeProblem?: Pick<RunnerError, 'message' | 'fix'>;
  readonly info: EngineInfo;
  /** Full CDI names that a container may ask for. */
  readonly cdi: ReadonlySet<string>;
  readonly devices: readonly HostDevice[];
  /** A file or program of the host was read. `false` for an engine on another host. */
  readonly isLocal: boolean;
  /** Version of the NVIDIA driver, as nvidia-smi says. @default - nvidia-smi cannot be run */
  readonly driver?: string;
  /** Version of the NVIDIA Container Toolkit. @default - it is not installed */
  readonly toolkit?: string;
  /** NVIDIA devices on the PCI bus. */
  readonly nvidiaOnPci: number;
  /** Files that the runner may have open. @default - unlimited */
  readonly openFiles?: number;
  /** Bytes free for the state of the runner. @default - unknown */
  readonly freeBytes?: number;
  readonly lockMemory: boolean;
}

export interface Check {
  readonly name: string;
  /** `missing`: tasks fail or devices are not used. `warning`: a promise of the runner is weaker than it should be. */
  readonly state: 'ok' | 'warning' | 'missing';
  readonly found: string;
  /** A command or setting, and what it is for. @default - nothing has to be done */
  readonly fix?: string;
}

const OLDEST_ENGINE = '20.10.0';
const CDI_ENGINE = '28.3.0';
/** Older ones let containers out of their isolation: CVE-2024-0132, CVE-2025-23266. */
const OLDEST_TOOLKIT = '1.17.8';
const OPEN_FILES = 4096;
const FREE_BYTES = 2 ** 30;
const RESTART = 'sudo systemctl restart docker';
const START = 'sudo systemctl start docker';
const INSTALL = 'https://docs.docker.com/engine/install/';

export function preflight(facts: HostFacts): readonly Check[] {
  if (facts.engineProblem !== undefined) {
    // Only the engine knows the rest.
    return [
      noEngine(facts.engineProblem, facts.isLocal),
      storeCheck(facts),
      ...nvidiaChecks(facts),
      ...runnerChecks(facts),
    ];
  }
  return [
    engineCheck(facts),
    storeCheck(facts),
    cgroupCheck(facts),
    ...limitChecks(facts.info),
    ...runtimeChecks(facts),
    devicesCheck(facts),
    ...nvidiaChecks(facts),
    ...runnerChecks(facts),
    lockedMemoryCheck(facts),
    ...(facts.info.Warnings ?? []).map((warning): Check => ({
      name: 'engine',
      state: 'warning',
      found: warning.replace(/^WARNING: /, ''),
    })),
  ];
}

function noEngine({ message, code }: Pick<EngineError, 'message' | 'code'>, isLocal: boolean): Check {
  const fix =
    code === 'EACCES' || code === 'EPERM'
      ? 'Add yourself to the group of the socket: sudo usermod -aG docker $USER, then log in again'
      : isLocal
        ? `Start the engine: ${START}; to install it: ${INSTALL}`
        : 'Correct "engine" in runner.yaml or the variable DOCKER_HOST, or start the engine on that host';
  return { name: 'engine', state: 'missing', found: `no answer: ${message}`, fix };
}

/** The package that keeps the tasks; it is not a dependency, so an installation may lack it. */
function storeCheck({ storeProblem }: HostFacts): Check {
  const name = 'libsql';
  return storeProblem === undefined
    ? { name, state: 'ok', found: 'installed' }
    : { name, state: 'missing', found: storeProblem.message, fix: storeProblem.fix };
}

function engineCheck({ info }: HostFacts): Check {
  const name = 'engine version';
  const found = info.ServerVersion ?? 'unknown';
  if (isOlder(found, OLDEST_ENGINE)) {
    return {
      name,
      state: 'missing',
      found,
      fix: `Install Docker Engine 28.3 or later: ${INSTALL}`,
    };
  }
  return isOlder(found, CDI_ENGINE) && info.DiscoveredDevices === undefined
    ? {
        name,
        state: 'warning',
        found: `${found}, which does not list CDI devices`,
        fix: `Install Docker Engine 28.3 or later: ${INSTALL}`,
      }
    : { name, state: 'ok', found };
}

function cgroupCheck({ info }: HostFacts): Check {
  const { CgroupVersion: version = 'unknown', CgroupDriver: driver = 'unknown' } = info;
  const found = `version ${version}, driver ${driver}`;
  return version === '1'
    ? {
        name: 'cgroup',
        state: 'warning',
        found,
        fix: 'Boot with cgroup version 2: sudo grubby --update-kernel=ALL --args=systemd.unified_cgroup_hierarchy=1, or add it to GRUB_CMDLINE_LINUX and run sudo update-grub',
      }
    : { name: 'cgroup', state: 'ok', found };
}

function limitChecks(info: EngineInfo): readonly Check[] {
  const limits = [
    ['memory limits', info.MemoryLimit, 'cgroup_enable=memory'],
    ['swap accounting', info.SwapLimit, 'cgroup_enable=memory swapaccount=1'],
    ['CPU sets', info.CPUSet, 'cgroup_enable=cpuset'],
    ['process limits', info.PidsLimit, 'cgroup_enable=pids'],
  ] as const;
  return limits.map(([name, isThere, argument]) =>
    isThere === false
      ? {
          name,
          state: name === 'swap accounting' ? 'warning' : 'missing',
          found: 'not supported by the kernel',
          fix: `Add "${argument}" to GRUB_CMDLINE_LINUX in /etc/default/grub, run sudo update-grub, and reboot`,
        }
      : { name, state: 'ok', found: 'supported' },
  );
}

function runtimeChecks({ info, devices }: HostFacts): readonly Check[] {
  const names = Object.keys(info.Runtimes ?? {}).sort();
  const found = `${names.join(', ') || 'unknown'}; default ${info.DefaultRuntime ?? 'unknown'}`;
  const name = 'runtimes';
  const unnamed = devices.filter(({ cdi }) => cdi === undefined);
  if (unnamed.length > 0 && !names.includes('nvidia')) {
    const fix = `Register the NVIDIA runtime: sudo nvidia-ctk runtime configure --runtime=docker && ${RESTART}`;
    return [{ name, state: 'missing', found: `${found}; ${unnamed.length} devices have no CDI name`, fix }];
  }
  return [
    info.DefaultRuntime === 'nvidia'
      ? {
          name,
          state: 'warning',
          found: `${found}, which gives every container of a CUDA image all devices`,
          fix: `Set "default-runtime" to "runc" in /etc/docker/daemon.json, then ${RESTART}`,
        }
      : { name, state: 'ok', found },
  ];
}

function devicesCheck({ info, cdi, devices }: HostFacts): Check {
  const name = 'devices';
  const named = devices.filter((device) => device.cdi !== undefined && cdi.has(device.cdi)).length;
  const folders = (info.CDISpecDirs ?? []).join(', ') || 'none';
  const found = `${devices.length}, of these ${named} by CDI; CDI folders: ${folders}`;
  const nvidia = devices.find(({ id, cdi: own }) => own === undefined && id.startsWith('GPU-'));
  if (nvidia === undefined) {
    return devices.length === named
      ? { name, state: 'ok', found }
      : {
          name,
          state: 'missing',
          found,
          fix: 'Correct the "cdi" names of runner.yaml: docker info lists those that exist',
        };
  }
  return {
    name,
    state: 'warning',
    found: `${found}; without CDI, "systemctl daemon-reload" takes devices from running containers`,
    fix: `Write CDI files: sudo nvidia-ctk cdi generate --output=/etc/cdi/nvidia.yaml && ${RESTART}`,
  };
}

function nvidiaChecks({ isLocal, driver, toolkit, nvidiaOnPci, devices }: HostFacts): readonly Check[] {
  const expected = nvidiaOnPci > 0 || devices.some(({ id, cdi }) => `${id} ${cdi ?? ''}`.includes('nvidia.com/gpu'));
  if (!isLocal || (!expected && driver === undefined)) {
    return [];
  }
  return [
    driver === undefined
      ? {
          name: 'NVIDIA driver',
          state: 'missing',
          found: 'nvidia-smi cannot be run, or describes no devices',
          fix: 'Install the driver: sudo ubuntu-drivers install --gpgpu (Ubuntu), or https://docs.nvidia.com/datacenter/tesla/driver-installation-guide/',
        }
      : { name: 'NVIDIA driver', state: 'ok', found: driver },
    toolkit === undefined || isOlder(toolkit, OLDEST_TOOLKIT)
      ? {
          name: 'NVIDIA Container Toolkit',
          state: 'missing',
          found: toolkit === undefined ? 'not installed' : `${toolkit}, from which containers can break out`,
          fix: 'Install 1.17.8 or later: sudo apt-get install -y nvidia-container-toolkit',
        }
      : { name: 'NVIDIA Container Toolkit', state: 'ok', found: toolkit },
  ];
}

function runnerChecks({ openFiles = Infinity, freeBytes }: HostFacts): readonly Check[] {
  const disk: readonly Check[] =
    freeBytes === undefined
      ? []
      : [
          freeBytes < FREE_BYTES
            ? {
                name: 'disk',
                state: 'missing',
                found: `${Math.floor(freeBytes / 2 ** 20)} MiB free in the state folder`,
                fix: 'Free at least 1 GiB: docker system prune, or set "state" to another folder',
              }
            : { name: 'disk', state: 'ok', found: `${Math.floor(freeBytes / 2 ** 30)} GiB free in the state folder` },
        ];
  return [
    openFiles < OPEN_FILES
      ? {
          name: 'open files',
          state: 'warning',
          found: `${openFiles} for the runner`,
          fix: `Raise it: ulimit -n ${OPEN_FILES}, or LimitNOFILE=65536 in the systemd unit`,
        }
      : { name: 'open files', state: 'ok', found: openFiles === Infinity ? 'unlimited' : String(openFiles) },
    ...disk,
  ];
}

function lockedMemoryCheck({ lockMemory, info }: HostFacts): Check {
  const name = 'locked memory';
  if (!lockMemory) {
    return { name, state: 'ok', found: 'as the engine has it ("lockMemory: false")' };
  }
  const found = 'unlimited in containers with devices';
  return (info.SecurityOptions ?? []).includes('name=rootless')
    ? {
        name,
        state: 'warning',
        found: `${found}, which a rootless engine may refuse`,
        fix: 'Set "lockMemory: false" in runner.yaml if tasks with devices do not start',
      }
    : { name, state: 'ok', found };
}

/** Versions such as `28.3.1` or `1.17.8-1`. One that is not known is not older. */
function isOlder(version: string, than: string): boolean {
  const parts = (text: string): readonly number[] => /^\d+(?:\.\d+)*/.exec(text)?.[0].split('.').map(Number) ?? [];
  const [a, b] = [parts(version), parts(than)];
  if (a.length === 0) {
    return false;
  }
  const at = b.findIndex((part, index) => part !== (a[index] ?? 0));
  return at >= 0 && (a[at] ?? 0) < b[at];
}
