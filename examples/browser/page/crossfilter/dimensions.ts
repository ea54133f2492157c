/** The three properties of flights that the page filters by, and their bins. */

export interface Dimension {
  /** Its name in the page's address. */
  readonly id: 'delay' | 'distance' | 'minute';
  readonly title: string;
  /** Where its chart starts and ends. The first and the last bin also count what lies beyond. */
  readonly low: number;
  readonly high: number;
  readonly binWidth: number;
  /** The marks of its axis, as values and as texts. */
  readonly ticks: readonly (readonly [value: number, text: string])[];
  format(value: number): string;
}

/** Values from `low` up to, but not including, `high`. */
export interface Range {
  readonly low: number;
  readonly high: number;
}

const MINUTES_PER_HOUR = 60;

const clock = (minute: number): string =>
  `${String(Math.floor(minute / MINUTES_PER_HOUR)).padStart(2, '0')}:${String(minute % MINUTES_PER_HOUR).padStart(2, '0')}`;

const signed = (minutes: number): string => (minutes < 0 ? `\u2212${-minutes}` : `${minutes}`);

/** The order of this list is that of the bounds, and of all that has an entry for each dimension. */
export const DIMENSIONS: readonly Dimension[] = [
  {
    id: 'distance',
    title: 'Distance',
    low: 0,
    high: 3000,
    binWidth: 50,
    ticks: [
      [0, '0'],
      [1000, '1,000'],
      [2000, '2,000'],
      [3000, '3,000 mi'],
    ],
    format: (miles) => `${miles.toLocaleString('en-US')} mi`,
  },
  {
    id: 'minute',
    title: 'Departure',
    low: 0,
    high: 1440,
    binWidth: 24,
    ticks: [0, 360, 720, 1080, 1440].map((minute) => [minute, clock(minute)] as const),
    format: clock,
  },
  {
    id: 'delay',
    title: 'Arrival delay',
    low: -60,
    high: 180,
    binWidth: 4,
    ticks: [
      [-60, '\u221260'],
      [0, 'on time'],
      [60, '60'],
      [120, '120'],
      [180, '180 min'],
    ],
    format: (minutes) => `${signed(minutes)} min`,
  },
];

export const binsOf = ({ low, high, binWidth }: Dimension): number => (high - low) / binWidth;

/** The bin that counts a value. */
export function binOf(dimension: Dimension, value: number): number {
  const bin = Math.floor((value - dimension.low) / dimension.binWidth);
  return Math.min(binsOf(dimension) - 1, Math.max(0, bin));
}
