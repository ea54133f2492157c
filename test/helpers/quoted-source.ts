/** Finds tests that quote the source: a comment, or a whole line of code. Rewording the source would break such a test. */
import ts from 'typescript';
import type { ProjectFile } from './project-files.js';

/** Shorter lines are in many files by chance, as `return;` is. */
const MIN_LETTERS = 16;

const COMMENT = /\/\*[\s\S]*?\*\/|\/\/.*/g;

/** Comments of a file, line by line, without what marks them as comments. */
const commentsIn = (text: string): string[] =>
  (text.match(COMMENT) ?? []).flatMap((comment) =>
    comment.split('\n').map((line) => line.replace(/^\s*(?:\/\*\*?|\*(?!\/)|\/\/)|\*\/\s*$/g, '').trim()),
  );

const codeIn = (text: string): string[] => text.replace(COMMENT, '').split('\n');

/** What any program for Node says. */
const BUILTIN = /process\.getBuiltinModule\(/;

/** What no test may say: lines of code that call or assign something, and comments of several words. */
function unquotable(sources: readonly ProjectFile[]): ReadonlySet<string> {
  const code = sources.flatMap(({ text }) => codeIn(text)).filter((line) => /[(=]/.test(line) && !BUILTIN.test(line));
  const comments = sources
    .flatMap(({ text }) => commentsIn(text))
    .filter((line) => line.split(/\s+/).length > 3 && !line.endsWith(';')); // examples in docstrings are code
  return new Set([...code, ...comments].map((line) => line.trim()).filter((line) => line.length >= MIN_LETTERS));
}

/** The string literals of a file, each as its lines. */
function linesOfLiterals({ path, text }: ProjectFile): string[] {
  const lines: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isStringLiteralLike(node)) lines.push(...node.text.split('\n'));
    else if (ts.isTemplateHead(node) || ts.isTemplateMiddleOrTemplateTail(node)) lines.push(...node.text.split('\n'));
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(path, text, ts.ScriptTarget.ES2022, true));
  return lines;
}

/** Tests that quote a comment or a whole line of code of `src`, as `test/x.ts quotes '...'`. */
export function quotesOfSource(files: readonly ProjectFile[]): string[] {
  const forbidden = unquotable(files.filter(({ path }) => path.startsWith('src/') && path.endsWith('.ts')));
  return files
    .filter(({ path }) => path.startsWith('test/') && path.endsWith('.ts'))
    .flatMap((file) =>
      linesOfLiterals(file).flatMap((line) => {
        const [code = '', ...comments] = [line.replace(COMMENT, ''), ...commentsIn(line)].map((part) => part.trim());
        const quoted = [line.trim(), code, ...comments].find((part) => forbidden.has(part));
        return quoted === undefined ? [] : [`${file.path} quotes '${quoted}'`];
      }),
    );
}
