/** Imports the modules of a host's tasks, without starting the program that a module may be. */
import { hasHostFunctionsOf } from '../host-function.js';
import { hasCodeOf, importTasks } from '../library.js';
import type { Say } from '../link/arrived.js';

/**
 * A module that has registered something is not waited for: it may be the one that awaits `startHost`, and is evaluated no further before that.
 *
 * @param say tells people what is wrong with a module
 * @throws what an import throws; Error for a module that is not there
 */
export async function loadTasks(modules: readonly string[], say: Say = console.error): Promise<void> {
  for (const url of modules) {
    if (hasCodeOf(url) || hasHostFunctionsOf(url)) continue;
    const tell = (): void =>
      say(
        `furcate: startHost() waits for ${url}, and that module awaits startHost(). Define its tasks before it calls startHost(), or in a module of their own.`,
      );
    process.once('exit', tell); // the process ends where both wait
    try {
      await importTasks(() => import(url), url, say);
    } catch (cause) {
      throw isMissing(cause, url)
        ? new Error(`furcate: startHost(options): options.modules names ${url}, and there is no such file.`, { cause })
        : cause;
    } finally {
      process.off('exit', tell);
    }
  }
}

/** Checks whether an import has failed because the module itself is not there, and not one that it imports. */
function isMissing(error: unknown, url: string): boolean {
  const { code, url: missing } = Object(error) as { readonly code?: unknown; readonly url?: unknown };
  return code === 'ERR_MODULE_NOT_FOUND' && (missing === url || missing === undefined);
}
