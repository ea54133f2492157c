/** What programs with asynchronous tasks name. A bundle holds the part that runs them if its program names one of these. */
import { coroutines } from './parts.js';
import { provideReports } from './reports.js';
import { type Runtime, runtime } from './runtime.js';

/** Marked as pure where it is called. */
export function asynchronous<Name extends 'AsyncTask' | 'asyncForkable'>(name: Name): Runtime['core'][Name] {
  runtime.provide('coroutines', coroutines);
  provideReports(); // a scope can report
  return runtime.core[name];
}
