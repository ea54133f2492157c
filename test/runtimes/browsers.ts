/** Finds, installs and starts browsers. They need no driver: a page asks the harness for work. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { endWithUs } from './living.js';

export const BROWSERS = ['chromium', 'firefox', 'webkit'] as const;
export type Browser = (typeof BROWSERS)[number];

const isRoot = process.getuid?.() === 0;

interface Kind {
  /** Names of its program. */
  readonly programs: readonly string[];
  /** Where it may be, besides the folders of PATH. */
  readonly folders?: () => readonly string[];
  /** Debian's packages. */
  readonly packages: readonly string[];
  /** What starts the program, if it is started by another one. */
  readonly starter?: readonly [string, ...string[]];
  arguments(profile: string): readonly string[];
  environment?(profile: string): Readonly<Record<string, string>>;
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
    packages: ['chromium'],
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
      ...(isRoot ? ['--no-sandbox'] : []),
    ],
  },
  firefox: {
    programs: ['firefox-esr', 'firefox'],
    packages: ['firefox-esr'],
    arguments: (profile) => ['--headless', '--no-remote', '--profile', profile],
    prepare: (profile) => {
      const lines = Object.entries(FIREFOX_PREFERENCES).map(
        ([name, value]) => `user_pref(${JSON.stringify(name)}, ${JSON.stringify(value)});\n`,
      );
      writeFileSync(join(profile, 'user.js'), lines.join(''));
    },
  },
  // The small browser that WebKitGTK is tested with: Safari's engine, with a switch for what Safari has switched on.
  webkit: {
    programs: ['MiniBrowser'],
    folders: () => readdirSync('/usr/lib').map((name) => `/usr/lib/${name}/webkit2gtk-4.1`),
    packages: ['webkit2gtk-driver', 'xvfb', 'xauth'],
    starter: ['xvfb-run', '--auto-servernum'], // it knows no other way to run without a display
    arguments: () => ['--private'],
    environment: (profile) => ({
      JSC_useSharedArrayBuffer: 'true',
      WEBKIT_DISABLE_COMPOSITING_MODE: '1',
      XDG_RUNTIME_DIR: profile,
      TMPDIR: profile,
      ...(isRoot ? { WEBKIT_DISABLE_SANDBOX_THIS_IS_DANGEROUS: '1' } : {}),
    }),
  },
};

const find = (programs: readonly string[], folders: readonly string[] = []): string | undefined =>
  programs
    .flatMap((name) =>
      [...(process.env['PATH'] ?? '').split(delimiter), ...folders].map((folder) => join(folder, name)),
    )
    .find((path) => existsSync(path));

/** What starts the browser, if it is installed. */
function installedCommand(browser: Browser): readonly [string, ...string[]] | undefined {
  const { programs, folders, starter } = KINDS[browser];
  const program = find(programs, folders?.());
  if (program === undefined || starter === undefined) return program === undefined ? undefined : [program];
  return find([starter[0]]) === undefined ? undefined : [...starter, program];
}

export const isInstalled = (browser: Browser): boolean => installedCommand(browser) !== undefined;

/** Those in which pages are tested: Chromium always, since `open` installs it where it is missing, and Firefox where it is installed. */
export const testedBrowsers = (): Browser[] =>
  BROWSERS.filter((browser) => browser === 'chromium' || (browser === 'firefox' && isInstalled(browser)));

/** The command that starts a browser. Where it is missing, root gets it from Debian. */
export function commandOf(browser: Browser): readonly [string, ...string[]] {
  const { programs, packages } = KINDS[browser];
  const found = installedCommand(browser);
  if (found !== undefined) return found;
  if (isRoot && find(['apt-get']) !== undefined) {
    const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
    const get = (...args: readonly string[]): Buffer =>
      execFileSync('apt-get', [...args, '-qq'], { stdio: ['ignore', 'ignore', 'inherit'], env });
    get('update');
    get('install', '-y', '--no-install-recommends', ...packages);
  }
  const installed = installedCommand(browser);
  if (installed !== undefined) return installed;
  throw new Error(
    `${browser} was not found (${programs.join(', ')}). Install it, on Debian by \`apt-get install ${packages.join(' ')}\`, or leave it out with --only.`,
  );
}

/** A browser that shows a page. */
export interface Opened {
  /** Resolves when it has ended, to how. */
  readonly ended: Promise<string>;
  close(): Promise<void>;
}

/** Signals all processes of a browser; tells whether there are any. Signal 0 only asks. */
const signalGroup = ({ pid }: ChildProcess, signal: 'SIGTERM' | 'SIGKILL' | 0): boolean => {
  try {
    return pid !== undefined && process.kill(-pid, signal);
  } catch {
    return false;
  }
};
/** What a browser, or the display that it runs on, gets to remove its files (ms). */
const END_MS = 2_000;
const POLL_MS = 20;

/** Ends all processes of a browser. */
async function endGroup(child: ChildProcess): Promise<void> {
  const until = performance.now() + END_MS;
  signalGroup(child, 'SIGTERM');
  while (signalGroup(child, 0) && performance.now() < until) await delay(POLL_MS);
  signalGroup(child, 'SIGKILL');
}

/** What is shown of a browser's output when it crashes. */
const SHOWN_OUTPUT = 1_000;

/**
 * @param folder where its profile is made, and removed
 * @param flags of its command line, besides
 */
export function open(browser: Browser, url: string, folder: string, flags: readonly string[] = []): Opened {
  mkdirSync(folder, { recursive: true });
  const profile = mkdtempSync(join(folder, `${browser}-`));
  KINDS[browser].prepare?.(profile);
  const [program, ...starting] = commandOf(browser);
  const child = spawn(program, [...starting, ...KINDS[browser].arguments(profile), ...flags, url], {
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true, // a process group of its own
    env: { ...process.env, HOME: profile, MOZ_CRASHREPORTER_DISABLE: '1', ...KINDS[browser].environment?.(profile) },
  });
  const hasEnded = endWithUs(() => signalGroup(child, 'SIGTERM'));
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (text: string) => {
      output = (output + text).slice(-SHOWN_OUTPUT);
    });
  }
  const ended = new Promise<string>((resolve) => {
    child.on('error', (error) => resolve(`${browser} does not start: ${error.message}`));
    child.on('exit', (code, signal) => {
      hasEnded();
      void endGroup(child); // those that its own end has not ended
      resolve(`${browser} ended with ${signal ?? `exit code ${code}`}\n${output.trim()}`);
    });
  });
  return {
    ended,
    close: async () => {
      await endGroup(child);
      await ended;
      rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}
