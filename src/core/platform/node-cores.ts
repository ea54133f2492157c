/** Number of cores that this process may use: those of the machine, within the container's quota. */

/** Cores that the container may use on average, rounded up; infinite without a quota. */
export function cpuQuota(): number {
  const [quota, period] = textOf('/sys/fs/cgroup/cpu.max')?.split(' ') ?? [
    textOf('/sys/fs/cgroup/cpu/cpu.cfs_quota_us') ?? 'max',
    textOf('/sys/fs/cgroup/cpu/cpu.cfs_period_us') ?? '1',
  ];
  const cores = Number(quota) / Number(period);
  return cores > 0 ? Math.ceil(cores) : Number.POSITIVE_INFINITY;
}

function textOf(path: string): string | undefined {
  try {
    return process.getBuiltinModule('node:fs').readFileSync(path, 'utf8').trim();
  } catch {
    return undefined;
  }
}

export const coresOfMachine = (): number => process.getBuiltinModule('node:os').availableParallelism();

export const availableCores = (): number => Math.max(1, Math.min(coresOfMachine(), cpuQuota()));
