/**
 * Runs the tests on every JavaScript runtime: `npm run test:runtimes`; test/runtimes/README.md has the options.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { BrowserHost, REALMS } from '../test/runtimes/browser-host.js';
import { BROWSERS } from '../test/runtimes/browsers.js';
import { unloadable } from '../test/runtimes/capabilities.js';
import { type Host, runOn } from '../test/runtimes/host-run.js';
import { PINNED_RUNTIMES } from '../test/runtimes/install.js';
import { ROOT } from '../test/runtimes/module-files.js';
import { processHost } from '../test/runtimes/process-host.js';
import { makeProject } from '../test/runtimes/project.js';
import { failures, hasFailed, type Row, reasons, table } from '../test/runtimes/report.js';
import { expectedOutput, filesOf, SUITES, type Suite } from '../test/runtimes/suites.js';

const { values } = parseArgs({
  options: {
    only: { type: 'string' },
    suite: { type: 'string' },
    file: { type: 'string' },
    test: { type: 'string' },
    seconds: { type: 'string', default: '60' },
  },
});

/** Files that run at the same time. */
const JOBS = 2;

function selected<T extends string>(option: string, all: readonly T[], given: string | undefined): readonly T[] {
  if (given === undefined) return all;
  return given.split(',').flatMap((name) => {
    const found = all.filter((each) => each === name || each.startsWith(`${name}-`));
    if (found.length === 0)
      throw new Error(`--${option} takes some of ${all.join(', ')}, with commas, and got '${name}'`);
    return found;
  });
}

const browserHosts = BROWSERS.flatMap((browser) =>
  REALMS.map((realm) => ({ name: `${browser}-${realm}`, browser, realm })),
);
const all = [
  `node-${process.versions.node.split('.')[0]}`,
  ...PINNED_RUNTIMES,
  ...browserHosts.map(({ name }) => name),
];
const hostNames = selected('only', [...new Set(all)], values.only);
const suites = selected<Suite>('suite', SUITES, values.suite);
const files = suites.flatMap((suite) =>
  filesOf(suite)
    .filter((file) => file.includes(values.file ?? ''))
    .map((file) => ({ suite, file })),
);
if (files.length === 0) throw new Error(`no test file of ${suites.join(', ')} has '${values.file}' in its path`);

const project = await makeProject(files.map(({ file }) => file));
const hosts: Host[] = hostNames.map((hostName) => {
  const browser = browserHosts.find(({ name }) => name === hostName);
  return browser === undefined
    ? processHost(hostName, project.folder)
    : new BrowserHost(browser.browser, browser.realm, project);
});
const rows: Row[] = [];

/** What is left to do, file by file, so that each file is tried on all hosts first. */
const queue = files.flatMap((each) => hosts.map((host) => ({ ...each, host })));
/** Hosts that run one file at a time, and run one. */
const busy = new Set<Host>();

async function work(): Promise<void> {
  for (;;) {
    const index = queue.findIndex(({ host }) => !busy.has(host));
    const [next] = index < 0 ? [] : queue.splice(index, 1);
    if (next === undefined) return;
    const { host, suite, file } = next;
    if (host.runsOneFile) busy.add(host);
    const outcome = await runOn(host, {
      file,
      unloadable: unloadable(host.name, project.externals.get(file) ?? new Set(), project.packages),
      ...(suite === 'users' ? { expected: expectedOutput(readFileSync(join(project.folder, file), 'utf8')) } : {}),
      timeoutMs: Number(values.seconds) * 1000,
      checkout: pathToFileURL(ROOT).href,
      ...(values.test === undefined ? {} : { pattern: values.test }),
    });
    busy.delete(host);
    const row = { host: host.name, suite, outcome };
    rows.push(row);
    if (hasFailed(row)) console.log(failures(row));
  }
}

await Promise.all(Array.from({ length: JOBS }, work));
await Promise.all(hosts.map((host) => host.close()));
project.remove();
console.log(`\n${table(rows)}\n${reasons(rows)}`);
if (rows.some(hasFailed)) process.exitCode = 1;
