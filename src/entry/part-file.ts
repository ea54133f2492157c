/**
 * Parts of the library as files beside the entry; in Node.
 *
 * The entry names each file in two forms that the build writes out for each part (scripts/entry-modules.ts). Tools that copy a program with the
 * files that it reads (@vercel/nft, Next, Nitro) know the place by `new URL('./core.js', import.meta.url)` or `__dirname + '/core.js'`. Bundlers
 * that took this entry, because they do not know the condition `module`, know the module by `require('./core.js')`: no such file lies beside
 * their bundle, so the part is the function in the bundle.
 */
import type { PartSource, PartSupplier } from '../core/library/parts.js';
import { permissionFor } from '../core/platform/node-permissions.js';
import { type Evaluated, evaluateScript, SCRIPT_HEAD } from '../core/platform/node-script.js';
import { partInBundle } from './part-in-bundle.js';

/** Beginning of a part's file. A bundle may lie beside a file of the program that has the name of a part. */
const BEGINNING = /^export default function furcate[A-Z]/;

/**
 * Reads a part from its file.
 *
 * @param path of a module whose one statement is `export default`, and a function after it
 * @throws Error if the file cannot be read, or is another
 */
export function readPart(path: string): PartSource {
  const module = process.getBuiltinModule('node:fs').readFileSync(path, 'latin1');
  if (!BEGINNING.test(module)) throw new Error(`furcate: ${path} is not its own file.`);
  const text = module.slice(SCRIPT_HEAD.length).trimEnd();
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

/** A part, wherever it is. */
function find(name: string, place: () => string, module: () => { readonly default: PartSource['make'] }): PartSource {
  try {
    return readPart(place());
  } catch (cause) {
    try {
      return partInBundle(name, module().default)();
    } catch {
      throw lacking(name, cause);
    }
  }
}

function lacking(name: string, cause: unknown): Error {
  if (typeof process.getBuiltinModule !== 'function')
    return new Error(
      `furcate: Node ${process.version} is not supported: use Node 20.19 or a later 20, or 22.3 or later.`,
    );
  const permission = permissionFor(cause);
  const cure =
    permission === undefined
      ? `It lies in the folder dist of the package. If a bundler made this program, let it take the package's condition 'module' (--conditions=module), ` +
        'or leave furcate out of the bundle; if a tool copied the files that the program needs, let it copy that folder whole.'
      : `Let it: ${permission}.`;
  return new Error(`furcate: cannot read its own file ${name}.js. ${cure} See docs/deploy.md of the package.`, {
    cause,
  });
}

/** The path of a file that an ES module names by its place beside itself. */
export const pathOf = (url: URL): string => process.getBuiltinModule('node:url').fileURLToPath(url.href);

/**
 * The part of that name, read when it is asked for.
 *
 * @param place gives the path of its file
 * @param module requires its file, in a bundle that has it
 */
export function partFile(
  name: string,
  place: () => string,
  module: () => { readonly default: PartSource['make'] },
): PartSupplier {
  let source: PartSource | undefined;
  return () => {
    source ??= find(name, place, module);
    return source;
  };
}
