import type { Role } from './members.ts';

/** The operations of the dashboard's API. Their bodies and answers are in dashboard.ts; this file costs a browser nothing. */

/** Below `{base_url}`. */
export const DASHBOARD_API_PATH = '/api/dashboard';

/** The scope that an access token needs, `<resource server>/<scope>` as Cognito writes it. */
export const DASHBOARD_RESOURCE_SERVER = 'va-wave-dashboard';
export const DASHBOARD_SCOPE_NAME = 'use';
export const DASHBOARD_SCOPE = `${DASHBOARD_RESOURCE_SERVER}/${DASHBOARD_SCOPE_NAME}`;

type Operation = {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** Below DASHBOARD_API_PATH. */
  readonly path: string;
  /** The least role in the organization of the path; `user` for whoever is logged in. */
  readonly role: Role | 'user';
  readonly status: 200 | 201;
  readonly summary: string;
};

const organization = '/organizations/{org_id}';
const assistant = `${organization}/assistants/{site_id}`;
const action = `${organization}/actions/{action_id}`;

export const DASHBOARD_OPERATIONS = {
  me: {
    method: 'GET',
    path: '/me',
    role: 'user',
    status: 200,
    summary: 'Who is logged in, and in which organizations',
  },
  checkHosts: {
    method: 'POST',
    path: '/check-hosts',
    role: 'user',
    status: 200,
    summary: 'What Allowed Domains become when they are saved, and whether a widget on a page would start',
  },
  listAssistants: {
    method: 'GET',
    path: `${organization}/assistants`,
    role: 'member',
    status: 200,
    summary: 'The assistants of an organization',
  },
  createAssistant: {
    method: 'POST',
    path: `${organization}/assistants`,
    role: 'admin',
    status: 201,
    summary: 'Creates an assistant, once per idempotency key',
  },
  getAssistant: { method: 'GET', path: assistant, role: 'member', status: 200, summary: 'An assistant' },
  updateAssistant: {
    method: 'PATCH',
    path: assistant,
    role: 'admin',
    status: 200,
    summary: 'Changes the given settings of the version that was read',
  },
  generateServerSecret: {
    method: 'POST',
    path: `${assistant}/server-secret`,
    role: 'admin',
    status: 200,
    summary: 'Generates or replaces the server secret, whose full value is in this answer and nowhere else',
  },
  getInstallation: {
    method: 'GET',
    path: `${assistant}/installation`,
    role: 'member',
    status: 200,
    summary: 'How many requests of the widget and of the customer backend were let in during the last day',
  },
  listActions: {
    method: 'GET',
    path: `${organization}/actions`,
    role: 'member',
    status: 200,
    summary: 'The Actions of all assistants of an organization',
  },
  createAction: {
    method: 'POST',
    path: `${assistant}/actions`,
    role: 'admin',
    status: 201,
    summary: 'Creates an Action, once per idempotency key',
  },
  getAction: { method: 'GET', path: action, role: 'member', status: 200, summary: 'An Action' },
  updateAction: {
    method: 'PATCH',
    path: action,
    role: 'admin',
    status: 200,
    summary: 'Changes the given settings of the version that was read; null removes an optional one',
  },
  deleteAction: {
    method: 'DELETE',
    path: action,
    role: 'admin',
    status: 200,
    summary: 'Deletes the version that was read',
  },
  testAction: {
    method: 'POST',
    path: `${action}/test`,
    role: 'admin',
    status: 200,
    summary: 'Sends a real signed request to the endpoint and says what came of it',
  },
  listAudit: {
    method: 'GET',
    path: `${organization}/audit`,
    role: 'admin',
    status: 200,
    summary: 'The last 100 changes: who, what, when',
  },
} as const satisfies Record<string, Operation>;

export type DashboardOperation = keyof typeof DASHBOARD_OPERATIONS;
