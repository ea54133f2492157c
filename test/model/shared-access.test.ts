/** The loader of the models refuses accesses to shared words that the explorer would not see. */
import { describe, expect, test } from 'vitest';
import { instrument } from './explorer/load-source.js';

const FILE = 'src/core/worker/some.ts';
const load = (body: string) => () => instrument(FILE, `// first line\n${body}`);

describe('an access to shared words under another name is an error when the source is loaded', () => {
  test.each([
    ['a variable', 'const w = memory.words;'],
    ['a variable with a type', 'const w: Int32Array = own.words;'],
    ['a local name in place of theirs', 'const values = words as Int32Array;'],
    ['a destructured property', 'const { words: w } = memory;'],
    ['a destructured property of a parameter', 'const f = ({ words: w }: WorkerSlot) => 1;'],
    ['a destructured array', 'const [first] = memory.words;'],
    ['an assignment', 'w = memory.words;'],
    ['a field', 'this.#cells = memory.words;'],
    ['a field that is declared', 'class A { cells = words; }'],
    ['a property of a new object', 'const own = { cells: memory.words };'],
    ['a choice', 'const words = isRoot ? memory.words : other.words;'],
    ['a fallback', 'const words = given ?? memory.words;'],
    ['a list', 'const all = [memory.words];'],
    ['an iteration', 'for (const word of memory.words) sum += word;'],
    ['a spread', 'const sum = Math.max(...memory.words);'],
    ['a builtin', 'const copy = Array.from(memory.words);'],
    ['a method that reads', 'const first = memory.words.at(0);'],
    ['a method that writes', 'memory.words.fill(0);'],
    ['a default', 'const { cells = words } = memory;'],
    ['a new array on the buffer', 'const cells = new Int32Array(memory.buffer);'],
    ['a part', 'const part = words.subarray(1, 2);'],
    ['a parameter', 'function f(cells: Int32Array) {}'],
    ['a parameter with a local name', 'function f(values: Int32Array) {}'],
    ['a parameter of two types', 'function f(cells: Int32Array | Float64Array) {}'],
    ['a property of a type', 'interface A { readonly cells: Int32Array }'],
    ['an element of something unknown', 'const word = cells[at];'],
    ['an element that is written', 'cellsOf(memory)[at] = 1;'],
    ['the builtins', 'Atomics.load(words, 0);'],
  ])('%s: %s', (_what, body) => {
    expect(load(body)).toThrow(`${FILE}:2: `);
  });

  test('names line and rule', () => {
    expect(load('\n\nconst w = memory.words;')).toThrow(
      `${FILE}:4: shared words under another name: w = memory.words (shared-access.ts has the rules)`,
    );
  });
});

describe('accesses under their own names are seen', () => {
  test.each([
    ['words[at]', '__seam.read(words, at)'],
    ['this.#words[this.#bottom]', '__seam.read(this.#words, this.#bottom)'],
    ['(memory.words)[at]', '__seam.read((memory.words), at)'],
    ['words[at] = 1', '__seam.write(words, at, 1)'],
    ['words[at] |= bit', '__seam.write(words, at, __seam.read(words, at) | (bit))'],
    ['memory.words[at]++', '__seam.write(memory.words, at, __seam.read(memory.words, at) + 1)'],
    ['control[W_NEXT]', '__seam.read(control, W_NEXT)'],
  ])('%s', (body, seen) => {
    expect(instrument(FILE, body)).toBe(seen);
  });

  test('what a thread has for itself is left alone', () => {
    const body = 'local.stack[k] = values[0]; const { words } = memory; this.words = words; f(words);';
    expect(instrument(FILE, body)).toBe(body);
  });
});
