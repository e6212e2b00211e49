import type { DeliveryRecord } from '../../../src/contract/deliveries.ts';

/** What an operator of the service does, whether through the command line or beside it. */
export type Operator = {
  readonly createOrganization: (name: string, plan: 'free' | 'paid') => Promise<string>;
  readonly createAssistant: (orgId: string, settings: AssistantSettings) => Promise<string>;
  readonly createAction: (siteId: string, settings: ActionSettings) => Promise<string>;
  readonly signingSecret: (actionId: string) => Promise<string>;
  readonly generateServerSecret: (siteId: string) => Promise<string>;
  /** Lets form submissions of the assistant reach a topic besides the endpoint. */
  readonly escalateTo: (siteId: string, topicArn: string) => Promise<void>;
  /** Lets somebody into the dashboard whose login exists. */
  readonly addMember: (orgId: string, email: string, role: 'admin' | 'member') => Promise<void>;
  /** How many requests may leave for the organization's endpoints in a day. */
  readonly setOutboundQuota: (orgId: string, perDay: number) => Promise<void>;
  readonly putEvent: (event: { name: string; orgId: string; siteId?: string; data: object }) => Promise<void>;
  /** Newest first. */
  readonly deliveries: (actionId: string) => Promise<readonly DeliveryRecord[]>;
};

export type AssistantSettings = {
  readonly domain: string;
  readonly hourlyRateLimit: number;
  readonly mode?: 'Allowed Websites' | 'Session Signed';
  readonly allowedDomains?: readonly string[];
};

export type ActionSettings = { readonly name: string; readonly url: string } & (
  | { readonly trigger: 'Event'; readonly events: readonly string[] }
  | { readonly trigger: 'Form'; readonly fields: readonly string[] }
  | {
      readonly trigger: 'AI-decided';
      readonly description: string;
      readonly parameters: object;
      readonly feedBack: boolean;
    }
);
