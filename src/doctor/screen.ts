/** The doctor's report as a screen of text, 80 columns wide. */
import type { DoctorCheck, DoctorCheckName, DoctorReport } from './report.js';

const COLUMNS = 80;
/** Column at which the second column begins. */
const INDENT = 29;

const TITLES: Readonly<Record<DoctorCheckName, string>> = {
  sharedMemory: 'shared memory',
  isolation: 'isolation',
  threads: 'threads',
  roundTrip: 'tasks',
  blocking: 'blocking calls',
  waitAsync: 'waitAsync',
  wasmThreads: 'WebAssembly threads',
  wasmSimd: 'WebAssembly SIMD',
  inlineFunctions: 'inline functions',
};

/** The codes of a terminal: a verdict and its colour. */
const COLOURS = { yes: 32, no: 31, untested: 33 } as const;

/** Breaks a text into lines. A word that is longer than a line stays whole. */
function wrapped(text: string, width: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= width) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}

/** A text in the second column, beside a head in the first. */
const row = (head: string, text: string): string[] =>
  wrapped(text, COLUMNS - INDENT).map((line, k) => (k === 0 ? head : '').padEnd(INDENT) + line);

/** A check under its title: the verdict, what was found, and what to do. */
export function rowsOf(
  title: string,
  { verdict, finding, advice }: Pick<DoctorCheck, 'verdict' | 'finding' | 'advice'>,
  hasColours: boolean,
): string[] {
  const mark = verdict === 'untested' ? '?' : verdict;
  const [first = '', ...more] = row(`  ${mark.padEnd(4)} ${title}`, finding);
  const colour = `\u001b[${COLOURS[verdict]}m`;
  const marked = hasColours ? first.replace(mark, `${colour}${mark}\u001b[0m`) : first;
  return [marked, ...more, ...(advice === undefined ? [] : row('', advice))];
}

const bytes = (count: number): string => {
  const mib = count / 2 ** 20;
  return mib < 1024 ? `${Math.round(mib)} MiB` : `${Number((mib / 1024).toFixed(1))} GiB`;
};

const SOURCES = {
  FURCATE_PARALLELISM: 'the environment variable FURCATE_PARALLELISM',
  quota: "the container's CPU quota",
  cores: 'the cores of this machine',
} as const;

/** A number with its unit, where there is one. */
const shown = (value: number | undefined, show: (value: number) => string): string =>
  value === undefined ? 'unknown' : show(value);

function measurements(report: DoctorReport): [string, string][] {
  const { cores, cpuQuota, parallelism, parallelismFrom, firstResultMs, roundTripUs } = report;
  const alone = parallelism === 1 ? ', so that nothing runs in parallel' : '';
  const source = parallelismFrom === undefined ? '' : `, from ${SOURCES[parallelismFrom]}`;
  return [
    ['cores', shown(cores, String) + (cpuQuota === undefined ? '' : `, CPU quota ${cpuQuota}`)],
    ['default parallelism', shown(parallelism, (value) => `${value}${source}${alone}`)],
    ['time to first result', shown(firstResultMs, (ms) => `${ms.toFixed(0)} ms, with the start of a worker`)],
    ['round trip', shown(roundTripUs, (us) => `${us.toFixed(us < 10 ? 1 : 0)} us, an empty task without pauses`)],
    ['shared arrays', shown(report.sharedMemoryBytes, (count) => `${bytes(count)} at most, all together`)],
    ['JavaScript heap', shown(report.heapLimitBytes, (count) => `${bytes(count)} at most, on this thread`)],
  ];
}

/** Conclusion from all checks. */
function conclusion({ ok, checks }: DoctorReport): string {
  if (!ok) {
    const missing = checks.filter(({ isNeeded, verdict }) => isNeeded && verdict === 'no');
    return `Parallel calls do not run on threads here: see ${missing.map(({ name }) => TITLES[name]).join(', ')}.`;
  }
  const lacking = checks.filter(({ verdict }) => verdict !== 'yes');
  if (lacking.length === 0) return 'All is well.';
  return `Parallel calls run on threads. What is missing has a way around it: ${lacking.map(({ name }) => TITLES[name]).join(', ')}.`;
}

/** The report as lines of text, for a terminal or a log. */
export function screenOf(report: DoctorReport, { colours = false }: { readonly colours?: boolean } = {}): string {
  return [
    `furcate ${report.version} on ${report.runtime}`,
    '',
    ...report.checks.flatMap((check) => rowsOf(TITLES[check.name], check, colours)),
    '',
    ...measurements(report).flatMap(([head, text]) => row(`       ${head}`, text)),
    '',
    ...wrapped(conclusion(report), COLUMNS),
  ].join('\n');
}
