import { join, resolve } from 'node:path';
import type { Argument, Command } from 'commander';
import * as z from 'zod';
import { DEFAULT_READY_FILE, type Target } from './connection.ts';
import { CommandFailure, EXIT } from './exit-codes.ts';
import type { CliProcess } from './process.ts';

const text = z.string().min(1);
const storedContext = z.strictObject({
  /** Ready file, absolute: commands may be run in another folder. */
  local: text.optional(),
  stack: text.optional(),
  region: text.optional(),
  org: text.optional(),
  site: text.optional(),
});

/** What is meant where the command line does not say it. */
export type Context = z.infer<typeof storedContext>;

/** These are refused rather than aimed at what the context names. */
const SAY_THE_ID = new Set(['delete', 'suspend', 'regenerate']);

/** Undefined when nobody is at home, as in some build systems. */
export function contextFile({ environment }: Pick<CliProcess, 'environment'>): string | undefined {
  const { XDG_CONFIG_HOME, HOME } = environment;
  const folder = XDG_CONFIG_HOME || (HOME && join(HOME, '.config'));
  return folder ? join(folder, 'va-wave', 'context.json') : undefined;
}

/** What `va-wave use` stored; nothing when it never ran. @throws CommandFailure for a file that is no context */
export async function storedContextOf(cliProcess: Pick<CliProcess, 'environment' | 'readFile'>): Promise<Context> {
  const file = contextFile(cliProcess);
  if (file === undefined) return {};
  const json = await cliProcess.readFile(file).catch(() => '{}');
  try {
    return storedContext.parse(JSON.parse(json));
  } catch {
    throw new CommandFailure(EXIT.fault, `${file} is no context of va-wave: delete it`);
  }
}

/**
 * The context of one run: what was stored, and above it the environment. Words that name a deployment leave the stored one and
 * its ids out, because they belong to that deployment alone.
 */
export async function contextOf(
  words: readonly string[],
  cliProcess: Pick<CliProcess, 'environment' | 'readFile'>,
): Promise<Context> {
  const { VA_WAVE_LOCAL, VA_WAVE_STACK, VA_WAVE_ORG, VA_WAVE_SITE } = cliProcess.environment;
  const said = words.filter((word) => /^--(local|stack|region)(=|$)/.test(word));
  const target: Context = VA_WAVE_LOCAL
    ? { local: VA_WAVE_LOCAL === '1' ? resolve(DEFAULT_READY_FILE) : VA_WAVE_LOCAL }
    : VA_WAVE_STACK
      ? { stack: VA_WAVE_STACK }
      : {};
  const stored = said.length > 0 || VA_WAVE_LOCAL || VA_WAVE_STACK ? {} : await storedContextOf(cliProcess);
  return {
    ...stored,
    ...(said.length > 0 ? {} : target),
    ...(VA_WAVE_ORG ? { org: VA_WAVE_ORG } : {}),
    ...(VA_WAVE_SITE ? { site: VA_WAVE_SITE } : {}),
  };
}

/** The deployment that is meant: the one of the options, else that of the context. */
export function targetOf(options: Readonly<Record<string, unknown>>, context: Context): Target {
  const { local, stack, region } = options;
  const said = local !== undefined || stack !== undefined;
  const from = (value: unknown, stored: string | undefined) =>
    typeof value === 'string' ? value : said ? undefined : stored;
  const [ready, name, where] = [from(local, context.local), from(stack, context.stack), from(region, context.region)];
  return {
    ...(local !== undefined || ready !== undefined ? { local: ready || true } : {}),
    ...(name === undefined ? {} : { stack: name }),
    ...(where === undefined ? {} : { region: where }),
  };
}

/** Gives every command the ids that the context knows, for what the words do not say. */
export function applyContext(command: Command, { org, site }: Context): void {
  const known: Readonly<Record<string, string | undefined>> = { org, site, org_id: org, site_id: site };
  if (command.name() === 'use') return;
  for (const option of command.options) {
    const value = known[option.attributeName()];
    if (value !== undefined) command.setOptionValueWithSource(option.attributeName(), value, 'context');
  }
  const [argument, ...more] = command.registeredArguments;
  if (argument !== undefined && more.length === 0 && !SAY_THE_ID.has(command.name())) {
    defaultTo(argument, known[argument.name()]);
  }
  for (const child of command.commands) applyContext(child, { ...(org && { org }), ...(site && { site }) });
}

function defaultTo(argument: Argument, value: string | undefined): void {
  if (value !== undefined) argument.argOptional().default(value);
}

/** An organization that was named leaves the context's assistant out: it may be another organization's. */
export function dropForeignSite(command: Command): void {
  if (command.getOptionValueSource('org') === 'cli' && command.getOptionValueSource('site') === 'context') {
    command.setOptionValueWithSource('site', undefined, 'context');
  }
}
