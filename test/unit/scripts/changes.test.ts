/** Changes of the source: what each does to a piece of code, and that one that does not fit is an error. */
import { describe, expect, test } from 'vitest';
import {
  assignment,
  begin,
  binary,
  type Change,
  call,
  changed,
  conditional,
  conditionOf,
  copyAfter,
  copyBefore,
  drop,
  endOf,
  first,
  hoist,
  ifOn,
  inline,
  insertAfter,
  insertBefore,
  inside,
  last,
  loadAndStore,
  loop,
  moveAfter,
  moveBefore,
  name,
  not,
  number,
  onlyIf,
  plainStore,
  replace,
  returning,
  setTo,
  startOf,
  variable,
} from '../../../scripts/changes/index.js';

const FILE = 'src/core/worker/x.ts';
const bodyOf = (text: string): string => text.replaceAll(/\s+/g, ' ').trim();

/** The body of a function after a change. */
function bodyAfter(body: string, change: (file: string, of: string) => Change, parameters = 'a, b, words'): string {
  const head = `import { compareExchange, add } from '../memory/atomics.js';\nfunction f(${parameters}) {`;
  const g = '\nfunction g(...args) {}\nconst h = g;\nlet t = { x: 0, y: 0 };\n';
  const text = changed(`${head}\n${body}\n}${g}`, change(FILE, 'f'));
  return bodyOf(text.slice(text.indexOf('{', text.indexOf('function f')) + 1, text.lastIndexOf(`}${g}`)));
}

describe('drop', () => {
  const dropped = (body: string, what: Parameters<typeof drop>[2]): string =>
    bodyAfter(body, (file, of) => drop(file, of, what));

  test('takes away a statement', () => {
    expect(dropped('g(a); h(b);', call('g'))).toBe('h(b);');
    expect(dropped('t.x = a; t.y = b;', assignment('t.y'))).toBe('t.x = a;');
    expect(dropped('g(a); if (a > 0) h(b);', ifOn('a'))).toBe('g(a);');
    expect(dropped('for (const one of a) g(one); h();', loop('a'))).toBe('h();');
    expect(dropped('const c = a; h();', variable('c'))).toBe('h();');
  });

  test('leaves a branch or a loop empty, and an if without its else', () => {
    expect(dropped('if (a) g(); else h();', call('g'))).toBe('if (a) ; else h();');
    expect(dropped('if (a) g(); else h();', call('h'))).toBe('if (a) g();');
    expect(dropped('if (a) g(); else if (b) h();', ifOn('b'))).toBe('if (a) g();');
    expect(dropped('while (a) g();', call('g'))).toBe('while (a) ;');
  });

  test('takes away an operand, an argument, an element', () => {
    expect(dropped('return a || g(b);', call('g'))).toBe('return a;');
    expect(dropped('return a && (b || h()) && g();', binary('||'))).toBe('return a && g();');
    expect(dropped('g(a, b);', inside(call('g'), name('a')))).toBe('g(b);');
    expect(dropped('g(a, b);', inside(call('g'), name('b')))).toBe('g(a);');
    expect(dropped('return [a, b, h];', name('b'))).toBe('return [a, h];');
  });

  test('cannot take away anything else', () => {
    expect(() => dropped('return a + b;', name('b'))).toThrow(/so it cannot be dropped/);
  });
});

