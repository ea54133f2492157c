/** Colours for canvases: the custom properties of the style sheet, which has a light and a dark set. */

const DARK = matchMedia('(prefers-color-scheme: dark)');

/** Mean delays in minutes, and the properties with their colours. Between them, colours blend. */
const DELAY_STOPS = [
  { minutes: -4, name: '--delay-early' },
  { minutes: 4, name: '--delay-small' },
  { minutes: 11, name: '--delay-medium' },
  { minutes: 22, name: '--delay-large' },
] as const;

type Rgb = readonly [number, number, number];

/** The colours of one scheme. */
export interface Palette {
  readonly accent: string;
  readonly muted: string;
  readonly plain: string;
  readonly land: string;
  readonly border: string;
  readonly text: string;
  readonly line: string;
  /** The colour of a mean delay in minutes. */
  delay(minutes: number): string;
}

export function currentPalette(): Palette {
  const style = getComputedStyle(document.documentElement);
  const get = (name: string): string => style.getPropertyValue(name).trim();
  const stops = DELAY_STOPS.map(({ minutes, name }) => ({ minutes, rgb: parseHex(get(name)) }));
  return {
    accent: get('--accent'),
    muted: get('--bar'),
    plain: get('--plain'),
    land: get('--land'),
    border: get('--border-of-states'),
    text: get('--text-soft'),
    line: get('--line'),
    delay(minutes) {
      const after = stops.findIndex((stop) => stop.minutes >= minutes);
      if (after === 0) return css(stops[0].rgb);
      if (after === -1) return css(stops[stops.length - 1].rgb);
      const [a, b] = [stops[after - 1], stops[after]];
      const share = (minutes - a.minutes) / (b.minutes - a.minutes);
      return css(a.rgb.map((part, i) => part + share * (b.rgb[i] - part)) as unknown as Rgb);
    },
  };
}

/** Calls back when the reader switches between light and dark. */
export function onSchemeChange(listener: () => void): void {
  DARK.addEventListener('change', listener);
}

const parseHex = (hex: string): Rgb =>
  [1, 3, 5].map((at) => Number.parseInt(hex.slice(at, at + 2), 16)) as unknown as Rgb;

const css = (rgb: Rgb): string => `rgb(${rgb.map(Math.round).join(' ')})`;
