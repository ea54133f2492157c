/** `npx furcate top`: what the pools of running processes do, as a screen that is drawn again and again. */
import { monitorFolder } from '../core/platform/node-monitor.js';
import type { Snapshot } from '../insight/channels/snapshot.js';
import { topScreen } from '../insight/top/screen.js';

/** Time between two screens (milliseconds). */
const EVERY_MS = 500;

export interface TopOptions {
  /** Only this process. */
  readonly pid?: number | undefined;
  /** One screen, rather than one after the other. */
  readonly once: boolean;
  /** One object for each thread that owns pools, as JSON. */
  readonly json: boolean;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** Snapshots of the processes that are there. Files of processes that were killed are removed. */
function snapshots(only: number | undefined): Snapshot[] {
  const fs = process.getBuiltinModule('node:fs');
  const { join } = process.getBuiltinModule('node:path');
  const folder = monitorFolder();
  const found: Snapshot[] = [];
  for (const name of fs.readdirSync(folder).sort()) {
    const pid = Number(/^(\d+)-\d+\.json/.exec(name)?.[1] ?? Number.NaN);
    if (Number.isNaN(pid)) continue;
    const path = join(folder, name);
    if (!isAlive(pid)) fs.rmSync(path, { force: true });
    else if (name.endsWith('.json') && (only === undefined || only === pid)) {
      try {
        const snapshot = JSON.parse(fs.readFileSync(path, 'utf8')) as Snapshot;
        if (snapshot.version === 1) found.push(snapshot);
      } catch {
        // it has just ended
      }
    }
  }
  return found;
}

/** q, and Ctrl-C and Ctrl-D, which a terminal without its usual mode gives to the program. */
const QUITTING = ['q', 'Q', '\u0003', '\u0004'];

const NOTHING = 'No process tells of its pools. Start one with FURCATE_MONITOR=1, and call a pool.';

const nothingOf = (pid: number | undefined): string =>
  pid === undefined ? NOTHING : `Process ${pid} tells of no pools. Start it with FURCATE_MONITOR=1.`;

/** The lines that fit on the screen, and the keys below them. */
function fitted(text: string, { columns = 80, rows = 24 }: Pick<typeof process.stdout, 'columns' | 'rows'>): string[] {
  const lines = text.split('\n');
  const room = Math.max(1, rows - 2);
  const isCut = lines.length > room;
  const shown = lines.slice(0, isCut ? room - 1 : room);
  const more = isCut ? [`${lines.length - shown.length} more lines: enlarge the window, or name a process`] : [];
  return [...shown, ...more, '', 'q quits'].slice(-rows).map((line) => line.slice(0, columns));
}

/** Draws on a screen of its own, until q or Ctrl-C is pressed, or the terminal is gone. @throws what the platform says of the files */
async function watch(pid: number | undefined): Promise<number> {
  const { stdin, stdout } = process;
  const draw = (): void => {
    const text = topScreen(snapshots(pid), Date.now(), stdout.columns) || nothingOf(pid);
    stdout.write(`\x1b[H${fitted(text, stdout).join('\x1b[K\n')}\x1b[J`);
  };
  let timer: ReturnType<typeof setInterval> | undefined;
  stdout.write('\x1b[?1049h\x1b[?25l'); // another screen, without a cursor
  try {
    stdin.setRawMode?.(true);
    await new Promise<void>((quit, fail) => {
      const drawn = (): void => {
        try {
          draw();
        } catch (error) {
          fail(error); // the screen is given back first
        }
      };
      for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => quit());
      stdin.on('data', (keys) => {
        if (QUITTING.some((key) => String(keys).includes(key))) quit();
      });
      stdin.on('end', quit).on('error', () => quit());
      stdout.on('resize', drawn).on('error', () => quit());
      timer = setInterval(drawn, EVERY_MS);
      drawn();
    });
  } finally {
    clearInterval(timer);
    stdin.setRawMode?.(false);
    stdout.write('\x1b[?25h\x1b[?1049l');
  }
  return 0;
}

/** @returns the exit code: 1 if there is nothing to show @throws Error where the folder is not this user's */
export async function top({ pid, once, json }: TopOptions, print: (text: string) => Promise<void>): Promise<number> {
  const isScreen = process.stdout.isTTY === true && process.stdin.isTTY === true && process.env['TERM'] !== 'dumb';
  if (!once && !json && isScreen) return watch(pid);
  const found = snapshots(pid);
  if (json) await print(JSON.stringify(found, null, 2));
  else if (found.length > 0) await print(topScreen(found, Date.now()));
  if (found.length > 0) return 0;
  console.error(nothingOf(pid));
  return 1;
}