describe('replace', () => {
  const replaced = (body: string, what: Parameters<typeof drop>[2], text: string): string =>
    bodyAfter(body, (file, of) => replace(file, of, what, text));

  test('names the parts of what it replaces', () => {
    expect(replaced('return g(a, b + 1);', call('g'), 'h($2, $1)')).toBe('return h(b + 1, a);');
    expect(replaced('return a > b;', binary('>'), '$1 >= $2')).toBe('return a >= b;');
    expect(replaced('return a ? b : words;', conditional('a'), '$3')).toBe('return words;');
    expect(replaced('if (!g(a)) h();', not('g'), '$1')).toBe('if (g(a)) h();');
    expect(replaced('return a;', returning('a'), 'return g($1);')).toBe('return g(a);');
    expect(replaced('g(a);', call('g'), '$0 || h()')).toBe('g(a) || h();');
    expect(() => replaced('g(a);', call('g'), 'h($2)')).toThrow(/there is no \$2/);
  });

  test('keeps what belongs together in parentheses', () => {
    expect(replaced('return a | b;', binary('|'), '$0 - 1')).toBe('return (a | b) - 1;');
    expect(replaced('return g(a, b) === a;', call('g'), '$1 || $2')).toBe('return (a || b) === a;');
    expect(replaced('return g(a | b) === a;', call('g'), '$1 === 1')).toBe('return ((a | b) === 1) === a;');
  });

  test('of a part: a condition, the ends of a loop, a number', () => {
    const body = 'for (let k = 0; k < a; k++) if (b > 7) g(k);';
    expect(replaced(body, startOf(loop('k')), '1')).toBe('for (let k = 1; k < a; k++) if (b > 7) g(k);');
    expect(replaced(body, endOf(loop('k')), '$0 - 1')).toBe('for (let k = 0; k < (a - 1); k++) if (b > 7) g(k);');
    expect(replaced(body, conditionOf(ifOn('b')), 'true')).toBe('for (let k = 0; k < a; k++) if (true) g(k);');
    expect(replaced(body, number(7), '8')).toBe('for (let k = 0; k < a; k++) if (b > 8) g(k);');
    expect(() => replaced(body, startOf(ifOn('b')), '1')).toThrow(/has no start/);
  });

  test('makes a statement of a text that ends in a semicolon', () => {
    expect(replaced('g(a); h();', call('g'), 'throw $1;')).toBe('throw a; h();');
    expect(() => replaced('return g(a);', call('g'), 'throw $1;')).toThrow(/no statement can replace it/);
  });
});

describe('order', () => {
  test('a statement moves, and leaves its comments behind', () => {
    const body = '// why\ng(a); // O1\nh(b);';
    expect(bodyAfter(body, (file, of) => moveBefore(file, of, call('h'), call('g')))).toBe('// why h(b); g(a); // O1');
    expect(bodyAfter('g(a); h(b);', (file, of) => moveAfter(file, of, call('g'), call('h')))).toBe('h(b); g(a);');
  });

  test('a statement moves out of a block, or into a branch', () => {
    expect(bodyAfter('if (a) { g(a); h(b); }', (file, of) => moveBefore(file, of, call('h'), ifOn('a')))).toBe(
      'h(b); if (a) { g(a); }',
    );
    expect(bodyAfter('if (a) g(a); h(b);', (file, of) => moveBefore(file, of, call('h'), call('g')))).toBe(
      'if (a) { h(b); g(a); }',
    );
    expect(() => bodyAfter('if (a) g(a);', (file, of) => moveBefore(file, of, ifOn('a'), call('g')))).toThrow(
      /inside of the other/,
    );
  });

  test('an operation is copied', () => {
    expect(bodyAfter('g(a); if (h(b)) g();', (file, of) => copyBefore(file, of, call('h'), call('g', 'a')))).toBe(
      'h(b); g(a); if (h(b)) g();',
    );
    expect(bodyAfter('g(a); h(b);', (file, of) => copyAfter(file, of, call('g'), call('h')))).toBe('g(a); h(b); g(a);');
  });

  test('an expression is evaluated too early, or too late', () => {
    expect(bodyAfter('g(a); if (h(b)) g();', (file, of) => hoist(file, of, call('h'), call('g', 'a')))).toBe(
      'const early = h(b); g(a); if (early) g();',
    );
    expect(bodyAfter('const c = h(b); g(a); return c;', (file, of) => inline(file, of, 'c'))).toBe(
      'g(a); return (h(b));',
    );
  });

  test('a statement is put in, or depends on a condition', () => {
    expect(bodyAfter('g(a);', (file, of) => insertBefore(file, of, call('g'), 'if ($1) return;'))).toBe(
      'if (a) return; g(a);',
    );
    expect(bodyAfter('if (b) g(a); else h();', (file, of) => insertAfter(file, of, call('g'), 'h($1);'))).toBe(
      'if (b) { g(a); h(a); } else h();',
    );
    expect(bodyAfter('g(a);', (file, of) => onlyIf(file, of, call('g'), 'b'))).toBe('if (b) g(a);');
    expect(bodyAfter('g(a);', (file, of) => begin(file, of, 'h($2);'))).toBe('h(b); g(a);');
  });
});

test('atomics are weakened, and what that needs is imported', () => {
  const cas = 'return compareExchange(words, a, b, b | 1) === b;';
  expect(bodyAfter(cas, (file, of) => plainStore(file, of, call('compareExchange')))).toBe(
    'return ((store(words, a, b | 1), b)) === b;',
  );
  const torn = changed(
    "import { add } from './atomics.js';\nconst f = (words: Int32Array) => add(words, 1, 2);",
    loadAndStore(FILE, 'f', call('add')),
  );
  expect(torn).toContain('import { add, store, load } from');
  expect(torn).toContain('((old) => (store(words, 1, old + 2), old))(load(words, 1))');
});

