import { randomUUID } from 'node:crypto';
import type { Context } from 'aws-lambda';
import {
  ACTION_TESTS_PER_MINUTE,
  ACTIONS_PER_ORGANIZATION,
  AI_CALLS_PER_CONVERSATION,
  FORM_SUBMISSIONS_PER_MINUTE,
  SESSION_CREATE_PER_MINUTE,
} from '../../../src/contract/limits.ts';
import { createAction } from '../../../src/domain/actions/manage-actions.ts';
import {
  createAssistant,
  generateServerSecret,
  setFormSubmissions,
} from '../../../src/domain/organizations/manage-assistants.ts';
import { createOrganization, updateOrganization } from '../../../src/domain/organizations/manage-organizations.ts';
import { setOutboundQuota } from '../../../src/domain/organizations/restrictions.ts';
import { IN_PAYLOADS_ONLY } from '../../harness/logs/leaks.ts';
import { call, httpEvent, lambdaContext } from '../../lambdas/invocation.ts';
import type { Chaos, HttpFunction } from './chaos-system.ts';

/** The result of an attempt. `fault` is a 500, or the function error of an invocation. */
export type Verdict = 'passed' | 'limited' | 'fault';

/** One of the limits in docs/architecture.md, with its own organization and assistant. */
export type Limiter = {
  readonly limit: number;
  /** A text that is in the body of every call that reads or writes the counter, and of no other call. */
  readonly counter: string;
  /** Makes one attempt. The function logs as usual. */
  readonly attempt: () => Promise<Verdict>;
};

type Invoked = (event: unknown, context: Context) => Promise<{ readonly success: boolean; readonly outcome?: string }>;

const HOURLY = 6;
const QUOTA = 3;
const ASSISTANTS = 3;
const PAGE = 'https://shop.example.com';

let addresses = 0;
const someAddress = () => `10.1.${addresses >> 8}.${addresses++ & 255}`;

const VERDICTS: Readonly<Record<number, Verdict>> = {
  200: 'passed',
  201: 'passed',
  409: 'limited',
  429: 'limited',
  500: 'fault',
};

async function requested(handler: HttpFunction, request: Parameters<typeof httpEvent>[0]): Promise<Verdict> {
  const { statusCode = 0 } = await handler(httpEvent(request), lambdaContext());
  const verdict = VERDICTS[statusCode];
  if (verdict === undefined) throw new Error(`Unexpected status ${statusCode}`);
  return verdict;
}

async function invoked(handler: Invoked, event: object): Promise<Verdict> {
  const result = await handler(event, lambdaContext()).catch(() => undefined);
  if (result === undefined) return 'fault';
  return result.success && result.outcome !== 'limit_reached' ? 'passed' : 'limited';
}

async function site(chaos: Chaos, settings: object = {}) {
  const { management } = chaos;
  const { org_id: orgId } = await createOrganization({ name: 'Limited', plan: 'paid' }, management);
  const open = { domain: 'shop.example.com', allowed_domains: ['shop.example.com'], hourly_rate_limit: 1_000_000 };
  const { site_id: siteId } = await createAssistant(orgId, { name: 'Limited', ...open, ...settings }, management);
  return { orgId, siteId };
}

async function signedSite(chaos: Chaos, settings: object = {}) {
  const { siteId } = await site(chaos, { ...settings, authentication_mode: 'Session Signed' });
  const { serverSecret } = await generateServerSecret(siteId, { regenerate: false }, chaos.management);
  return { siteId, headers: { 'x-server-key': serverSecret } };
}

/** The outbound quota: three requests a day, by AI-decided calls of three conversations. Only this limit allows when it cannot count. */
export async function outboundQuota(chaos: Chaos): Promise<Limiter> {
  const aiAction = await chaos.container<Invoked>('ai-action');
  const { orgId, siteId } = await site(chaos);
  const action = { trigger: 'AI-decided', name: 'Look', description: 'Looks something up' };
  await createAction(siteId, { ...action, url: chaos.receiver.url('/limited') }, chaos.management);
  await setOutboundQuota(orgId, QUOTA, { ...chaos.management, step: async () => {} });
  const request = { operation: 'callTool', site_id: siteId, tool: 'look', arguments: {} };
  return {
    limit: QUOTA,
    counter: `outbound#${orgId}`,
    attempt: async () => {
      const { outcome } = await aiAction({ ...request, conversation_id: randomUUID() }, lambdaContext());
      return outcome === 'completed' ? 'passed' : 'limited';
    },
  };
}

/** The dashboard's API as an admin of the organization calls it. */
async function adminOf(chaos: Chaos, orgId: string): Promise<HttpFunction> {
  const dashboard = await chaos.container<HttpFunction>('dashboard-api');
  await chaos.join(orgId, 'ada', 'admin');
  return (event, context) => {
    Object.assign(event.requestContext, { authorizer: { jwt: { claims: { sub: 'ada' } } } });
    return dashboard(event, context);
  };
}

