/** What programs name that report from tasks. A bundle holds the part that carries reports if its program names one of these. */
import { reports } from './parts.js';
import { type Runtime, runtime } from './runtime.js';

export const provideReports = (): void => runtime.provide('reports', reports);

/** Marked as pure where it is called. */
export function reporting<Name extends 'report'>(name: Name): Runtime['core'][Name] {
  provideReports();
  return runtime.core[name];
}
