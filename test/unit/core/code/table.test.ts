import { beforeEach, describe, expect, test, vi } from 'vitest';
import { CodeTable, codeTable, MAX_ENTRIES } from '../../../../src/core/code/table.js';
import { PlainStorage } from '../../../../src/core/code/table-storage.js';

/** Runs before the next successful compare-and-swap: another thread, at the worst moment. */
const seam = vi.hoisted(() => ({ interloper: undefined as (() => void) | undefined }));

vi.mock('../../../../src/core/memory/atomics.js', async (original) => {
  const real = await original<typeof import('../../../../src/core/memory/atomics.js')>();
  return {
    ...real,
    compareExchange: (words: Int32Array, index: number, expected: number, value: number): number => {
      const interloper = seam.interloper;
      seam.interloper = undefined;
      interloper?.();
      return real.compareExchange(words, index, expected, value);
    },
  };
});

/** Entries that there are now. */
function sizeOf(table: CodeTable): number {
  for (let id = 0; ; id++) {
    try {
      table.entry(id);
    } catch {
      return id;
    }
  }
}

/** Dirty memory, as the heap gives it. */
class Storage extends PlainStorage {
  allocated = 0;

  override allocBytes(bytes: number): number {
    this.allocated++;
    const offset = super.allocBytes(bytes);
    this.bytesAt(offset, bytes).fill(0xab);
    return offset;
  }

  override freeBytes(offset: number): void {
    this.allocated--;
    super.freeBytes(offset);
  }
}

