/** The pictures of docs/benchmarks.md, as Vega-Lite has them: each says from which file of benchmarks/results it comes. */
import type { Config, TopLevelSpec } from 'vega-lite';

/** What `--json` wrote: of each file, the part that a picture shows. */
interface WorkloadsReport {
  readonly rows: readonly {
    readonly workload: string;
    readonly way: string;
    readonly size: string;
    readonly sequential: Times;
    readonly parallel: Times;
  }[];
}
interface Times {
  readonly first: readonly number[];
  readonly warm: readonly number[];
}
interface RivalsReport {
  readonly rows: readonly {
    readonly work: string;
    readonly system: string;
    readonly medianMs: number;
    readonly firstMs?: number;
  }[];
}
interface FiguresReport {
  readonly results: readonly {
    readonly name: string;
    readonly figures: readonly { readonly what: string; readonly value: number }[];
  }[];
}
interface PredictionsReport {
  readonly loadBefore: number;
  readonly predictions: readonly {
    readonly name: string;
    readonly oneMs: number;
    readonly twoMs: number;
    readonly scaling: readonly { readonly threads: number; readonly expected: number; readonly atMost: number }[];
  }[];
}

export interface Chart {
  readonly name: string;
  /** A file of benchmarks/results, without `.json`. */
  readonly from: string;
  // biome-ignore-start lint/suspicious/noExplicitAny: what a file holds
  /** Whether the file has what the picture shows. */
  isIn(report: any): boolean;
  draw(report: any): TopLevelSpec;
  // biome-ignore-end lint/suspicious/noExplicitAny: what a file holds
}

const WIDTH = 560;
/** Greatest load of a machine whose elapsed times are shown. */
const QUIET = 1.5;

const colours = (text: string, lines: string, background: string, marks: readonly string[]): Config => ({
  background,
  view: { stroke: lines },
  axis: { labelColor: text, titleColor: text, gridColor: lines, domainColor: lines, tickColor: lines, labelLimit: 420 },
  legend: { labelColor: text, titleColor: text, orient: 'bottom', title: null, labelLimit: 300 },
  title: { color: text, anchor: 'start' },
  header: { labelColor: text, titleColor: text },
  range: { category: [...marks] },
});

/** The colours of GitHub's pages. */
export const THEMES: Readonly<Record<string, Config>> = {
  light: colours('#1f2328', '#d1d9e0', '#ffffff', [
    '#0969da',
    '#bf8700',
    '#1a7f37',
    '#8250df',
    '#cf222e',
    '#57606a',
    '#bc4c00',
    '#1b7c83',
  ]),
  dark: colours('#e6edf3', '#3d444d', '#0d1117', [
    '#58a6ff',
    '#e3b341',
    '#56d364',
    '#d2a8ff',
    '#ff7b72',
    '#8b949e',
    '#ffa657',
    '#76e3ea',
  ]),
};

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[sorted.length >> 1];
}

const MESSAGE_POOLS = ['piscina', 'tinypool', 'workerpool', 'poolifier'];

/** The rows with the fastest of the pools that send messages in place of all four, which differ little. */
const withOneMessagePool = (rows: RivalsReport['rows']): RivalsReport['rows'] => {
  const isPool = ({ system }: RivalsReport['rows'][number]): boolean => MESSAGE_POOLS.includes(system);
  return rows.flatMap((row) => {
    if (!isPool(row)) return [row];
    const best = rows
      .filter((other) => other.work === row.work && isPool(other))
      .reduce((a, b) => (b.medianMs < a.medianMs ? b : a));
    return row === best ? [{ ...row, system: 'best of four message pools' }] : [];
  });
};

const rule = (at: number) =>
  ({ mark: { type: 'rule', strokeDash: [4, 4], color: '#8b949e' }, encoding: { x: { datum: at } } }) as const;

/** Bars from the side, one or more for each row. */
function bars(
  title: string,
  values: readonly object[],
  row: string,
  colour: string,
  value: string,
  x: object,
): TopLevelSpec {
  const rows = new Set(values.map((value) => (value as Readonly<Record<string, unknown>>)[row])).size;
  return {
    title,
    width: WIDTH - 200,
    height: { step: 14 },
    data: { values: [...values] },
    layer: [
      {
        mark: { type: 'bar', tooltip: false },
        encoding: {
          y: { field: row, type: 'nominal', sort: null, title: null },
          ...(rows < values.length && { yOffset: { field: colour, sort: null } }),
          x: { field: value, type: 'quantitative', ...x },
          color: { field: colour, type: 'nominal', sort: null },
        },
      },
    ],
  } as TopLevelSpec;
}

/** Forks of fib(32). */
const FORKS = 3_524_577;

