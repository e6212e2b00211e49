import { spawnSync } from 'node:child_process';

type Program = {
  /** On Debian, or by its own installer. */
  readonly installedBy: string;
  /** A command that succeeds when it is installed. */
  readonly probe: readonly [command: string, ...words: string[]];
};

const SYMFONY = '/usr/share/php/Symfony/Bundle/FrameworkBundle/autoload.php';

/** What tests need that npm does not install. */
const PROGRAMS = {
  'A registry of npm': { installedBy: 'npm config set registry', probe: ['npm', 'view', 'constructs', 'version'] },
  apache2: { installedBy: 'apt install apache2', probe: ['apache2', '-v'] },
  boto3: { installedBy: 'pip install boto3', probe: ['python3', '-c', 'import boto3'] },
  'C++ with CMake': { installedBy: 'apt install g++ cmake', probe: ['bash', '-c', 'g++ --version && cmake --version'] },
  'cfn-lint': { installedBy: 'pip install cfn-lint', probe: ['cfn-lint', '--version'] },
  curl: { installedBy: 'apt install curl', probe: ['curl', '--version'] },
  Firefox: {
    installedBy: 'apt install firefox-esr',
    probe: ['bash', '-c', 'command -v "$FIREFOX_PATH" firefox-esr firefox'],
  },
  Flask: { installedBy: 'pip install flask', probe: ['python3', '-c', 'import flask'] },
  Go: { installedBy: 'apt install golang-go', probe: ['go', 'version'] },
  Maven: {
    installedBy: 'apt install maven openjdk-17-jdk-headless',
    probe: ['bash', '-c', 'mvn --version && javac -version'],
  },
  nginx: { installedBy: 'apt install nginx-light', probe: ['nginx', '-v'] },
  PHP: { installedBy: 'apt install php-cli', probe: ['php', '--version'] },
  python3: { installedBy: 'apt install python3', probe: ['python3', '--version'] },
  // Debian's python3 has venv, but not what it installs with.
  'Python with venv': { installedBy: 'apt install python3-venv', probe: ['python3', '-c', 'import ensurepip, venv'] },
  Rails: {
    installedBy: 'gem install rails puma',
    probe: ['ruby', '-e', 'require "action_controller/railtie"; require "puma"'],
  },
  Symfony: {
    installedBy: 'apt install php-cli php-symfony-framework-bundle',
    probe: ['php', '-r', `exit(is_file('${SYMFONY}') ? 0 : 1);`],
  },
  'unshare, nsenter or ip': {
    installedBy: 'apt install util-linux iproute2',
    probe: ['bash', '-c', 'unshare --version && nsenter --version && ip -V'],
  },
  WebKitGTK: {
    installedBy: 'apt install webkit2gtk-driver xvfb',
    probe: [
      'bash',
      '-c',
      'command -v WebKitWebDriver && command -v Xvfb && command -v "$MINI_BROWSER_PATH" /usr/lib/*/webkit2gtk-4.1/MiniBrowser',
    ],
  },
  WordPress: {
    installedBy: 'apt install php-cli, and apt update for its package',
    probe: ['bash', '-c', 'php --version && apt-cache show wordpress'],
  },
} as const satisfies Readonly<Record<string, Program>>;

/** Why a test cannot run on this machine, and what installs what it needs. Undefined when it can run. */
export type Missing = string | undefined;

/** Returns which of these programs is missing. */
export function missingProgram(...names: readonly (keyof typeof PROGRAMS)[]): Missing {
  const missing = names.find((name) => {
    const [command, ...words] = PROGRAMS[name].probe;
    return spawnSync(command, words, { stdio: 'ignore' }).status !== 0;
  });
  return missing && `${missing} is missing (${PROGRAMS[missing].installedBy})`;
}

/** Prints why something is skipped. `console` would not: jest does not show the console output of a file whose tests are all skipped. */
export function printSkipped(name: string, missing: string): void {
  process.stderr.write(`Skipped: ${name}, because ${missing}.\n`);
}

/** Returns `test`, which skips when something is missing. @param name of what is skipped */
export function testWhere(missing: Missing, name: string): jest.It {
  if (missing === undefined) return test;
  printSkipped(name, missing);
  return test.skip;
}

/** Calls `describe`, which skips the tests when something is missing. */
export function describeWhere(missing: Missing, name: string, tests: () => void): void {
  if (missing !== undefined) printSkipped(name, missing);
  (missing === undefined ? describe : describe.skip)(name, tests);
}