describe('a code table', () => {
  let storage: Storage;
  let table: CodeTable;
  beforeEach(() => {
    storage = new Storage();
    table = new CodeTable(storage);
  });

  test('numbers code in order, the same code always alike', () => {
    const ids = ['a', 'b', 'a', 'c', 'b'].map((name) => table.idOf('function', 'file:///x.js', name));
    expect(ids).toEqual([0, 1, 0, 2, 1]);
    expect(sizeOf(table)).toBe(3);
  });

  test('keeps kinds, URLs and names apart', () => {
    const ids = [
      table.idOf('class', 'u', 'n'),
      table.idOf('function', 'u', 'n'),
      table.idOf('error', 'u', 'n'),
      table.idOf('source', 'u', 'n'),
      table.idOf('shape', 'u', 'n'),
      table.idOf('class', 'un', ''),
      table.idOf('class', '', 'un'),
      table.idOf('class', 'n', 'u'),
    ];
    expect(new Set(ids).size).toBe(ids.length);
  });

  test('gives back what was put in, in every thread', () => {
    const id = table.idOf('source', '(x) => "größe \ud83d" + x', '');
    const other = new CodeTable(storage);
    expect(other.entry(id)).toEqual({ kind: 'source', url: '(x) => "größe \ud83d" + x', name: '' });
    expect(other.idOf('source', '(x) => "größe \ud83d" + x', '')).toBe(id);
    expect(other.entry(id)).toBe(other.entry(id));
  });

  test('sees the entries of other threads, whoever appended', () => {
    const other = new CodeTable(storage);
    const ids = [0, 1, 2, 3, 4, 5].map((i) => (i % 2 === 0 ? table : other).idOf('shape', '', `s${i}`));
    expect(ids).toEqual([0, 1, 2, 3, 4, 5]);
    expect([table, other].map((t) => ids.map((id) => t.entry(id).name))).toEqual(
      Array(2).fill(['s0', 's1', 's2', 's3', 's4', 's5']),
    );
  });

  test('has one entry when two threads append the same code at once', () => {
    const other = new CodeTable(storage);
    table.idOf('function', 'u', 'before');
    const before = storage.allocated;
    let theirs = -1;
    seam.interloper = () => {
      theirs = other.idOf('function', 'u', 'f');
    };
    expect(table.idOf('function', 'u', 'f')).toBe(1);
    expect(theirs).toBe(1);
    expect(sizeOf(table)).toBe(2);
    expect(storage.allocated - before).toBe(1);
  });

  test('takes the next place when another thread takes this one', () => {
    table.idOf('function', 'u', 'before');
    const other = new CodeTable(storage);
    const before = storage.allocated;
    seam.interloper = () => other.idOf('function', 'u', 'g');
    expect(table.idOf('function', 'u', 'f')).toBe(2);
    expect(storage.allocated - before).toBe(2); // an entry each
    expect(table.entry(1).name).toBe('g');
    expect(other.entry(2).name).toBe('f');
  });

  test('has one first entry when two threads append to an empty list at once', () => {
    const other = new CodeTable(storage);
    seam.interloper = () => other.idOf('shape', '', 'theirs');
    expect(table.idOf('shape', '', 'mine')).toBe(1);
    expect([sizeOf(table), sizeOf(other)]).toEqual([2, 2]);
    expect(table.entry(0).name).toBe('theirs');
    expect(storage.allocated).toBe(2);
  });

  test('outlives a thread that ended anywhere in an append', () => {
    // The thread writes its entry and dies before the swap that publishes it.
    const dying = new CodeTable(storage);
    seam.interloper = () => {
      throw new Error('terminated');
    };
    expect(() => dying.idOf('shape', '', 'lost')).toThrow('terminated');
    expect(sizeOf(table)).toBe(0);
    expect(table.idOf('shape', '', 'a')).toBe(0);
    expect(table.idOf('shape', '', 'lost')).toBe(1);
  });

  test('looks a registration up once', () => {
    const registration = { kind: 'class', url: 'u', name: 'Fib' } as const;
    const id = table.idOfRegistration(registration);
    expect(table.idOfRegistration(registration)).toBe(id);
    expect(table.entry(id)).toEqual(registration);
    expect(new CodeTable(storage).idOfRegistration({ ...registration })).toBe(id);
  });

  test('remembers failures, the first for each code, for every thread', () => {
    const id = table.idOf('class', 'u', 'Fib');
    const other = new CodeTable(storage);
    expect(other.noteOf(id)).toBeUndefined();
    table.annotate(id, 'cannot be imported: größe');
    const before = storage.allocated;
    other.annotate(id, 'second');
    expect(storage.allocated).toBe(before);
    expect([table, other].map((t) => t.noteOf(id))).toEqual(Array(2).fill('cannot be imported: größe'));
    table.annotate(table.idOf('class', 'u', 'Other'), '');
    expect(other.noteOf(1)).toBe('');
  });

  test('knows no other numbers', () => {
    table.idOf('class', 'u', 'Fib');
    for (const id of [-1, 1, 255, 256, 70_000, 0.5, Number.NaN]) {
      expect(() => table.entry(id)).toThrow(RangeError);
      expect(() => table.noteOf(id)).toThrow(RangeError);
      expect(() => table.annotate(id, 'x')).toThrow(RangeError);
    }
  });

  test('lets one caller in the process give the warning', () => {
    expect(table.claimWarning('a')).toBe(true);
    expect(new CodeTable(storage).claimWarning('a')).toBe(false);
    expect(table.claimWarning('b')).toBe(true);
  });

  test('is bounded, and says so with a cure', () => {
    for (let i = 0; i < MAX_ENTRIES; i++) table.idOf('source', `${i}`, '');
    expect(() => table.idOf('source', 'more', '')).toThrow(RangeError);
    expect(() => table.idOf('source', 'more', '')).toThrow(/full: 65536 .*`context`.*forkable/);
    expect(() => table.idOf('class', 'u', 'C')).toThrow(/Register each class or function once/);
    expect(table.idOf('source', `${MAX_ENTRIES - 1}`, '')).toBe(MAX_ENTRIES - 1);
    expect(new CodeTable(storage).entry(MAX_ENTRIES - 1).url).toBe(`${MAX_ENTRIES - 1}`);
  });

  test('holds long texts', () => {
    const text = 'x'.repeat(100_001);
    expect(new CodeTable(storage).entry(table.idOf('source', text, 'n'))).toEqual({
      kind: 'source',
      url: text,
      name: 'n',
    });
  });

  test('writes an entry once: looking it up allocates nothing', () => {
    table.idOf('source', 'a', '');
    const before = storage.allocated;
    table.idOf('source', 'a', '');
    new CodeTable(storage).idOf('source', 'a', '');
    expect(storage.allocated).toBe(before);
  });
});

describe('the table of the process', () => {
  test('lies on the shared heap', () => {
    const id = codeTable().idOf('shape', '', 'on the heap');
    expect(codeTable().entry(id).name).toBe('on the heap');
    expect(codeTable()).toBe(codeTable());
  });
});
