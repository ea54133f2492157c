import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as furcate from 'furcate';
import * as cluster from 'furcate/cluster';
import * as flows from 'furcate/flows';
import * as insight from 'furcate/insight';
import ts from 'typescript';
import { describe, expect, test } from 'vitest';
import { ROOT } from '../helpers/project-files.js';

const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

const values = Object.keys(furcate);
/** The promise forms. The pages describe `Sync` forms together with them. */
const algorithms = values.filter((name) => name.startsWith('parallel') && !name.endsWith('Sync'));

const parse = (path: string): ts.SourceFile => ts.createSourceFile(path, read(path), ts.ScriptTarget.ESNext, true);

/** All names, types too, that a module of src exports. */
function exportsOf(source: string): string[] {
  const path = join(ROOT, source);
  const options = { module: ts.ModuleKind.NodeNext, target: ts.ScriptTarget.ES2022, noLib: true, types: [] };
  const program = ts.createProgram([path], options);
  const checker = program.getTypeChecker();
  const module = checker.getSymbolAtLocation(program.getSourceFile(path) as ts.SourceFile) as ts.Symbol;
  return checker.getExportsOfModule(module).map(({ name }) => name);
}

/** The types that src/index.ts exports beside its values. */
const exportedTypes = (): string[] => exportsOf('src/index.ts').filter((name) => !values.includes(name));

/** The public members of a class or an interface, from its declaration: no symbols, and nothing marked internal. */
function membersOf(path: string, owner: string): string[] {
  const members = parse(path).statements.flatMap((node): readonly ts.NamedDeclaration[] =>
    (ts.isClassDeclaration(node) || ts.isInterfaceDeclaration(node)) && node.name?.text === owner ? node.members : [],
  );
  const names = members
    .filter((member) => !ts.getJSDocTags(member).some(({ tagName }) => tagName.text === 'internal'))
    .filter((member) => !/\b(declare|private)\b/.test(member.getText().split('(', 1)[0] as string))
    .flatMap(({ name }) => (name !== undefined && ts.isIdentifier(name) ? [name.text] : []));
  return [...new Set(names)].sort();
}

/** The first cells, which hold code, of all tables in `text` whose first column has the heading `head`. */
function firstCells(text: string, head: string): string[] {
  const tables = text.matchAll(new RegExp(`^\\| ${head} \\|.*\\n\\|[ |-]+\\n((?:\\|.*\\n)*)`, 'gm'));
  return [...tables].flatMap(([, rows = '']) => [...rows.matchAll(/^\| (`.*?`) \|/gm)].map(([, cell = '']) => cell));
}

/** The names at the beginning of the code in each cell (`name`, `name(...)`, `new name(...)`, `.name`), without repetitions in a cell. */
const namesIn = (cells: readonly string[]): string[] =>
  cells.flatMap((cell) => [
    ...new Set([...cell.matchAll(/`(?:new |\.)?([A-Za-z]\w*)[^`]*`/g)].map(([, name = '']) => name)),
  ]);

/** A section of a page, up to the next heading of its level or above. */
const sectionOf = (text: string, heading: string): string =>
  text.split(new RegExp(`^${heading}$`, 'm'))[1]?.split(/^## /m, 1)[0] ?? '';

const page = read('docs/algorithms.md');
const reference = read('docs/reference.md');
const flowsPage = read('docs/flows.md');
const clusterPage = read('docs/cluster.md');
const insightPage = read('docs/insight.md');

test('every entry of the package has one row in docs/reference.md', () => {
  const { exports } = JSON.parse(read('package.json')) as { exports: Readonly<Record<string, unknown>> };
  const entries = Object.keys(exports).filter((path) => path !== './package.json');
  const rows = firstCells(reference, 'module').map((cell) => cell.slice(1, -1));
  expect(rows.sort()).toEqual(entries.map((path) => `furcate${path.slice(1)}`).sort());
});

test('every algorithm has a Sync form', () => {
  expect(algorithms.filter((name) => !values.includes(`${name}Sync`))).toEqual([]);
});

test('every algorithm has one row in docs/algorithms.md, and no row names anything else', () => {
  expect(namesIn(firstCells(page, 'function')).sort()).toEqual([...algorithms].sort());
});

test('every other export has one row in docs/reference.md, and every row names an export', () => {
  const others = values.filter((name) => !name.startsWith('parallel'));
  const rows = [...firstCells(reference, 'export'), ...firstCells(reference, 'type')];
  expect(namesIn(rows).sort()).toEqual([...others, ...exportedTypes()].sort());
});

test('every export of furcate/flows has one row in docs/flows.md, and every row names an export', () => {
  const all = exportsOf('src/flows/index.ts');
  expect(all).toEqual(expect.arrayContaining(Object.keys(flows)));
  const rows = [...firstCells(flowsPage, 'export'), ...firstCells(flowsPage, 'type')];
  expect(namesIn(rows).sort()).toEqual([...all].sort());
});

test('every export of furcate/insight has one row in docs/insight.md, and every row names an export', () => {
  const all = exportsOf('src/insight/index.ts');
  expect(all).toEqual(expect.arrayContaining(Object.keys(insight)));
  const rows = [...firstCells(insightPage, 'export'), ...firstCells(insightPage, 'type')];
  expect(namesIn(rows).sort()).toEqual([...all].sort());
});

test('every export of furcate/cluster has one row in docs/cluster.md, and every row names an export', () => {
  const all = exportsOf('src/cluster/index.ts');
  expect(all).toEqual(expect.arrayContaining(Object.keys(cluster)));
  const rows = [...firstCells(clusterPage, 'export'), ...firstCells(clusterPage, 'type')];
  expect(namesIn(rows).sort()).toEqual([...all].sort());
});

test('every option of a pool has one row in docs/reference.md', () => {
  expect(namesIn(firstCells(reference, 'option')).sort()).toEqual(
    membersOf('src/core/pool/options.ts', 'ForkJoinPoolOptions'),
  );
});

test.each([
  ['## Pools', 'src/core/pool/fork-join-pool.ts', 'ForkJoinPool'],
  ['## Tasks', 'src/core/task/fork-join-task.ts', 'ForkJoinTask'],
])('the section %s of docs/reference.md has one row for every member', (heading, path, owner) => {
  expect(namesIn(firstCells(sectionOf(reference, heading), 'member')).sort()).toEqual(membersOf(path, owner));
});

describe.each(algorithms)('%s', (name) => {
  const section = new RegExp(`^### ${name}\\n([\\s\\S]*?)(?=^##|(?![\\s\\S]))`, 'm').exec(page)?.[1] ?? '';

  test('has a section that says when to use it, and when to use another function instead', () => {
    expect(section).toMatch(/\*\*Use it when\*\*/);
    expect(section).toMatch(/[Uu]se\s+`[^`]+`(\s+or\s+`[^`]+`)?\s+instead/);
  });

  test('has an example that calls it and shows a result', () => {
    const code = [...section.matchAll(/```js\n([\s\S]*?)```/g)].map((match) => match[1]).join('\n');
    expect(code).toMatch(new RegExp(`\\b${name}\\(`));
    expect(code).toMatch(/\/\/ => /);
  });
});
