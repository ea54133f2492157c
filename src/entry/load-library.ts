/** Loads the library's script, `dist/runtime.cjs`, into this realm; in the ES module and the CommonJS that Node takes. */
import type { LibraryScript } from '../core/platform/library-script.js';

interface Script {
  runInThisContext(): unknown;
  createCachedData(): Uint8Array;
}
interface NodeModules {
  'node:fs': { readFileSync(path: string, encoding: 'latin1'): string };
  'node:vm': {
    Script: new (text: string, options: { filename: string }) => Script;
    runInThisContext(text: string): unknown;
  };
}
declare const process: { getBuiltinModule<Name extends keyof NodeModules>(name: Name): NodeModules[Name] };

type Library = (library: LibraryScript, isWorker: boolean) => void;

function read(path: string): string {
  try {
    return process.getBuiltinModule('node:fs').readFileSync(path, 'latin1');
  } catch (cause) {
    throw new Error(
      `furcate: cannot read its own file ${path}. If a bundler made this program, let it take the package's condition ` +
        "'module', or leave furcate out of the bundle.",
      { cause },
    );
  }
}

/** @param path of the script, absolute */
export function loadLibrary(path: string): void {
  const text = read(path);
  const vm = process.getBuiltinModule('node:vm');
  if (vm.runInThisContext('globalThis') === globalThis) {
    const script = new vm.Script(text, { filename: path });
    (script.runInThisContext() as Library)({ text, path, compiled: () => script.createCachedData() }, false);
  } else {
    // In a test runner's sandbox Node's scripts would run outside of it.
    const library = new Function(`return ${text}\n//# sourceURL=${path}`) as () => Library;
    library()({ text, path }, false);
  }
}
