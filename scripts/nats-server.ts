/**
 * Finds the NATS server, or installs it: the tests and the example of the cluster need one of version 2.10 or newer.
 *
 * It is on the PATH, or comes from Debian's packages: where this release of Debian has an older one, that of a later release, which runs here
 * too. It goes into a folder of this project, and changes nothing of the system's.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { locked } from './build.js';

const FOLDER = join(fileURLToPath(new URL('..', import.meta.url)), '.build/nats-server');
const PROGRAM = join(FOLDER, 'usr/sbin/nats-server');
const OLDEST = [2, 10] as const;
/** The first release of Debian that has such a server. */
const RELEASE = 'trixie';
const KEYRING = '/usr/share/keyrings/debian-archive-keyring.gpg';
const INSTALL_MS = 120_000;

const output = (program: string, ...args: string[]): string =>
  execFileSync(program, args, { encoding: 'utf8', timeout: INSTALL_MS, stdio: ['ignore', 'pipe', 'pipe'] });

function isNewEnough(program: string): boolean {
  try {
    const [major = 0, minor = 0] = /v(\d+)\.(\d+)/.exec(output(program, '--version'))?.slice(1).map(Number) ?? [];
    return major > OLDEST[0] || (major === OLDEST[0] && minor >= OLDEST[1]);
  } catch {
    return false; // there is none
  }
}

/** The repository that this machine installs Debian's packages from. */
function repository(): string {
  const release = /^VERSION_CODENAME=(.*)$/m.exec(readFileSync('/etc/os-release', 'utf8'))?.[1];
  const targets = output('apt-get', 'indextargets', '--format', '$(RELEASE) $(REPO_URI)', 'Created-By: Packages');
  const own = targets.split('\n').find((line) => line.startsWith(`${release} `));
  if (own === undefined) throw new Error(`apt-get knows no packages of ${release}`);
  return own.slice(own.indexOf(' ') + 1);
}

function install(): void {
  const state = join(FOLDER, 'apt');
  for (const folder of ['lists/partial', 'cache/archives/partial']) mkdirSync(join(state, folder), { recursive: true });
  const signed = existsSync(KEYRING) ? `[signed-by=${KEYRING}] ` : '';
  writeFileSync(join(state, 'sources.list'), `deb ${signed}${repository()} ${RELEASE} main\n`);
  const options = [
    `Dir::Etc::sourcelist=${join(state, 'sources.list')}`,
    'Dir::Etc::sourceparts=/dev/null',
    `Dir::State::lists=${join(state, 'lists')}`,
    `Dir::Cache=${join(state, 'cache')}`,
    'APT::Sandbox::User=root', // its own folder need not be open to others
  ].flatMap((option) => ['-o', option]);
  output('apt-get', ...options, 'update');
  execFileSync('apt-get', [...options, 'download', 'nats-server'], {
    cwd: state,
    timeout: INSTALL_MS,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const archive = readdirSync(state).find((name) => name.endsWith('.deb'));
  if (archive === undefined) throw new Error('apt-get has downloaded no package');
  output('dpkg', '-x', join(state, archive), FOLDER);
}

/**
 * The path of a NATS server.
 *
 * @throws Error that says what to install
 */
export async function natsServer(): Promise<string> {
  if (isNewEnough('nats-server')) return 'nats-server';
  return locked(async () => {
    if (isNewEnough(PROGRAM)) return PROGRAM;
    try {
      install();
    } catch (cause) {
      const wanted = `nats-server ${OLDEST.join('.')} or newer`;
      throw new Error(`Install ${wanted}, so that it is on the PATH. Debian's could not be had.`, { cause });
    }
    return PROGRAM;
  }, `${FOLDER}.lock`);
}
