/**
 * Ends a host with the npx that has started it: npx does not pass on SIGTERM, and would leave a host that nobody knows of.
 *
 * npx starts a shell, and that the host, unless the shell makes way for it. So the host looks whether its parent, or the parent of that, has changed.
 */
import { readFileSync } from 'node:fs';

/** Time between two looks (milliseconds). */
const LOOK_MS = 500;
/** The place of the parent's id in `/proc/ID/stat`, after the name of the program. */
const PARENT_AT = 1;

function parentOf(pid: number): number | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8'); // Linux only
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[PARENT_AT]);
  } catch {
    return undefined;
  }
}

const ancestors = (): string => `${process.ppid} ${parentOf(process.ppid) ?? ''}`;

/** Checks whether npx, or a script of npm, has started this process. */
const isFromNpm = (environment: Readonly<Record<string, string | undefined>>): boolean =>
  environment['npm_command'] !== undefined || environment['npm_lifecycle_event'] !== undefined;

/** Calls back once npx has ended, if it has started this process. */
export function onLauncherEnd(environment: Readonly<Record<string, string | undefined>>, end: () => void): void {
  if (!isFromNpm(environment)) return;
  const first = ancestors();
  const timer = setInterval(() => {
    if (ancestors() === first) return;
    clearInterval(timer);
    end();
  }, LOOK_MS);
  timer.unref();
}
