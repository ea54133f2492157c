/** Breaks the one line of minified code: Node prints the whole line of an error that nobody catches. */
import { parseAst } from 'rolldown/parseAst';

/** Characters of a line, about: more where a statement is longer. */
const LINE = 300;

/** Lists of what may begin on a line of its own: statements, members of classes, declared variables. */
const LISTS = ['body', 'declarations'];

export function inLines(code: string): string {
  const starts: number[] = [];
  const visit = (node: object): void => {
    for (const [key, child] of Object.entries(node)) {
      if (Array.isArray(child) && LISTS.includes(key)) starts.push(...child.map(({ start }) => start));
      if (typeof child === 'object' && child !== null) visit(child);
    }
  };
  visit(parseAst(code));
  let lines = '';
  let begun = 0;
  for (const start of starts.sort((a, b) => a - b)) {
    if (start - begun < LINE) continue;
    lines += `${code.slice(begun, start)}\n`;
    begun = start;
  }
  return lines + code.slice(begun);
}
