/** Imports the modules of a host's tasks, without starting the program that a module may be. */
import { importTasks } from '../library.js';

/** @throws what an import throws */
export async function loadTasks(modules: readonly string[]): Promise<void> {
  for (const url of modules)
    await importTasks(
      () => import(url),
      url,
      (text) => console.warn(text),
    );
}
