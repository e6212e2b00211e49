import { spawnSync } from 'node:child_process';

/** What installs a program or library that npm cannot install, on Debian or by its own installer. */
const INSTALLED_BY = {
  apache2: 'apt install apache2',
  boto3: 'pip install boto3',
  'cfn-lint': 'pip install cfn-lint',
  Flask: 'pip install flask',
  Go: 'apt install golang-go',
  Maven: 'apt install maven openjdk-17-jdk-headless',
  nginx: 'apt install nginx-light',
  PHP: 'apt install php-cli',
  python3: 'apt install python3',
  'Python with venv': 'apt install python3-venv',
  Rails: 'gem install rails puma',
  Symfony: 'apt install php-cli php-symfony-framework-bundle',
  WordPress: 'apt install php-cli, and apt update for its package',
  'A registry of npm': 'npm config set registry',
} as const;

type InstalledProgram = keyof typeof INSTALLED_BY;

/** Returns why a test that needs this cannot run here, and what installs it. Undefined when it can run. @param probe a command that succeeds when it is installed */
export function missingUnless(
  program: InstalledProgram,
  probe: readonly [command: string, ...args: string[]],
): string | undefined {
  const [command, ...args] = probe;
  return spawnSync(command, args, { stdio: 'ignore' }).status === 0
    ? undefined
    : `${program} is not installed (${INSTALLED_BY[program]})`;
}

/** Returns `test`, which skips without this program. */
export function testWith(program: 'apache2' | 'nginx' | 'python3'): jest.It {
  if (spawnSync(program, ['--help']).error === undefined) return test;
  process.stderr.write(`Skipped: a test, because ${program} is not installed (${INSTALLED_BY[program]}).\n`);
  return test.skip;
}
