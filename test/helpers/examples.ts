/**
 * The examples of the documentation, and how they are run.
 *
 * An example is a block of JavaScript or TypeScript in a markdown page, or the `@example` of a docstring. A block whose first
 * line is `// name.ext` is the file of that name, which other blocks of the page may import; the others are modules of their
 * own. `// => text` behind a statement, or on the line below, shows the value of its expression (of its argument, for
 * `console.log(...)`).
 */
import { execFile } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import ts from 'typescript';
import { TEST_HANG_MS } from './limits.js';
import { type ProjectFile, ROOT } from './project-files.js';

export interface Example {
  /** Where it begins: `README.md:10`. */
  readonly place: string;
  /** The file that it is run as. */
  readonly file: string;
  readonly text: string;
}

const EXTENSIONS: Readonly<Record<string, string>> = {
  js: '.mjs',
  javascript: '.mjs',
  mjs: '.mjs',
  cjs: '.cjs',
  ts: '.ts',
  typescript: '.ts',
  mts: '.mts',
};
const FENCE = /^( *)(`{3,}|~{3,})(\w*)([^\n]*)\n([\s\S]*?)^\1\2 *$/gm;
const FILE_NAME = /^\/\/ ([\w.-]+\.[cm]?[jt]s)\s*$/;
const SHOWN = /\/\/ => (.*?)\s*$/gm;

const lineOf = (text: string, at: number): number => text.slice(0, at).split('\n').length;

/**
 * The blocks of code of a page, in order.
 *
 * @param where a word behind the language of the block, which says that it is for another place than Node: `browser`
 */
export function examplesOf(page: ProjectFile, where = ''): Example[] {
  return [...page.text.matchAll(FENCE)].flatMap((match) => {
    const [, indent = '', , language = '', place = '', body = ''] = match;
    const extension = EXTENSIONS[language.toLowerCase()];
    if (extension === undefined || place.trim() !== where) return [];
    const text = body.replaceAll(new RegExp(`^${indent}`, 'gm'), '');
    const line = lineOf(page.text, match.index);
    const name = FILE_NAME.exec(text.split('\n', 1)[0] as string)?.[1];
    return [{ place: `${page.path}:${line}`, file: name ?? `line-${line}${extension}`, text }];
  });
}

const isShowable = (node: ts.Node): node is ts.ExpressionStatement | ts.VariableStatement =>
  ts.isExpressionStatement(node) || ts.isVariableStatement(node);

/** The expression whose value a statement shows. */
function shownExpression(statement: ts.ExpressionStatement | ts.VariableStatement): ts.Expression | undefined {
  if (ts.isVariableStatement(statement)) return statement.declarationList.declarations.at(-1)?.initializer;
  const { expression } = statement;
  const isPrinted = ts.isCallExpression(expression) && expression.expression.getText() === 'console.log';
  return isPrinted ? expression.arguments[0] : expression;
}

function statementBefore(source: ts.SourceFile, at: number): ts.ExpressionStatement | ts.VariableStatement | undefined {
  let found: ts.ExpressionStatement | ts.VariableStatement | undefined;
  const visit = (node: ts.Node): void => {
    if (found !== undefined) return;
    if (isShowable(node) && node.end <= at && source.text.slice(node.end, at).trim() === '') found = node;
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

/**
 * An example with a check of each result that it shows. Lines stay where they are.
 * @throws Error for a shown result that belongs to no statement
 */
export function checkedText({ place, file, text }: Example): string {
  const [page = '', line = '0'] = place.split(':');
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.ESNext, true, ts.ScriptKind.TS);
  const inserts: [at: number, text: string][] = [];
  for (const match of text.matchAll(SHOWN)) {
    const where = `${page}:${Number(line) + lineOf(text, match.index)}`;
    const statement = statementBefore(source, match.index);
    const expression = statement && shownExpression(statement);
    if (expression === undefined) throw new Error(`${where} shows the result of nothing`);
    inserts.push([expression.getStart(source), '$shows(']);
    inserts.push([expression.end, `, ${JSON.stringify(match[1])}, ${JSON.stringify(where)})`]);
  }
  if (inserts.length === 0) return text;
  const result = inserts
    .sort(([a], [b]) => b - a)
    .reduce((rest, [at, insert]) => rest.slice(0, at) + insert + rest.slice(at), text);
  const names = '{ shows: $shows }';
  return extname(file) === '.cjs'
    ? `const ${names} = require('./shown-results.cjs'); ${result}`
    : `import ${names.replace(':', ' as')} from './shown-results.cjs'; ${result}`;
}

/** Libraries of others that pages use. */
const LIBRARIES = ['flatbush', 'graphology', 'graphology-layout-forceatlas2', 'kdbush', 'three', 'three-mesh-bvh'];

/** Makes a folder in which `furcate` means the build, as it does for users who have installed it. */
function folderOfUser(): string {
  const folder = mkdtempSync(join(tmpdir(), 'furcate-examples-'));
  mkdirSync(join(folder, 'node_modules'));
  symlinkSync(ROOT, join(folder, 'node_modules', 'furcate'), 'dir');
  for (const name of LIBRARIES)
    symlinkSync(join(ROOT, 'node_modules', name), join(folder, 'node_modules', name), 'dir');
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
  return folder;
}

/** Writes the examples of a page as they stand, for a compiler. Call `remove` when done. */
export function plainFolder(examples: readonly Example[]): { folder: string; remove(): void } {
  const folder = folderOfUser();
  for (const { file, text } of examples) writeFileSync(join(folder, file), text);
  return { folder, remove: () => rmSync(folder, { recursive: true }) };
}

/** Does it set the options of the common pool? Then it must run before the examples that use that pool. */
const configures = ({ text }: Example): boolean => text.includes('configureCommonPool(');

/** The files of examples that are TypeScript, or import such a file of their page. */
function typedFiles(examples: readonly Example[]): ReadonlySet<string> {
  const found = new Set(examples.map(({ file }) => file).filter((file) => /\.[cm]?ts$/.test(file)));
  for (const typed of found) for (const { file, text } of examples) if (text.includes(`'./${typed}'`)) found.add(file);
  return found;
}

/**
 * Runs the examples of a page in their order; one that configures the common pool runs first. They share a process, but for those in TypeScript, which
 * share another one: each of its threads loads tsx, which takes longer than most examples.
 *
 * @param fixtures files of test/fixtures that they import
 * @returns for each the error that it ended with, or null; the process must have ended by itself
 */
export async function runExamples(
  examples: readonly Example[],
  fixtures: readonly string[] = [],
): Promise<(string | null)[]> {
  const folder = folderOfUser();
  try {
    for (const name of ['shown-results.cjs', ...fixtures])
      copyFileSync(join(ROOT, 'test/fixtures', name), join(folder, name));
    for (const example of examples) writeFileSync(join(folder, example.file), checkedText(example));
    const typed = typedFiles(examples);
    const outcomes = new Map<string, string | null>();
    for (const isTyped of [false, true]) {
      const some = examples.filter(({ file }) => typed.has(file) === isTyped);
      if (some.length === 0) continue;
      const report = join(folder, 'report.json');
      writeFileSync(report, '{}');
      // Node 20 runs no TypeScript; by its URL, since tsx is not installed in that folder.
      const loader = isTyped ? ['--import', import.meta.resolve('tsx')] : [];
      const order = some
        .toSorted((a, b) => Number(configures(b)) - Number(configures(a)))
        .map(({ file }) => join(folder, file));
      const ended = await node([...loader, join(ROOT, 'test/fixtures/run-examples.mjs'), report, ...order], folder);
      const said = JSON.parse(readFileSync(report, 'utf8')) as Record<string, string | null>;
      for (const { file } of some) {
        const outcome = said[join(folder, file)];
        outcomes.set(file, outcome === undefined || ended !== null ? ended : outcome);
      }
    }
    return examples.map(({ file }) => outcomes.get(file) as string | null);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Runs Node; null if it ended well, and else what it said. */
function node(args: readonly string[], cwd: string): Promise<string | null> {
  const env = { ...process.env, NODE_OPTIONS: '', FURCATE_PARALLELISM: '2' };
  return new Promise((resolve) => {
    execFile(process.execPath, args, { cwd, env, timeout: TEST_HANG_MS }, (error, stdout, stderr) => {
      if (error === null) resolve(null);
      else
        resolve(`${error.killed === true ? 'did not end by itself' : `ended with ${error.code}`}: ${stdout}${stderr}`);
    });
  });
}

/** Workers on Node 20 import no TypeScript. */
const withoutTypes = (text: string): string =>
  ts.transpileModule(text, {
    compilerOptions: {
      target: ts.ScriptTarget.ES2022,
      module: ts.ModuleKind.ESNext,
      verbatimModuleSyntax: true,
    },
  }).outputText;

const DOCSTRING = /\/\*\*[\s\S]*?\*\//g;

/** The `@example` of each docstring of a source file, without its types; a docstring has one, which ends it. */
export function docstringExamplesOf(file: ProjectFile): Example[] {
  return [...file.text.matchAll(DOCSTRING)].flatMap((match) => {
    const [, example] = match[0].split('@example\n');
    if (example === undefined) return [];
    const line = lineOf(file.text, match.index) + lineOf(match[0], match[0].indexOf('@example')) - 1;
    const text = example.replace(/\s*\*\/$/, '').replaceAll(/^\s*\* ?/gm, '');
    return [
      { place: `${file.path}:${line}`, file: `${file.path.replace(/\W/g, '-')}-${line}.mjs`, text: withoutTypes(text) },
    ];
  });
}

/**
 * A docstring's example with imports of what it uses and does not define at its top level, in front of its first line.
 *
 * @param sources modules with the names that they export, the first that has a name serves
 */
export function withImports(example: Example, sources: ReadonlyMap<string, readonly string[]>): Example {
  const source = ts.createSourceFile(example.file, example.text, ts.ScriptTarget.ESNext, true, ts.ScriptKind.TS);
  const used = new Set<string>();
  const defined = new Set<string>();
  const note = (name: ts.BindingName): void => {
    if (ts.isIdentifier(name)) defined.add(name.text);
    else for (const element of name.elements) if (ts.isBindingElement(element)) note(element.name);
  };
  for (const statement of source.statements) {
    if (ts.isVariableStatement(statement)) for (const { name } of statement.declarationList.declarations) note(name);
    else if (ts.isImportDeclaration(statement))
      statement.importClause?.forEachChild(function clause(node): void {
        if (ts.isIdentifier(node)) defined.add(node.text);
        else node.forEachChild(clause);
      });
    else if ((ts.isClassDeclaration(statement) || ts.isFunctionDeclaration(statement)) && statement.name !== undefined)
      defined.add(statement.name.text);
  }
  const visit = (node: ts.Node): void => {
    if (ts.isIdentifier(node)) used.add(node.text);
    ts.forEachChild(node, visit);
  };
  visit(source);
  const imports: string[] = [];
  for (const [module, names] of sources) {
    const wanted = names.filter((name) => used.has(name) && !defined.has(name));
    for (const name of wanted) defined.add(name);
    if (wanted.length > 0) imports.push(`import { ${wanted.join(', ')} } from '${module}'; `);
  }
  return { ...example, text: imports.join('') + example.text };
}
