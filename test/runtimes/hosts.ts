/** All hosts by name: versions of Node, Bun, Deno, and the pages and workers of browsers. */
import { BrowserHost, REALMS } from './browser-host.js';
import { BROWSERS } from './browsers.js';
import type { Host } from './host-run.js';
import { PINNED_RUNTIMES, RUNNING_NODE } from './install.js';
import { processHost } from './process-host.js';
import type { Project } from './project.js';

type Make = (project: Project) => Host;

const processes = [...new Set([RUNNING_NODE, ...PINNED_RUNTIMES])].map((name): [string, Make] => [
  name,
  (project) => processHost(name, project.folder),
]);

const browsers = BROWSERS.flatMap((browser) =>
  REALMS.map((realm): [string, Make] => [`${browser}-${realm}`, (project) => new BrowserHost(browser, realm, project)]),
);

const HOSTS = new Map<string, Make>([...processes, ...browsers]);

export const HOST_NAMES: readonly string[] = [...HOSTS.keys()];

/** Installs what the host needs. */
export const makeHost = (name: string, project: Project): Host => (HOSTS.get(name) as Make)(project);
