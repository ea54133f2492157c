/**
 * Loads the shipped source for the explorer, and changes in it only what it must: accesses to shared words go through
 * the seam, handlers let a pause pass, `await` is gone, and a few constants are small.
 *
 * One bundle, of library.ts, which is a function of the seam: each virtual thread gets a copy of its own.
 */
import { readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import ts from 'typescript';
import { type Change, changed, setTo } from '../../../scripts/changes/index.js';
import type { Library } from './library.js';
import { ModuleState } from './module-state.js';
import type { Seam } from './seam.js';
import { isSharedAccess, refuseUnseenAccesses } from './shared-access.js';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const HERE = fileURLToPath(new URL('.', import.meta.url));

export interface FileText {
  readonly file: string;
  readonly text: string;
}

/** A copy of the library, for one virtual thread. */
export interface Copy {
  readonly library: Library;
  /** Puts all module state back to what it was when the copy was made. */
  reset(): void;
}

export type MakeCopy = (seam: Seam) => Copy;

/** How the source queues a microtask: the second form is safe from fake timers. */
const MICROTASKS = ['queueMicrotask', 'resolved.then'];

const CLOCKS = ['performance.now', 'Date.now', 'host().nowMs'];

/** What is not protocol, and would only stand in the way: code, the heap's blobs, the platform. */
const STUBS: Readonly<Record<string, string>> = {
  'src/core/memory/atomics.ts': 'atomics.ts',
  'src/core/memory/heap.ts': 'heap.ts',
  'src/core/memory/external-buffers.ts': 'external-buffers.ts',
  'src/core/memory/shared-array.ts': 'shared-array.ts',
  'src/core/library/parts.ts': 'parts.ts',
  'src/core/library/worker-program.ts': 'worker-program.ts',
  'src/core/code/registry.ts': 'registry.ts',
  'src/core/code/resolver.ts': 'resolver.ts',
  'src/core/code/table.ts': 'table.ts',
  'src/core/code/data-copy.ts': 'data-copy.ts',
  'src/core/task/trees.ts': 'trees.ts',
  'src/core/code/specialize.ts': 'specialize.ts',
  'src/core/code/task-contexts.ts': 'task-contexts.ts',
  'src/core/task/with-context.ts': 'with-context.ts',
  'src/core/code/value-class.ts': 'value-class.ts',
  'src/core/platform/host.ts': 'host.ts',
  'src/extensions/reports/block.ts': 'block.ts',
  'src/extensions/reports/here.ts': 'here.ts',
  'src/core/pool/overview.ts': 'overview.ts',
  'src/core/worker/observe.ts': 'observe.ts',
  'src/core/task/counts-arguments.ts': 'counts-arguments.ts',
  'src/core/task/last-words.ts': 'last-words.ts',
  'src/core/task/stack-end.ts': 'stack-end.ts',
  'src/core/job/code-dependencies.ts': 'code-dependencies.ts',
};

const TUNING = 'src/core/tuning.ts';
const WAIT = 'src/core/worker/wait.ts';
const LAYOUT = 'src/core/memory/layout.ts';

/** Spins and sizes that only multiply schedules. */
const SMALLER: readonly Change[] = [
  setTo(TUNING, 'MIN_STACK_ELEMENTS', '4'),
  setTo(TUNING, 'MONITOR_MS', '0'),
  setTo(WAIT, 'JOIN_SPINS', '0'),
  setTo(WAIT, 'CHECKED_SPINS', '0'),
  setTo(WAIT, 'CHECKED_SLEEPS', '1'),
  setTo('src/core/worker/search.ts', 'SPINS', '0'),
  setTo('src/extensions/reports/index.ts', 'DELIVERY_MS', '1e9'),
  setTo('src/algorithms/schedule/lookback.ts', 'PATIENCE', '1'),
  setTo('src/core/memory/heap-lock.ts', 'SPINS', '1'),
  setTo(LAYOUT, 'DEFAULT_CAPACITIES.ringLog2', '2'),
  setTo(LAYOUT, 'DEFAULT_CAPACITIES.recordsPerSlot', '4'),
];

/** The text of a source file with all accesses to shared words as calls of the seam; an error if some would not be seen. */
export function instrument(file: string, text: string): string {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.ES2022, true, ts.ScriptKind.TS);
  refuseUnseenAccesses(file, source);

  /** The text of a node, with what is inside of it rewritten. */
  function inside(node: ts.Node): string {
    let out = '';
    let at = node.getStart(source);
    ts.forEachChild(node, (child) => {
      out += text.slice(at, child.getStart(source)) + rewritten(child);
      at = child.getEnd();
    });
    return out + text.slice(at, node.getEnd());
  }

  function write(target: ts.ElementAccessExpression, value: string): string {
    return `__seam.write(${rewritten(target.expression)}, ${rewritten(target.argumentExpression)}, ${value})`;
  }

  function rewritten(node: ts.Node): string {
    if (ts.isBinaryExpression(node) && isSharedAccess(node.left)) {
      const operator = node.operatorToken.getText(source);
      if (operator === '=') return write(node.left, rewritten(node.right));
      if (/^[-+&|^]=$/.test(operator)) {
        return write(node.left, `${rewritten(node.left)} ${operator[0]} (${rewritten(node.right)})`);
      }
    }
    if ((ts.isPrefixUnaryExpression(node) || ts.isPostfixUnaryExpression(node)) && isSharedAccess(node.operand)) {
      const step = { [ts.SyntaxKind.PlusPlusToken]: '+ 1', [ts.SyntaxKind.MinusMinusToken]: '- 1' }[
        node.operator as number
      ];
      if (step !== undefined) return write(node.operand, `${rewritten(node.operand)} ${step}`);
    }
    if (isSharedAccess(node))
      return `__seam.read(${rewritten(node.expression)}, ${rewritten(node.argumentExpression)})`;
    if (ts.isCatchClause(node)) {
      const name = node.variableDeclaration?.name.getText(source) ?? '__error';
      return `catch (${name}) { __seam.pass(${name}); ${inside(node.block).slice(1)}`;
    }
    // Loops of a worker go on at once after what they await: the host of a model has nothing to wait for.
    if (ts.isAwaitExpression(node) && file.includes('/worker/')) return rewritten(node.expression);
    if (node.kind === ts.SyntaxKind.AsyncKeyword && file.includes('/worker/')) return '';
    // The one buffer that the library makes for itself is the model's memory.
    if (ts.isNewExpression(node) && node.expression.getText(source) === 'SharedArrayBuffer') return '__seam.buffer';
    if (ts.isCallExpression(node)) {
      const called = node.expression.getText(source);
      if (CLOCKS.includes(called)) return '__seam.nowMs()';
      if (MICROTASKS.includes(called)) return `__seam.queue(${node.arguments.map(rewritten).join(', ')})`;
      if (called === 'Math.random') return '__seam.random()';
    }
    return inside(node);
  }

  return inside(source);
}

