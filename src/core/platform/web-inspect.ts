/**
 * Inspects the file of a worker, and the modules that it imports: why the worker does not start, where browsers say nothing, and whether it can
 * serve a pool. Runs on the thread that starts workers, and only when something is wrong.
 */
import { mayEvaluate } from './web-evaluate.js';

/** Origin of a worker. */
export interface WorkerFile {
  readonly url: string;
  readonly isModule: boolean;
}

export interface Findings {
  /** Fault that keeps it from running; undefined if nothing was found. */
  readonly fault: string | undefined;
  /** True if it serves a pool; undefined if that cannot be told: it may load code later. */
  readonly serves: boolean | undefined;
}

/** Text that `furcate/worker` has, whatever a bundler makes of it, and the rest of the library has not. */
const SERVES = /\.core\.serveWhenSpawned\(/;
/** A file with this has the library, whose own `import(url)` is that of modules of tasks. */
const OF_LIBRARY = /furcate\.import/;
const LOADS_LATER = /(?<![$\w.])import\s*\(/;
const LOADS_SCRIPTS = /\bimportScripts\s*\(/;
/** Imports of files by a call, when something asks for them. */
const IMPORTS_LATER = /(?<![$\w.])import\s*\(\s*(['"`])((?:\.{0,2}\/|https?:|blob:)[^'"`$\n]*)\1\s*\)/g;
/** Imports of files, by statements. */
const IMPORTS = /(?:^|[;}\n])\s*(?:import|export)\b[^'"();]*(['"])((?:\.{0,2}\/|https?:|blob:)[^'"\n]*)\1/g;

/** Number of files that are looked at, at most. */
const MAX_FILES = 200;

/** The syntax error of a script; undefined if there is none, or it cannot be told. The script does not run. */
async function syntaxErrorOf(text: string, isModule: boolean): Promise<string | undefined> {
  // A module is parsed first, and then fetches what it imports: it never runs if that fails.
  const script = URL.createObjectURL(new Blob([text, "\n;import 'furcate:nothing';"], { type: 'text/javascript' }));
  try {
    if (isModule) await import(/* @vite-ignore */ /* webpackIgnore: true */ script);
    else if (mayEvaluate()) new Function(text);
  } catch (error) {
    const { name, message, lineNumber } = error as Error & { lineNumber?: number };
    if (name === 'SyntaxError') return `${message}${isModule && lineNumber ? ` (line ${lineNumber})` : ''}`;
  } finally {
    URL.revokeObjectURL(script);
  }
  return undefined;
}

/** The text of a file, or what is wrong with it. */
async function read(url: string, isModule: boolean): Promise<{ readonly text: string } | { readonly fault: string }> {
  const response = await fetch(url);
  if (!response.ok) return { fault: `the server answers ${response.status} to ${url}` };
  const type = response.headers.get('Content-Type') ?? '';
  if (!/javascript|ecmascript/i.test(type)) return { fault: `${url} is no JavaScript: its Content-Type is '${type}'` };
  const text = await response.text();
  const error = await syntaxErrorOf(text, isModule);
  return error === undefined ? { text } : { fault: `${url} has a syntax error: ${error}` };
}

export async function inspect({ url, isModule }: WorkerFile): Promise<Findings> {
  const needed = new Set([url]); // the worker runs nothing before it has all of these
  const urls = new Set(needed);
  let isWhole = true;
  let serves = false;
  for (const each of urls) {
    if (urls.size > MAX_FILES) return { fault: undefined, serves: undefined };
    try {
      const file = await read(each, isModule);
      if ('fault' in file) {
        if (needed.has(each)) return { fault: file.fault, serves: undefined };
        isWhole = false;
        continue;
      }
      const { text } = file;
      serves ||= SERVES.test(text);
      const rest = text.replaceAll(IMPORTS_LATER, '');
      if ((LOADS_LATER.test(rest) && !OF_LIBRARY.test(rest)) || LOADS_SCRIPTS.test(rest)) isWhole = false;
      for (const [, , name = ''] of text.matchAll(IMPORTS)) {
        const { href } = new URL(name, each);
        urls.add(href);
        if (needed.has(each)) needed.add(href);
      }
      if (!serves) for (const [, , name = ''] of text.matchAll(IMPORTS_LATER)) urls.add(new URL(name, each).href);
    } catch {
      isWhole = false; // it cannot be fetched
    }
  }
  return { fault: undefined, serves: serves || (isWhole ? false : undefined) };
}
