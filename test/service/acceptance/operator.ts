import type { LocalCloud } from '../../../local/local-cloud.ts';
import type { DeliveryRecord } from '../../../src/contract/delivery-record.ts';
import { commandLineOf } from '../cli/captured-run.ts';

type AssistantSettings = {
  readonly domain: string;
  readonly hourlyRateLimit: number;
  readonly mode?: 'Allowed Websites' | 'Session Signed';
  readonly allowedDomains?: readonly string[];
};

type ActionSettings = { readonly name: string; readonly url: string } & (
  | { readonly trigger: 'Event'; readonly events: readonly string[] }
  | { readonly trigger: 'Form'; readonly fields: readonly string[] }
  | {
      readonly trigger: 'AI-decided';
      readonly description: string;
      readonly parameters: object;
      readonly feedBack: boolean;
    }
);

/** An operator who works at the command line, in this process. @param vaWave runs a command with --json and returns its result */
export function operatorWith(vaWave: <Result>(...words: readonly string[]) => Promise<Result>) {
  return {
    createOrganization: async (name: string, plan: 'free' | 'paid') =>
      (await vaWave<{ org_id: string }>('org', 'create', '--name', name, '--plan', plan)).org_id,
    createAssistant: async (
      orgId: string,
      { domain, hourlyRateLimit, mode, allowedDomains = [] }: AssistantSettings,
    ) => {
      const words = ['--org', orgId, '--name', 'Acceptance', '--domain', domain, '--rate-limit', `${hourlyRateLimit}`];
      if (mode !== undefined) words.push('--mode', mode);
      for (const entry of allowedDomains) words.push('--allowed-domain', entry);
      return (await vaWave<{ site_id: string }>('assistant', 'create', ...words)).site_id;
    },
    createAction: async (siteId: string, settings: ActionSettings) =>
      (await vaWave<{ action_id: string }>('action', 'create', '--site', siteId, ...actionWords(settings))).action_id,
    signingSecret: async (actionId: string) =>
      (await vaWave<{ signing_secret: string }>('action', 'secret', actionId)).signing_secret,
    generateServerSecret: async (siteId: string) =>
      (await vaWave<{ server_secret: string }>('secret', 'generate', siteId)).server_secret,
    /** Sends form submissions of the assistant to a topic as well as to the endpoint. */
    escalateTo: (siteId: string, topicArn?: string) =>
      vaWave('assistant', 'escalation', siteId, ...(topicArn === undefined ? ['--none'] : ['--topic', topicArn])),
    /** Gives a person with a login access to the dashboard. */
    addMember: (orgId: string, email: string, role: 'admin' | 'member') =>
      vaWave('member', 'add', '--org', orgId, '--email', email, '--role', role),
    /** Sets how many requests the service sends to the organization's endpoints per UTC day. */
    setOutboundQuota: (orgId: string, perDay: number) => vaWave('org', 'quota', orgId, '--per-day', `${perDay}`),
    putEvent: ({ name, orgId, siteId, data }: { name: string; orgId: string; siteId?: string; data: object }) => {
      const site = siteId === undefined ? [] : ['--site', siteId];
      return vaWave('event', 'put', name, '--org', orgId, ...site, '--data', JSON.stringify(data));
    },
    /** Returns the delivery records of an Action, the newest first. */
    deliveries: (actionId: string) => vaWave<readonly DeliveryRecord[]>('deliveries', actionId, '--limit', '1000'),
  };
}

export type Operator = ReturnType<typeof operatorWith>;

/** An operator of a local cloud, or of another account with these outputs. */
export const operatorOf = (cloud: Pick<LocalCloud, 'gatewayUrl' | 'region' | 'credentials' | 'outputs'>): Operator =>
  operatorWith(commandLineOf(cloud).json);

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