/** An assistant with a form. `submit` submits it from an address. */
async function siteWithForm(chaos: Chaos) {
  const submit = await chaos.container<HttpFunction>('form-submit');
  const { siteId } = await site(chaos);
  const headers = { 'x-site-id': siteId, origin: PAGE };
  const init = await call(await chaos.container<HttpFunction>('widget-init'), { headers });
  const form_fields = [{ key: 'name', label: 'Name', type: 'Text', required: false }];
  const action = { trigger: 'Form', name: 'Contact', url: chaos.receiver.url('/limited'), form_fields };
  await createAction(siteId, action, chaos.management);
  const body = { conversation_id: Object(init.body).conversation_id, values: { name: IN_PAYLOADS_ONLY } };
  const pathParameters = { site_id: siteId, slug: 'contact' };
  return { siteId, submit: (sourceIp: string) => requested(submit, { headers, body, pathParameters, sourceIp }) };
}

export const LIMITERS: Readonly<Record<string, (chaos: Chaos) => Promise<Limiter>>> = {
  'session create, per address': async (chaos) => {
    const create = await chaos.container<HttpFunction>('session-create');
    const { headers } = await signedSite(chaos);
    const sourceIp = someAddress();
    return {
      limit: SESSION_CREATE_PER_MINUTE,
      counter: `session-create#${sourceIp}`,
      attempt: () => requested(create, { headers, sourceIp }),
    };
  },
  'session create, per hour': async (chaos) => {
    const create = await chaos.container<HttpFunction>('session-create');
    const { siteId, headers } = await signedSite(chaos, { hourly_rate_limit: HOURLY });
    return {
      limit: HOURLY,
      counter: `requests#${siteId}`,
      attempt: () => requested(create, { headers, sourceIp: someAddress() }),
    };
  },
  'widget init, per hour': async (chaos) => {
    const init = await chaos.container<HttpFunction>('widget-init');
    const { siteId } = await site(chaos, { hourly_rate_limit: HOURLY });
    return {
      limit: HOURLY,
      counter: `requests#${siteId}`,
      attempt: () => requested(init, { headers: { 'x-site-id': siteId, origin: PAGE } }),
    };
  },
  'form submit, per assistant and address': async (chaos) => {
    const { siteId, submit } = await siteWithForm(chaos);
    const sourceIp = someAddress();
    return {
      limit: FORM_SUBMISSIONS_PER_MINUTE,
      counter: `form-submit#${siteId}`,
      attempt: () => submit(sourceIp),
    };
  },
  'form submit, per assistant': async (chaos) => {
    const { siteId, submit } = await siteWithForm(chaos);
    await setFormSubmissions(siteId, HOURLY, chaos.management);
    return { limit: HOURLY, counter: `requests#forms#${siteId}`, attempt: () => submit(someAddress()) };
  },
  'AI-decided calls, per conversation': async (chaos) => {
    const aiAction = await chaos.container<Invoked>('ai-action');
    const { siteId } = await site(chaos);
    const action = { trigger: 'AI-decided', name: 'Look', description: 'Looks something up' };
    const url = chaos.receiver.url('/limited');
    const { action_id } = await createAction(siteId, { ...action, url }, chaos.management);
    const request = {
      operation: 'callTool',
      site_id: siteId,
      conversation_id: randomUUID(),
      tool: 'look',
      arguments: {},
    };
    return {
      limit: AI_CALLS_PER_CONVERSATION,
      counter: `CALLS#${action_id}`,
      attempt: () => invoked(aiAction, request),
    };
  },
  'the Test button, per organization': async (chaos) => {
    const actionTest = await chaos.container<Invoked>('action-test');
    const { orgId, siteId } = await site(chaos);
    const action = { trigger: 'Event', name: 'Tell', url: chaos.receiver.url('/limited'), events: ['message.sent'] };
    const { action_id } = await createAction(siteId, action, chaos.management);
    return {
      limit: ACTION_TESTS_PER_MINUTE,
      counter: `action-test#${orgId}`,
      attempt: () => invoked(actionTest, { org_id: orgId, action_id }),
    };
  },
  'assistants, per organization': async (chaos) => {
    const { orgId } = await site(chaos);
    await updateOrganization(orgId, { assistant_limit: 1 + ASSISTANTS }, chaos.management);
    const admin = await adminOf(chaos, orgId);
    const path = `/api/dashboard/organizations/${orgId}/assistants`;
    const assistant = { name: 'Another', hourly_rate_limit: 1 };
    return {
      limit: ASSISTANTS,
      counter: 'assistant_count',
      attempt: () => requested(admin, { path, body: { idempotency_key: randomUUID(), assistant } }),
    };
  },
  'Actions, per organization': async (chaos) => {
    const { orgId, siteId } = await site(chaos);
    const admin = await adminOf(chaos, orgId);
    const path = `/api/dashboard/organizations/${orgId}/assistants/${siteId}/actions`;
    return {
      limit: ACTIONS_PER_ORGANIZATION,
      counter: 'action_count',
      attempt: () => {
        const name = randomUUID();
        const action = { trigger: 'Event', name, url: `${PAGE}/`, events: ['message.sent'] };
        return requested(admin, { path, body: { idempotency_key: name, action } });
      },
    };
  },
};
