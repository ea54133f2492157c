/**
 * Runs the tests on every JavaScript runtime: `npm run test:runtimes`; test/runtimes/README.md has the options.
 */
import { parseArgs } from 'node:util';
import { staleEntries } from '../test/runtimes/capabilities.js';
import { planOf } from '../test/runtimes/plan.js';
import { hasFailed, reasons, slowest, table } from '../test/runtimes/report.js';
import { runPlan } from '../test/runtimes/run-plan.js';

const { values } = parseArgs({
  options: {
    ci: { type: 'boolean', default: false },
    only: { type: 'string' },
    suite: { type: 'string' },
    file: { type: 'string' },
    test: { type: 'string' },
    seconds: { type: 'string', default: '60' },
  },
});

const rows = await runPlan(planOf(values), {
  test: values.test,
  timeoutMs: Number(values.seconds) * 1000,
  print: (text) => console.log(text),
});
const isWhole = !values.ci && values.suite === undefined && values.file === undefined && values.test === undefined;
const stale = isWhole ? staleEntries(rows) : [];
console.log([table(rows), reasons(rows), ...stale, slowest(rows)].filter((text) => text !== '').join('\n\n'));
if (rows.some(hasFailed) || stale.length > 0) process.exitCode = 1;
