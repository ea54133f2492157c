/** Formats the report: a block for each question, and a table of all questions. */
import { styleText } from 'node:util';
import type { Flights } from './load.js';
import type { Measurement } from './measure.js';
import { counted, decimal, milliseconds, whole } from './words.js';

const LINE_COLUMNS = 100;
const INDENT = '   ';

/** Styles a text for a terminal, or returns it unchanged. */
export type Paint = (style: 'bold' | 'dim' | 'green' | 'red', text: string) => string;

export const plainPaint: Paint = (_style, text) => text;
export const terminalPaint: Paint = (style, text) => styleText(style, text);

export function describeFlights(flights: Flights, loadMs: number): string {
  const rows = flights.count + flights.leftOut;
  const missing = Object.entries(flights.missing).filter(([, values]) => values > 0);
  const gaps =
    missing.length === 0
      ? 'no missing values'
      : `missing values: ${missing.map(([column, values]) => `${whole(values)} in ${column}`).join(', ')}`;
  const leftOut =
    flights.leftOut === 0 ? '' : `; ${counted(flights.leftOut, 'row')} without delay or distance left out`;
  const { codes, unlocated } = flights.airports;
  const places = unlocated === 0 ? '' : `, ${whole(unlocated)} of them without coordinates`;
  return [
    `Read ${counted(rows, 'flight')} of US airlines (vega-datasets) in ${decimal(loadMs / 1000, 1)} s: ${gaps}${leftOut}.`,
    `${whole(codes.length - 1)} airports${places}. Delays are of the arrival, in minutes; negative is early.`,
  ].join('\n');
}

/** The block of one question: both answers side by side, whether they are equal, and both times. */
export function questionBlock(number: number, measured: Measurement, paint: Paint): string {
  const rows = measured.sequentialFacts.map((fact, i) => [
    fact.label,
    fact.value,
    measured.parallelFacts[i]?.value ?? '',
  ]);
  rows.unshift(['', 'plain loop', 'Furcate']);
  const { sequential, parallel } = measured;
  rows.push(['first run', milliseconds(sequential.firstMs), milliseconds(parallel.firstMs)]);
  rows.push([`median of ${parallel.runs}`, milliseconds(sequential.medianMs), milliseconds(parallel.medianMs)]);
  const widths = [0, 1, 2].map((column) => Math.max(...rows.map((row) => row[column].length)));
  const verdict = measured.equal ? paint('green', 'equal') : paint('red', 'NOT EQUAL');
  const [heading, ...facts] = rows.map(
    (row) =>
      INDENT +
      row
        .map((cell, i) => cell.padEnd(widths[i]))
        .join('  ')
        .trimEnd(),
  );
  return [
    paint('bold', `${number}. ${measured.title}`),
    paint('dim', heading),
    ...facts,
    `${INDENT}${verdict}, speed-up ${speedUp(measured)}, with ${measured.calls}`,
    ...wrapped(`Compared ${measured.criterion}. ${measured.note ?? ''}`.trimEnd()).map((line) =>
      paint('dim', INDENT + line),
    ),
  ].join('\n');
}

/** The table of all questions: times, speed-ups, and whether the answers are equal. */
export function summaryTable(measurements: readonly Measurement[], paint: Paint): string {
  const rows = measurements.map((measured) => [
    measured.title,
    milliseconds(measured.sequential.medianMs),
    milliseconds(measured.parallel.medianMs),
    speedUp(measured),
    measured.equal ? 'yes' : 'NO',
  ]);
  const heading = ['question', 'plain loop', 'Furcate', 'speed-up', 'equal'];
  const widths = heading.map((title, column) => Math.max(title.length, ...rows.map((row) => row[column].length)));
  const line = (row: readonly string[]): string =>
    row.map((cell, i) => (i === 0 ? cell.padEnd(widths[i]) : cell.padStart(widths[i]))).join('  ');
  return [
    paint('bold', line(heading)),
    widths.map((width) => '-'.repeat(width)).join('  '),
    ...rows.map((row, i) => (measurements[i].equal ? line(row) : paint('red', line(row)))),
  ].join('\n');
}

function speedUp({ sequential, parallel }: Measurement): string {
  return `${decimal(sequential.medianMs / parallel.medianMs, 2)}x`;
}

function wrapped(text: string): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    if (line !== '' && line.length + 1 + word.length > LINE_COLUMNS) {
      lines.push(line);
      line = word;
    } else line = line === '' ? word : `${line} ${word}`;
  }
  lines.push(line);
  return lines;
}
