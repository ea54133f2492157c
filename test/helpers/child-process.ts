/** Runs Node, as a user would, in a process of its own. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { STEP_HANG_MS } from './limits.js';
import { ROOT } from './project-files.js';

const execFileAsync = promisify(execFile);

/** What a child wrote, and how it ended. */
export interface Outcome {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs `node` with these arguments in the project's root; see `runNodeIn`. */
export const runNode = (...args: readonly string[]): Promise<Outcome> => runNodeIn(ROOT, ...args);

/**
 * Runs `node` with these arguments in a folder.
 * @returns its output and exit code; a failure of the child is no exception, a child that hangs is one.
 */
export async function runNodeIn(cwd: string, ...args: readonly string[]): Promise<Outcome> {
  try {
    const { stdout, stderr } = await execFileAsync(process.execPath, args, {
      cwd,
      timeout: STEP_HANG_MS,
      env: { ...process.env, NODE_OPTIONS: '' },
    });
    return { code: 0, stdout, stderr };
  } catch (error) {
    const failure = error as Error & { code?: unknown; killed?: boolean; stdout: string; stderr: string };
    if (typeof failure.code !== 'number')
      throw new Error(`node ${args.join(' ')} did not end by itself`, { cause: error });
    return { code: failure.code, stdout: failure.stdout, stderr: failure.stderr };
  }
}
