import type { DeliveryRecord } from '../../../src/contract/delivery-record.ts';

/** The tasks of an operator. One implementation uses the command line, the other calls the use cases directly. */
export type Operator = {
  readonly createOrganization: (name: string, plan: 'free' | 'paid') => Promise<string>;
  readonly createAssistant: (orgId: string, settings: AssistantSettings) => Promise<string>;
  readonly createAction: (siteId: string, settings: ActionSettings) => Promise<string>;
  readonly signingSecret: (actionId: string) => Promise<string>;
  readonly generateServerSecret: (siteId: string) => Promise<string>;
  /** Sends form submissions of the assistant to a topic as well as to the endpoint. */
  readonly escalateTo: (siteId: string, topicArn: string) => Promise<void>;
  /** Gives a person with a login access to the dashboard. */
  readonly addMember: (orgId: string, email: string, role: 'admin' | 'member') => Promise<void>;
  /** Sets how many requests the service sends to the organization's endpoints per UTC day. */
  readonly setOutboundQuota: (orgId: string, perDay: number) => Promise<void>;
  readonly putEvent: (event: { name: string; orgId: string; siteId?: string; data: object }) => Promise<void>;
  /** Returns the delivery records of an Action, the newest first. */
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
