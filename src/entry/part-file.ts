/** Parts of the library as files beside the one that runs; in Node. */
import type { PartSource } from '../core/library/parts.js';
import { permissionFor } from '../core/platform/node-permissions.js';
import { type Evaluated, evaluateScript, SCRIPT_HEAD } from '../core/platform/node-script.js';
import { pathOf } from './beside.js';

function read(path: string): string {
  try {
    return process.getBuiltinModule('node:fs').readFileSync(path, 'latin1');
  } catch (cause) {
    const permission = permissionFor(cause);
    const cure =
      permission === undefined
        ? "If a bundler made this program, let it take the package's condition 'module', or leave furcate out of the bundle."
        : `Let it: ${permission}.`;
    throw new Error(`furcate: cannot read its own file ${path}. ${cure}`, { cause });
  }
}

/** @param path of a module whose one statement is `export default`, and a function after it */
export function readPart(path: string): PartSource {
  const text = read(path).slice(SCRIPT_HEAD.length).trimEnd();
  let evaluated: Evaluated | undefined;
  const evaluate = (): Evaluated => {
    evaluated ??= evaluateScript(text, path);
    return evaluated;
  };
  return {
    path,
    text,
    get make() {
      return evaluate().value as PartSource['make'];
    },
    compiled: () => evaluate().compiled?.(),
  };
}

/** The part of that name, read when it is asked for. */
export function partFile(name: string): () => PartSource {
  let source: PartSource | undefined;
  return () => {
    source ??= readPart(pathOf(`./${name}.js`));
    return source;
  };
}
