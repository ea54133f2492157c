/** Times, shares and counts as people read them; in the command, and in the page that it writes. */

const rounded = (value: number, unit: string): string => {
  const digits = value >= 100 || Number.isInteger(value) ? 0 : value >= 10 ? 1 : 2;
  return `${Number(value.toFixed(digits)).toLocaleString('en-US')} ${unit}`;
};

/** Less is told as nothing: clocks do not tell it. */
const LEAST_US = 0.0005;

export function timeOf(us: number): string {
  if (us < LEAST_US) return '0 \u00b5s';
  if (us >= 999_500) return rounded(us / 1e6, 's');
  if (us >= 999.5) return rounded(us / 1000, 'ms');
  return us >= 0.9995 ? rounded(us, '\u00b5s') : rounded(us * 1000, 'ns');
}

export const shareOf = (share: number): string =>
  share > 0 && share < 0.005 ? '< 1 %' : `${Math.round(share * 100)} %`;

export const countOf = (count: number, one: string, many = `${one}s`): string =>
  `${count.toLocaleString('en-US')} ${count === 1 ? one : many}`;

export function bytesOf(bytes: number): string {
  if (bytes >= 1e9) return rounded(bytes / 1e9, 'GB');
  if (bytes >= 1e6) return rounded(bytes / 1e6, 'MB');
  return bytes >= 1000 ? rounded(bytes / 1000, 'KB') : countOf(bytes, 'byte');
}

/** Text of a program without what a terminal would obey. */
export const visible = (line: string): string => line.replace(/[\p{Cc}\p{Zl}\p{Zp}]/gu, '?');
