/** A Fourier transform of some waves, whose spectrum is known: a peak for each of them. */
import type { Config, Make } from '../workload.js';

/** Complex numbers. */
export interface Complex {
  readonly re: Float64Array;
  readonly im: Float64Array;
}

/** A signal of `side` squared points. */
export interface Signal {
  readonly side: number;
  readonly signal: Complex;
  /** Room for two steps between. */
  readonly work: readonly [Complex, Complex];
  readonly spectrum: Complex;
  /** Powers of the root of unity: of as many points as the signal has. */
  readonly roots: Complex;
}

const WAVES = [
  { frequency: 0, height: 3 },
  { frequency: 17, height: 1 },
  { frequency: 1000, height: -2 },
];

const complex = (make: Make, n: number): Complex => ({ re: make(Float64Array, n), im: make(Float64Array, n) });

export const config: Config<number, Signal, void> = {
  what: 'by transforms of rows and columns (Bailey 1990); checked by waves whose spectrum is known',
  sizes: { '2^20': 1024 },
  small: 32,
  open(side, make) {
    const n = side * side;
    const [signal, spectrum, roots] = [complex(make, n), complex(make, n), complex(make, n)];
    const work = [complex(make, n), complex(make, n)] as const;
    for (let i = 0; i < n; i++) {
      for (const { frequency, height } of WAVES) {
        const angle = (2 * Math.PI * ((frequency * i) % n)) / n;
        signal.re[i] += height * Math.cos(angle);
        signal.im[i] += height * Math.sin(angle);
      }
      roots.re[i] = Math.cos((2 * Math.PI * i) / n);
      roots.im[i] = -Math.sin((2 * Math.PI * i) / n);
    }
    return { side, signal, work, spectrum, roots };
  },
  restore: ({ spectrum }) => void spectrum.re.fill(0),
  answer({ side, spectrum }) {
    const n = side * side;
    const heights = new Map(WAVES.map(({ frequency, height }) => [frequency % n, height]));
    let error = 0;
    for (let k = 0; k < n; k++) {
      error = Math.max(error, Math.hypot(spectrum.re[k] / n - (heights.get(k) ?? 0), spectrum.im[k] / n));
    }
    return error < 1e-12 ? 'right' : `an error of ${error}`;
  },
  expected: () => 'right',
};
