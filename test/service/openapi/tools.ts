import { execFile } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { missingProgram } from '../../harness/programs.ts';

const execute = promisify(execFile);
const sources = fileURLToPath(new URL('./tools/', import.meta.url));
const folder = fileURLToPath(new URL('../../../node_modules/.cache/openapi-tools/', import.meta.url));

/** Returns the path of a program that npm or pip installed. */
export const npmTool = (name: string): string => join(folder, 'node_modules/.bin', name);
export const pythonTool = (name: string): string => join(folder, 'python/bin', name);
export const toolFile = (name: string): string => join(folder, name);

export const missingPython = missingProgram('Python with venv');

/** Installs the tools once into the folder of caches. */
export async function installTools(): Promise<void> {
  mkdirSync(folder, { recursive: true });
  cpSync(sources, folder, { recursive: true });
  await once('npm', () => run('npm', ['install', '--no-package-lock', '--ignore-scripts', '--silent'], folder));
  if (missingPython !== undefined) return;
  await once('pip', async () => {
    rmSync(join(folder, 'python'), { recursive: true, force: true });
    await run('python3', ['-m', 'venv', 'python'], folder);
    await run(pythonTool('pip'), ['install', '--quiet', '-r', 'requirements.txt'], folder);
  });
}

async function once(name: string, install: () => Promise<unknown>): Promise<void> {
  const done = join(folder, `.${name}-installed`);
  if (existsSync(done)) return;
  await install();
  writeFileSync(done, '');
}

/** Runs a program to its end. @returns what it prints @throws with what it prints when it fails */
export async function run(
  program: string,
  words: readonly string[],
  cwd: string,
  environment: NodeJS.ProcessEnv = {},
): Promise<string> {
  try {
    const env = { ...process.env, ...environment };
    const { stdout, stderr } = await execute(program, words, { cwd, env, maxBuffer: 64 * 1024 * 1024 });
    return stdout + stderr;
  } catch (error) {
    const { stdout = '', stderr = '' } = Object(error);
    throw new Error(`${program} ${words.join(' ')} failed:\n${stdout}\n${stderr}`);
  }
}
