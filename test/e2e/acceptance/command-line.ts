import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { commandsOn } from '../cli/captured-run.ts';
import type { ActionSettings, Operator } from './operator.ts';

const run = promisify(execFile);

/** Runs a command with --json and returns its result. */
export type Command = <Result>(...words: readonly string[]) => Promise<Result>;

/**
 * An operator that uses the command line. A separate process creates the organization, as a new operator does. The other commands run
 * in this process, because starting a process for each command would take most of a run's time.
 */
export function commandLine(readyFile: string): Operator {
  return operatorWith({ vaWave: commandsOn(readyFile), create: commandsIn(process.cwd(), readyFile) });
}

/** Runs the commands of the code in the folder `root` against the service of a ready file, each in a separate process. */
export function commandsIn(root: string, readyFile: string): Command {
  return async (...words) => {
    const program = join(root, 'cli/va-wave.mjs');
    const { stdout } = await run(process.execPath, [program, ...words, '--json', '--local', readyFile]);
    return JSON.parse(stdout);
  };
}

/** An operator that uses these commands. @param create creates organizations */
export function operatorWith({
  vaWave,
  create = vaWave,
}: {
  readonly vaWave: Command;
  readonly create?: Command;
}): Operator {
  return {
    createOrganization: async (name, plan) =>
      (await create<{ org_id: string }>('org', 'create', '--name', name, '--plan', plan)).org_id,
    createAssistant: async (orgId, settings) => {
      const words = ['--org', orgId, '--name', 'Acceptance', '--domain', settings.domain];
      words.push('--rate-limit', String(settings.hourlyRateLimit));
      if (settings.mode !== undefined) words.push('--mode', settings.mode);
      for (const entry of settings.allowedDomains ?? []) words.push('--allowed-domain', entry);
      return (await vaWave<{ site_id: string }>('assistant', 'create', ...words)).site_id;
    },
    createAction: async (siteId, settings) =>
      (await vaWave<{ action_id: string }>('action', 'create', '--site', siteId, ...actionWords(settings))).action_id,
    signingSecret: async (actionId) =>
      (await vaWave<{ signing_secret: string }>('action', 'secret', actionId)).signing_secret,
    generateServerSecret: async (siteId) =>
      (await vaWave<{ server_secret: string }>('secret', 'generate', siteId)).server_secret,
    escalateTo: async (siteId, topicArn) => {
      await vaWave('assistant', 'escalation', siteId, '--topic', topicArn);
    },
    addMember: async (orgId, email, role) => {
      await vaWave('member', 'add', '--org', orgId, '--email', email, '--role', role);
    },
    setOutboundQuota: async (orgId, perDay) => {
      await vaWave('org', 'quota', orgId, '--per-day', String(perDay));
    },
    putEvent: async ({ name, orgId, siteId, data }) => {
      const site = siteId === undefined ? [] : ['--site', siteId];
      await vaWave('event', 'put', name, '--org', orgId, ...site, '--data', JSON.stringify(data));
    },
    deliveries: (actionId) => vaWave('deliveries', actionId),
  };
}

function actionWords(settings: ActionSettings): string[] {
  const words = ['--trigger', settings.trigger, '--name', settings.name, '--url', settings.url];
  switch (settings.trigger) {
    case 'Event':
      return [...words, ...settings.events.flatMap((event) => ['--event', event])];
    case 'Form':
      return [...words, ...settings.fields.flatMap((field) => ['--field', field])];
    case 'AI-decided':
      words.push('--description', settings.description, '--parameters', JSON.stringify(settings.parameters));
      return settings.feedBack ? [...words, '--feed-back'] : words;
  }
}
