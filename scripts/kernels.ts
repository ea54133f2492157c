/**
 * Compiles the WebAssembly kernels (src/algorithms/kernels/wasm) with AssemblyScript, for the build and the tests.
 *
 * Compiling takes seconds, so the binaries stay in .build/ under a fingerprint of their inputs.
 */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { KERNEL_GROUPS, type KernelGroup } from '../src/algorithms/kernels/wasm-groups.js';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const SCRATCH = join(ROOT, '.build');
const SOURCES = join(ROOT, 'src/algorithms/kernels/wasm');

/**
 * All threads run the module on the same memory, so the module must own no memory: no runtime, no static data, no stack. The heap
 * may have at most 65,536 pages; a heap with a lower maximum is accepted too.
 */
const OPTIONS = [
  '-O3',
  '--converge',
  '--runtime stub',
  '--noAssert',
  '--importMemory',
  '--noExportMemory',
  '--sharedMemory',
  '--maximumMemory 65536',
  '--enable simd,threads,bulk-memory',
  '--use abort=',
].flatMap((option) => option.split(' '));

type Sources = ReadonlyMap<string, string>;

/** A line that says for what the next line is written: `// for OP of MIN MAX, T of i8 u8`. */
const FOR_EACH = /^\/\/ for (.+)\n(.+)$/gm;

/**
 * AssemblyScript cannot export generic functions, so a source has one line for all instances of a function. Here that line becomes one
 * line for each of them. In names, a parameter becomes `Min` or `I8` after a `_`, and `min` before one: `OP_T` gives `minI8`.
 */
function withInstances(source: string): string {
  return source.replace(FOR_EACH, (_, parameters: string, line: string) => {
    let lines = [line];
    for (const parameter of parameters.split(', ')) {
      const [name, values] = parameter.split(' of ') as [string, string];
      const inNames = new RegExp(`_${name}(?=_|\\b)`, 'g');
      const first = new RegExp(`\\b${name}(?=_)`, 'g');
      const alone = new RegExp(`\\b${name}\\b`, 'g');
      lines = values.split(' ').flatMap((value) => {
        const inName = value.charAt(0).toUpperCase() + value.slice(1).toLowerCase();
        return lines.map((text) =>
          text.replace(inNames, inName).replace(first, value.toLowerCase()).replace(alone, value),
        );
      });
    }
    return lines.join('\n');
  });
}

/** The sources of the kernels by path, relative to their folder. */
function readSources(): Sources {
  const files = readdirSync(SOURCES, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));
  return new Map(files.sort().map((file) => [file, withInstances(readFileSync(join(SOURCES, file), 'utf8'))]));
}

function fingerprint(sources: Sources): string {
  const compiler = readFileSync(join(ROOT, 'node_modules/assemblyscript/package.json'), 'utf8');
  const made = JSON.stringify([compiler, OPTIONS, [...sources]]);
  return createHash('sha256').update(made).digest('hex').slice(0, 16);
}

/** Compiles one module. The compiler sees only `sources`, so their fingerprint covers all inputs. */
async function compile(sources: Sources, entry: string): Promise<Uint8Array> {
  const { default: asc } = await import('assemblyscript/asc');
  let binary: Uint8Array | undefined;
  const { error, stderr } = await asc.main([entry, '--outFile', 'kernels.wasm', ...OPTIONS], {
    readFile: (name: string) => sources.get(name) ?? null,
    listFiles: () => [],
    writeFile(name: string, contents: string | Uint8Array) {
      if (name === 'kernels.wasm') binary = contents as Uint8Array;
    },
  });
  if (error !== null || binary === undefined)
    throw new Error(`the kernels do not compile:\n${stderr}`, { cause: error });
  return binary;
}

/** The binary of a group. Compiles it if the sources have changed. */
export async function kernelsBinary(group: KernelGroup): Promise<Uint8Array> {
  const sources = readSources();
  const path = join(SCRATCH, `kernels-${group}-${fingerprint(sources)}.wasm`);
  if (existsSync(path)) return readFileSync(path);
  const binary = await compile(sources, `${group}-kernels.ts`);
  mkdirSync(SCRATCH, { recursive: true });
  const scratch = `${path}.${process.pid}`;
  writeFileSync(scratch, binary);
  renameSync(scratch, path); // atomic, because another process may compile at the same time
  return binary;
}

/** All binaries, in hexadecimal. */
export async function kernelTexts(): Promise<Record<KernelGroup, string>> {
  const texts: Partial<Record<KernelGroup, string>> = {};
  for (const group of KERNEL_GROUPS) texts[group] = Buffer.from(await kernelsBinary(group)).toString('hex');
  return texts as Record<KernelGroup, string>;
}

/** The text that vitest substitutes for `__FURCATE_KERNELS__`. */
export const kernelsLiteral = async (): Promise<string> => JSON.stringify(await kernelTexts());
