/**
 * The options of `gantry docker run` that say what a task is: those of `docker run` by their names there, and what a queue adds.
 */
import { Option } from 'commander';

export function taskOptions(): readonly Option[] {
  return [
    new Option('--gpus <count>', 'whole devices'),
    repeatable('--gpu <model>', 'only devices of this model'),
    new Option('--gpu-memory <quantity>', 'memory of one device that other tasks use too, for example 20Gi'),
    new Option('--mig <profile>', 'a MIG instance, for example 1g.10gb'),
    new Option('--cpus <number>', 'CPUs; a whole number reserves cores, a fraction is a limit'),
    new Option('-m, --memory <quantity>', 'memory, for example 64Gi (default: no limit)'),
    new Option('--shm-size <quantity>', 'size of /dev/shm'),
    new Option('--replicas <count>', 'containers that start together or not at all'),
    new Option('--array <indices>', 'one task for each index, for example 0-31 or 1,5,9'),
    new Option('--priority <name>', 'low, normal, high, or a priority of runner.yaml'),
    new Option('--tenant <name>', 'tenant of runner.yaml'),
    new Option('--name <name>', 'name of the task'),
    repeatable('--after <task>', 'start only when this task or array, by id or name, has succeeded'),
    new Option('--retries <count>', 'how many times to try again after a failure'),
    new Option(
      '--retry-on <classes>',
      'program, oom, timeout, device, image, engine, lost; infra or any (default: all but oom and timeout)',
    ),
    new Option(
      '--timeout <duration>',
      'time limit, for example 12h; tasks with one may start before larger ones that wait',
    ),
    new Option('--preemptible', 'may be stopped for tasks of higher priority, and is queued again'),
    new Option('--grace-period <seconds>', 'from SIGTERM to SIGKILL (default: 10)'),
    repeatable('-v, --volume <volume>', 'SOURCE:/TARGET[:ro]'),
    repeatable('-e, --env <variable>', 'NAME=value, or NAME of this environment'),
    new Option('-w, --workdir <path>', 'working directory in the container'),
    new Option('-u, --user <user>', 'user in the container'),
    new Option('--network <network>', 'network of the container'),
    new Option('--entrypoint <program>', 'entrypoint instead of that of the image'),
    new Option('--read-only', 'read-only root file system'),
    new Option('--rm', 'as "docker run" has it: containers of tasks are always removed'),
  ];
}

function repeatable(flags: string, description: string): Option {
  return new Option(flags, `${description}; repeatable`).argParser(
    (value: string, before: string[] | undefined): string[] => [...(before ?? []), value],
  );
}