export const CHARTS: readonly Chart[] = [
  {
    name: 'workloads',
    from: 'workloads',
    isIn: ({ rows }: WorkloadsReport) => rows.length > 0,
    draw({ rows }: WorkloadsReport) {
      const values = rows.flatMap(({ workload, way, size, sequential, parallel }) =>
        (['warm', 'first'] as const).map((call) => ({
          program: [
            workload,
            rows.filter((row) => row.workload === workload && row.way === way).length > 1 ? size : '',
            way,
          ]
            .filter((part) => part !== '')
            .join(', '),
          call: call === 'warm' ? 'later calls' : 'first call of a process',
          speedUp: median(sequential[call]) / median(parallel[call]),
        })),
      );
      return bars('Programs on two threads beside one', values, 'program', 'call', 'speedUp', { title: 'speed-up' });
    },
  },
  {
    name: 'rivals',
    from: 'rivals',
    isIn: ({ rows }: RivalsReport) => rows.length > 0,
    draw({ rows }: RivalsReport) {
      const ours = new Map(
        rows.filter(({ system }) => system === 'furcate').map(({ work, medianMs }) => [work, medianMs]),
      );
      const values = withOneMessagePool(rows)
        .filter(({ system }) => system !== 'furcate')
        .map(({ work, system, medianMs }) => ({ work, system, ratio: medianMs / ours.get(work)! }));
      return {
        title: 'Time of others over that of Furcate, two threads',
        width: WIDTH - 200,
        height: { step: 22 },
        data: { values },
        layer: [
          {
            mark: { type: 'point', filled: true, size: 80, opacity: 1 },
            encoding: {
              y: { field: 'work', type: 'nominal', sort: null, title: null },
              x: {
                field: 'ratio',
                type: 'quantitative',
                title: 'right of the line, Furcate is faster',
                scale: { type: 'log', base: 2 },
              },
              color: { field: 'system', type: 'nominal', sort: null, legend: { columns: 4 } },
              shape: { field: 'system', type: 'nominal', sort: null },
            },
          },
          rule(1),
        ],
      } as TopLevelSpec;
    },
  },
  {
    name: 'fork',
    from: 'rivals',
    isIn: ({ rows }: RivalsReport) => rows.some(({ work }) => work.startsWith('fork-join')),
    draw({ rows }: RivalsReport) {
      const values = rows
        .filter(({ work }) => work.startsWith('fork-join'))
        .map(({ work, system, medianMs }) => ({
          what: `${system}${work.slice('fork-join'.length)}`,
          system: system === 'furcate' ? 'Furcate' : 'others',
          ns: (1e6 * medianMs) / FORKS,
        }));
      return bars('fib(32) by two threads: time for each of its forks', values, 'what', 'system', 'ns', {
        title: 'nanoseconds',
      });
    },
  },
  {
    name: 'first-call',
    from: 'rivals',
    isIn: ({ rows }: RivalsReport) => rows.some(({ firstMs }) => firstMs !== undefined),
    draw({ rows }: RivalsReport) {
      const values = withOneMessagePool(rows)
        .filter(({ system, firstMs }) => system !== 'plain' && firstMs !== undefined)
        .flatMap(({ work, system, firstMs, medianMs }) => [
          { what: `${work}, ${system}`, call: 'first call of a process', ms: firstMs },
          { what: `${work}, ${system}`, call: 'later calls', ms: medianMs },
        ]);
      return bars('First calls and later ones', values, 'what', 'call', 'ms', { title: 'milliseconds' });
    },
  },
  {
    name: 'break-even',
    from: 'algorithms',
    isIn: ({ results }: FiguresReport) => results.some(({ name }) => name === 'break-even'),
    draw({ results }: FiguresReport) {
      const { figures } = results.find(({ name }) => name === 'break-even')!;
      const values = figures.map(({ what, value }) => {
        const [work, size] = what.split('; ');
        return { work, elements: Number.parseInt(size, 10), speedUp: value };
      });
      return {
        title: 'From which size on two threads are ahead',
        width: WIDTH - 60,
        height: 240,
        data: { values },
        layer: [
          {
            mark: { type: 'line', point: true },
            encoding: {
              x: { field: 'elements', type: 'quantitative', scale: { type: 'log' }, axis: { format: '~s' } },
              y: { field: 'speedUp', type: 'quantitative', title: 'speed-up' },
              color: { field: 'work', type: 'nominal', sort: null },
            },
          },
          { mark: { type: 'rule', strokeDash: [4, 4], color: '#8b949e' }, encoding: { y: { datum: 1 } } },
        ],
      };
    },
  },
  {
    name: 'scaling',
    from: 'predictions',
    isIn: ({ predictions }: PredictionsReport) => predictions.length > 0,
    draw({ predictions, loadBefore }: PredictionsReport) {
      const values = predictions.flatMap(({ name, scaling }) =>
        scaling.map(({ threads, expected, atMost }) => ({ program: name, threads, expected, atMost })),
      );
      // Speed-ups that were measured on a busy machine say nothing.
      const measured = (loadBefore > QUIET ? [] : predictions).map(({ name, oneMs, twoMs }) => ({
        program: name,
        threads: 2,
        speedUp: oneMs / twoMs,
      }));
      const x = { field: 'threads', type: 'quantitative', scale: { type: 'log', base: 2 } } as const;
      const y = { type: 'quantitative', title: 'speed-up', scale: { type: 'log', base: 2 } } as const;
      const color = { field: 'program', type: 'nominal', sort: null } as const;
      return {
        title: 'Simulated from runs on one thread (lines), and their bounds (dashed)',
        width: WIDTH - 60,
        height: 320,
        layer: [
          { data: { values }, mark: 'line', encoding: { x, y: { ...y, field: 'expected' }, color } },
          {
            data: { values },
            mark: { type: 'line', strokeDash: [3, 3], opacity: 0.5 },
            encoding: { x, y: { ...y, field: 'atMost' }, color },
          },
          {
            data: { values: measured },
            mark: { type: 'point', filled: true, size: 60 },
            encoding: { x, y: { ...y, field: 'speedUp' }, color },
          },
        ],
      };
    },
  },
];
