/** Posts what the page found to the address in `?report=`, if there is one. Tests read it there. */
import type { SortTimes } from './check.js';
import type { LatestFlight } from './view/latest-table.js';

/** What was drawn first. */
export interface Drawn {
  /** Counts by dimension and bin, under the selection in the address. */
  readonly histograms: readonly (readonly number[])[];
  readonly selected: number;
  /** The airports with most selected flights. */
  readonly airports: readonly { readonly code: string; readonly flights: number; readonly late: number }[];
  readonly latest: readonly LatestFlight[];
  /** Medians of one pass. */
  readonly plainMs: number | undefined;
  readonly furcateMs: number | undefined;
  /** Rows that each thread read. */
  readonly shares: Readonly<Record<string, number>>;
}

export interface Report extends Drawn {
  readonly isIsolated: boolean;
  /** Whether all answers of Furcate equalled those of the plain loops. */
  readonly areEqual: boolean;
  readonly count: number;
  readonly fetchMs: number;
  readonly decodeMs: number;
  readonly sorts: SortTimes;
}

/** What tests get: the findings, or the error, and what the reader of the page is told. */
export type Posted = (Report | { readonly error: string }) & { readonly notice: string };

export async function sendReport(report: Report | { readonly error: string }): Promise<void> {
  const address = new URLSearchParams(location.search).get('report');
  if (address === null) return;
  const notice = document.querySelector('#notice:not([hidden])')?.textContent ?? '';
  await fetch(address, { method: 'POST', body: JSON.stringify({ ...report, notice }) });
}
