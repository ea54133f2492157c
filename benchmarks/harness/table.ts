/** Formats figures as a table of plain text; runs on the main thread. */
import { type Bound, type Figure, meets } from './figure.js';

const HEAD = ['what', 'median', 'spread', 'compared with', 'ratio', 'target', 'met'];
const RIGHT_ALIGNED = new Set(['median', 'spread', 'ratio']);

/** Three significant digits, without exponents. */
export function shortNumber(value: number): string {
  const size = Math.abs(value);
  return value.toFixed(size >= 100 ? 0 : size >= 10 ? 1 : size >= 1 || size === 0 ? 2 : 3);
}

const shownTarget = (target: Bound | undefined, unit: string): string =>
  target === undefined ? '' : `${target.sense} ${Number(target.limit.toPrecision(3))}${unit === '' ? '' : ` ${unit}`}`;

const shownVerdict = (value: number, target: Bound | undefined): string =>
  target === undefined ? '' : meets(value, target) ? 'yes' : 'NO';

/** The rows of a figure: the value with its own target, then the comparisons. The first of them shares the line of the value. */
function rowsOf({ what, value, unit, spread, target, comparisons, note }: Figure): string[][] {
  const head = [
    note === undefined ? what : `${what} (${note})`,
    `${shortNumber(value)} ${unit}`,
    spread === undefined ? '' : `${Math.round(spread * 100)} %`,
  ];
  const compared = comparisons.map((comparison) => [
    comparison.beside,
    Number.isNaN(comparison.ratio) ? '' : shortNumber(comparison.ratio),
    shownTarget(comparison.target, ''),
    Number.isNaN(comparison.ratio) ? 'not run' : shownVerdict(comparison.ratio, comparison.target),
  ]);
  if (target !== undefined) compared.unshift(['', '', shownTarget(target, unit), shownVerdict(value, target)]);
  if (compared.length === 0) return [[...head, '', '', '', '']];
  return compared.map((cells, i) => [...(i === 0 ? head : ['', '', '']), ...cells]);
}

export const table = (figures: readonly Figure[]): string => layOut(HEAD, RIGHT_ALIGNED, figures.flatMap(rowsOf));

/** Rows of text below a head, in columns. */
export function layOut(
  head: readonly string[],
  rightAligned: ReadonlySet<string>,
  rows: readonly (readonly string[])[],
): string {
  const widths = head.map((title, column) => Math.max(title.length, ...rows.map((row) => row[column].length)));
  const line = (row: readonly string[]): string =>
    row
      .map((cell, column) =>
        rightAligned.has(head[column]) ? cell.padStart(widths[column]) : cell.padEnd(widths[column]),
      )
      .join('  ')
      .trimEnd();
  return [line(head), widths.map((width) => '-'.repeat(width)).join('  '), ...rows.map(line)].join('\n');
}