/** Makes a module announce its top-level variables to the copy's `ModuleState`. */
function announce(file: string, text: string): string {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.ES2022, true, ts.ScriptKind.TS);
  const declared = source.statements.filter(ts.isVariableStatement).flatMap(({ declarationList, modifiers }) => {
    if (modifiers?.some(({ kind }) => kind === ts.SyntaxKind.DeclareKeyword)) return [];
    const isConst = (declarationList.flags & ts.NodeFlags.Const) !== 0;
    const names = declarationList.declarations.filter(({ name }) => ts.isIdentifier(name));
    return names.map(({ name }) => ({ name: name.getText(source), isConst }));
  });
  const lines = declared.filter(({ isConst }) => isConst).map(({ name }) => `__state.constant(${name});`);
  const variables = declared.filter(({ isConst }) => !isConst).map(({ name }) => name);
  if (variables.length > 0) {
    const saved = variables.map((name, i) => `__saved${i} = ${name}`);
    const restored = variables.map((name, i) => `${name} = __saved${i};`);
    lines.push(`__state.variables(() => { const ${saved.join(', ')}; return () => { ${restored.join(' ')} }; });`);
  }
  return `${text}\n${lines.join('\n')}\n`;
}

/** A call of `probeStep`, which is nothing to a model. */
const STEP = /^ *probeStep\('[^']*'\);\n/gm;

const prepared = new Map<string, string>();

function prepare(file: string, changes: readonly Change[], given: string | undefined): string {
  const stub = STUBS[file];
  const mine = changes.filter((change) => change.file === file);
  const key = `${file}\0${JSON.stringify(mine)}\0${given ?? ''}`;
  let text = prepared.get(key);
  if (text === undefined) {
    const path = stub === undefined ? join(ROOT, file) : join(HERE, 'stubs', stub);
    const whole = given ?? readFileSync(path, 'utf8').replace(STEP, '');
    text = announce(file, stub === undefined ? instrument(file, mine.reduce(changed, whole)) : whole);
    prepared.set(key, text);
  }
  return text;
}

/** A callback of the event loop would run when no thread of the model does. */
const noTimers = (): never => {
  throw new Error('the model has no timers');
};

/**
 * The shipped source with `changes`, each of which must fit.
 *
 * @param instead the text of one file, to be taken for what the file holds
 */
export async function loadSource(changes: readonly Change[] = [], instead?: FileText): Promise<MakeCopy> {
  const all = [...SMALLER, ...changes];
  const loaded = new Set<string>();
  const result = await build({
    entryPoints: [join(HERE, 'library.ts')],
    bundle: true,
    write: false,
    logLevel: 'silent', // errors are thrown; some tests expect one
    format: 'iife',
    globalName: '__library',
    target: 'es2022',
    tsconfigRaw: { compilerOptions: { useDefineForClassFields: false } }, // as in what is shipped
    plugins: [
      {
        name: 'model',
        setup({ onLoad }) {
          onLoad({ filter: /\/src\/.*\.ts$/ }, ({ path }) => {
            const file = relative(ROOT, path).replaceAll('\\', '/');
            loaded.add(file);
            const given = file === instead?.file ? instead.text : undefined;
            return { contents: prepare(file, all, given), loader: 'ts' };
          });
        },
      },
    ],
  });
  for (const { file } of instead === undefined ? changes : [...changes, instead]) {
    if (!loaded.has(file) || file in STUBS) throw new Error(`${file} is not among what the model checks`);
  }
  const text = `${result.outputFiles[0].text}\nreturn __library.default;`;
  const make = new Function('__seam', '__state', 'setTimeout', text) as (
    seam: Seam,
    state: ModuleState,
    setTimeout: () => never,
  ) => Library;
  return (seam) => {
    const state = new ModuleState();
    const library = make(seam, state, noTimers);
    state.save();
    return { library, reset: () => state.restore() };
  };
}
