/** Who counts: the plain loop, or Furcate. */
export const ENGINES = ['plain', 'furcate'] as const;
export type Engine = (typeof ENGINES)[number];

/** What a pass took. */
export interface PassTime {
  readonly ms: number;
  /** For how long of it the page's thread could do nothing else. */
  readonly blockedMs: number;
}
