/** Colours of the page's pictures, as its style has them: light or dark. */
import {
  APART,
  CODE,
  CONTINUED,
  COPY,
  COROUTINE,
  GARBAGE,
  INVOCATION,
  JOB,
  NODE,
  ROOT,
  SLEEP,
  STOLEN,
  TASK,
  TURN,
  UNITS,
  WAIT,
  WAITED,
} from '../../recording/timeline-event.js';

/** The variables of the style, by kind of slice. */
export const VARIABLES: Readonly<Record<number, string>> = {
  [ROOT]: '--root',
  [STOLEN]: '--stolen',
  [APART]: '--apart',
  [TASK]: '--task',
  [UNITS]: '--units',
  [WAIT]: '--wait',
  [SLEEP]: '--sleep',
  [TURN]: '--turn',
  [CODE]: '--code',
  [GARBAGE]: '--garbage',
  [INVOCATION]: '--apart',
  [COROUTINE]: '--turn',
  [COPY]: '--copy',
  [NODE]: '--task',
  [CONTINUED]: '--apart',
  [WAITED]: '--wait',
  [JOB]: '--root',
};

/** Of busy, waiting, asleep, and the rest. */
export const STATE_VARIABLES = ['--root', '--wait', '--sleep', '--code'] as const;

/** Kinds whose text is that of the page; the others have light text in both schemes. */
export const PLAIN_TEXT: readonly number[] = [WAIT, SLEEP, TURN, COROUTINE, WAITED];

/** Reads a variable of the style. */
export class Colours {
  #known = new Map<string, string>();

  constructor(onChange: () => void) {
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => {
      this.#known = new Map();
      onChange();
    });
  }

  of(variable: string): string {
    let colour = this.#known.get(variable);
    if (colour === undefined) {
      colour = getComputedStyle(document.documentElement).getPropertyValue(variable).trim();
      this.#known.set(variable, colour);
    }
    return colour;
  }
}

/** Makes a canvas as large as its place, by the pixels of the screen. @returns what draws on it, in pixels of the page */
export function sized(canvas: HTMLCanvasElement, width: number, height: number): CanvasRenderingContext2D {
  const scale = devicePixelRatio || 1;
  const [w, h] = [Math.round(width * scale), Math.round(height * scale)];
  if (canvas.width !== w || canvas.height !== h) {
    canvas.width = w;
    canvas.height = h;
  }
  const pen = canvas.getContext('2d') as CanvasRenderingContext2D;
  pen.setTransform(scale, 0, 0, scale, 0, 0);
  pen.clearRect(0, 0, width, height);
  return pen;
}
