import { join, resolve } from 'node:path';
import type { Command } from 'commander';
import * as z from 'zod';
import { parseJson } from '../src/contract/json.ts';
import { DEFAULT_READY_FILE } from './connection.ts';
import { CommandFailure, EXIT } from './exit-codes.ts';
import type { CliProcess } from './process.ts';

const text = z.string().min(1);
const storedContext = z.strictObject({
  /** Absolute path of the ready file, because commands can run in any folder. */
  local: text.optional(),
  stack: text.optional(),
  region: text.optional(),
  org: text.optional(),
  site: text.optional(),
});

/** The defaults for the options and ids that the command line does not contain. */
export type Context = z.infer<typeof storedContext>;

/** Commands that require their id on the command line and never use the id of the context. */
const REQUIRE_THE_ID = new Set(['delete', 'suspend', 'regenerate']);

/** Returns the path of the context file, or undefined without a home folder, as in some build systems. */
export function contextFile({ environment }: Pick<CliProcess, 'environment'>): string | undefined {
  const { XDG_CONFIG_HOME, HOME } = environment;
  const folder = XDG_CONFIG_HOME || (HOME && join(HOME, '.config'));
  return folder ? join(folder, 'va-wave', 'context.json') : undefined;
}

/** Reads the context that `va-wave use` stored. Empty if there is none. @throws CommandFailure for a file that is not a context */
async function storedContextOf(cliProcess: Pick<CliProcess, 'environment' | 'readFile'>): Promise<Context> {
  const file = contextFile(cliProcess);
  if (file === undefined) return {};
  const json = await cliProcess.readFile(file).catch(() => '{}');
  try {
    return storedContext.parse(parseJson(json));
  } catch {
    throw new CommandFailure(EXIT.fault, `${file} is not a context of va-wave: delete it`);
  }
}

/**
 * Returns the context of one run. The environment takes precedence over the stored context. When the command line or the environment
 * names a deployment, the stored context is not used, because its ids belong to another deployment.
 */
export async function contextOf(
  words: readonly string[],
  cliProcess: Pick<CliProcess, 'environment' | 'readFile'>,
): Promise<Context> {
  const { VA_WAVE_LOCAL, VA_WAVE_STACK, VA_WAVE_ORG, VA_WAVE_SITE } = cliProcess.environment;
  const named = words.some((word) => /^--(local|stack|region)(=|$)/.test(word));
  const target = async (): Promise<Context> => {
    if (named) return {};
    if (VA_WAVE_LOCAL) return { local: VA_WAVE_LOCAL === '1' ? resolve(DEFAULT_READY_FILE) : VA_WAVE_LOCAL };
    return VA_WAVE_STACK ? { stack: VA_WAVE_STACK } : storedContextOf(cliProcess);
  };
  return {
    ...(await target()),
    ...(VA_WAVE_ORG ? { org: VA_WAVE_ORG } : {}),
    ...(VA_WAVE_SITE ? { site: VA_WAVE_SITE } : {}),
  };
}

/** Makes the context the defaults of the options and ids of all commands. */
export function applyContext(command: Command, context: Context): void {
  const known: Readonly<Record<string, string | undefined>> = {
    ...context,
    org_id: context.org,
    site_id: context.site,
  };
  if (command.name() === 'use') return;
  for (const option of command.options) {
    const value = known[option.attributeName()];
    if (value !== undefined) command.setOptionValueWithSource(option.attributeName(), value, 'context');
  }
  const [argument, ...more] = command.registeredArguments;
  if (argument !== undefined && more.length === 0 && !REQUIRE_THE_ID.has(command.name())) {
    const value = known[argument.name()];
    if (value !== undefined) argument.argOptional().default(value);
  }
  for (const child of command.commands) applyContext(child, context);
}

/** Removes the context's assistant when the command line names an organization, because it may belong to another organization. */
export function dropForeignSite(command: Command): void {
  if (command.getOptionValueSource('org') === 'cli' && command.getOptionValueSource('site') === 'context') {
    command.setOptionValueWithSource('site', undefined, 'context');
  }
}
