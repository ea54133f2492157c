/** Rows as lines of text, with a column for each name. */
export function tableOf(rows: readonly Readonly<Record<string, unknown>>[]): string[] {
  const [first] = rows;
  if (first === undefined) return ['There are none.'];
  const names = Object.keys(first);
  const shown = (value: unknown): string => (value === undefined || value === '' ? '-' : String(value));
  const cells = [names, ...rows.map((row) => names.map((name) => shown(row[name])))];
  const widths = names.map((_, k) => Math.max(...cells.map((row) => (row[k] as string).length)));
  return cells.map((row) =>
    row
      .map((cell, k) => cell.padEnd(widths[k] as number))
      .join('  ')
      .trimEnd(),
  );
}
