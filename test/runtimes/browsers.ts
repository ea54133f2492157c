/** Finds, installs and starts browsers. They need no driver: a page asks the harness for work. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';

export const BROWSERS = ['chromium', 'firefox'] as const;
export type Browser = (typeof BROWSERS)[number];

interface Kind {
  /** Names of its program on PATH. */
  readonly programs: readonly string[];
  /** Debian's package. */
  readonly package: string;
  arguments(profile: string): readonly string[];
  /** What the profile must contain before the browser starts. */
  prepare?(profile: string): void;
}

/** No first-run pages, updates, reports or other traffic; scripts may run for as long as they like. */
const FIREFOX_PREFERENCES: Readonly<Record<string, string | number | boolean>> = {
  'app.normandy.enabled': false,
  'app.update.enabled': false,
  'browser.aboutwelcome.enabled': false,
  'browser.safebrowsing.downloads.remote.enabled': false,
  'browser.shell.checkDefaultBrowser': false,
  'browser.startup.homepage_override.mstone': 'ignore',
  'datareporting.policy.dataSubmissionEnabled': false,
  'dom.disable_beforeunload': true,
  'dom.ipc.processHangMonitor': false,
  'dom.max_script_run_time': 0,
  'dom.min_background_timeout_value': 4,
  'extensions.update.enabled': false,
  'network.captive-portal-service.enabled': false,
  'network.connectivity-service.enabled': false,
  'services.settings.server': 'data:,#remote-settings-dummy/v1',
  'toolkit.telemetry.enabled': false,
};

const KINDS: Readonly<Record<Browser, Kind>> = {
  chromium: {
    programs: ['chromium', 'chromium-browser', 'google-chrome'],
    package: 'chromium',
    arguments: (profile) => [
      '--headless',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-background-timer-throttling',
      '--disable-renderer-backgrounding',
      '--disable-backgrounding-occluded-windows',
      '--disable-component-update',
      '--disable-dev-shm-usage',
      '--disable-sync',
      `--user-data-dir=${profile}`,
      // Chromium's sandbox refuses to work for root, as whom containers run.
      ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
    ],
  },
  firefox: {
    programs: ['firefox-esr', 'firefox'],
    package: 'firefox-esr',
    arguments: (profile) => ['--headless', '--no-remote', '--profile', profile],
    prepare: (profile) => {
      const lines = Object.entries(FIREFOX_PREFERENCES).map(
        ([name, value]) => `user_pref(${JSON.stringify(name)}, ${JSON.stringify(value)});\n`,
      );
      writeFileSync(join(profile, 'user.js'), lines.join(''));
    },
  },
};

const onPath = (program: string): boolean =>
  (process.env['PATH'] ?? '').split(delimiter).some((folder) => existsSync(join(folder, program)));

export const isInstalled = (browser: Browser): boolean => KINDS[browser].programs.some(onPath);

/** The program of a browser. Where it is missing, root gets it from Debian. */
export function programOf(browser: Browser): string {
  const { programs, package: debian } = KINDS[browser];
  const find = (): string | undefined => programs.find(onPath);
  const found = find();
  if (found !== undefined) return found;
  if (process.getuid?.() === 0 && onPath('apt-get')) {
    const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
    execFileSync('apt-get', ['update', '-qq'], { stdio: 'inherit', env });
    execFileSync('apt-get', ['install', '-y', '-qq', '--no-install-recommends', debian], { stdio: 'inherit', env });
  }
  const installed = find();
  if (installed !== undefined) return installed;
  throw new Error(
    `${browser} is not on PATH (looked for ${programs.join(', ')}). Install it, on Debian by \`apt-get install ${debian}\`, or leave it out with --only.`,
  );
}

/** A browser that shows a page. */
export interface Opened {
  /** Resolves when it has ended, to how. */
  readonly ended: Promise<string>;
  close(): Promise<void>;
}

const living = new Set<ChildProcess>();

/** Ends a browser with all its processes. */
const killGroup = ({ pid }: ChildProcess): void => {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL');
  } catch {
    // It has ended.
  }
};
process.on('exit', () => living.forEach(killGroup));
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(1));

/** What is shown of a browser's output when it crashes. */
const SHOWN_OUTPUT = 1_000;

/** @param folder where its profile is made, and removed */
export function open(browser: Browser, url: string, folder: string): Opened {
  mkdirSync(folder, { recursive: true });
  const profile = mkdtempSync(join(folder, `${browser}-`));
  KINDS[browser].prepare?.(profile);
  const child = spawn(programOf(browser), [...KINDS[browser].arguments(profile), url], {
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true, // a process group of its own
    env: { ...process.env, HOME: profile, MOZ_CRASHREPORTER_DISABLE: '1' },
  });
  living.add(child);
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (text: string) => {
      output = (output + text).slice(-SHOWN_OUTPUT);
    });
  }
  const ended = new Promise<string>((resolve) => {
    child.on('error', (error) => resolve(`${browser} does not start: ${error.message}`));
    child.on('exit', (code, signal) => {
      living.delete(child);
      killGroup(child);
      resolve(`${browser} ended with ${signal ?? `exit code ${code}`}\n${output.trim()}`);
    });
  });
  return {
    ended,
    close: async () => {
      killGroup(child);
      await ended;
      rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}