test('a place is a function, a method, an accessor, a variable or a property, by its path', () => {
  const text = `const SIZE = 8;
const SIZES = { small: 1, big: 2 };
class A { get x() { return 1; } f() { return 2; } constructor() { g(3); } #p = 4; }
class B { f() { return 5; } }
function g(n: number) { const x = n; return x; }
g(SIZE);
`;
  const set = (of: string): string => changed(text, setTo(FILE, of, '9'));
  expect(set('SIZE')).toContain('SIZE = 9;');
  expect(set('SIZES.big')).toContain('{ small: 1, big: 9 }');
  expect(set('A.#p')).toContain('#p = 9;');
  expect(changed(text, replace(FILE, 'x', number(1), '9'))).toContain('get x() { return 9; }');
  expect(changed(text, replace(FILE, 'B.f', number(5), '9'))).toContain('f() { return 9; }');
  expect(changed(text, replace(FILE, 'A.constructor', number(3), '9'))).toContain('{ g(9); }');
  expect(() => changed(text, replace(FILE, 'f', number(5), '9'))).toThrow(/^f is there 2 times, not once/);
  expect(() => set('NOWHERE')).toThrow(/^NOWHERE is there 0 times, not once/);
});

describe('a change that does not fit is an error that names it, its function, and what is there', () => {
  test('an anchor that is not there', () => {
    expect(() => bodyAfter('g(a); h(b);', (file, of) => drop(file, of, call('k')))).toThrow(
      "call of k is there 0 times, not once; there is 'g(a)', 'h(b)' (drop (call of k) in f of src/core/worker/x.ts)",
    );
    expect(() => bodyAfter('g(a);', (file, of) => drop(file, of, call('g', 'b')))).toThrow(
      /call of g with b is there 0 times/,
    );
  });

  test('an anchor that is there twice, unless it says which', () => {
    expect(() => bodyAfter('g(a); g(b);', (file, of) => drop(file, of, call('g')))).toThrow(
      "call of g is there 2 times, not once; there is 'g(a)', 'g(b)'",
    );
    expect(bodyAfter('g(a); g(b);', (file, of) => drop(file, of, first(call('g'))))).toBe('g(b);');
    expect(bodyAfter('g(a); g(b);', (file, of) => drop(file, of, last(call('g'))))).toBe('g(a);');
    expect(bodyAfter('g(a); g(b);', (file, of) => drop(file, of, call('g', 'b')))).toBe('g(a);');
    expect(bodyAfter('g(a); if (b) { g(b); }', (file, of) => drop(file, of, inside(ifOn('b'), call('g'))))).toBe(
      'g(a); if (b) { }',
    );
  });

  test('an anchor that quotes the source', () => {
    for (const quote of ['g(a)', 'g(a);', '// why', '//', '/*', 'a b', "'x'"])
      expect(() => bodyAfter('g(a);', (file, of) => drop(file, of, call('g', quote)))).toThrow(/quotes the source/);
  });

  test('a text that names what is not there, or not yet', () => {
    const named = (text: string) => () =>
      bodyAfter('g(a); const c = b; h(c);', (file, of) => replace(file, of, call('g'), text));
    expect(named('h(nothing)')).toThrow(/the function would name nothing \(replace/);
    expect(named('h(c)')).toThrow(/the function would name c, which comes later/);
    expect(named('h(() => c, Math.max(a, t.whatever))')).not.toThrow();
    expect(() =>
      bodyAfter('g(a); const c = b; h(c);', (file, of) => moveBefore(file, of, call('h'), call('g'))),
    ).toThrow(/c, which comes later/);
  });
});

test('rewording the source changes nothing', () => {
  const planted = (body: string): string =>
    bodyAfter(body, (file, of) => moveBefore(file, of, call('h', 't.x'), call('g'))).replaceAll(
      /\/\*.*?\*\/|[\s,]/g,
      '',
    );
  expect(planted('g(a); h(t.x, b);')).toBe('h(t.xb);g(a);');
  expect(planted('/* S1: first */ g(a); /* then */ h(t.x, b);')).toBe('h(t.xb);g(a);');
  expect(planted('g(a);\nh(\n  t.x /* what */,\n  b,\n);')).toBe('h(t.xb);g(a);');
});
