import { ASSISTANTS_PER_PAGE, AUDIT_PER_PAGE } from './limits.ts';
import type { Role } from './organizations.ts';

/** The operations of the dashboard's API. Their schemas are in dashboard.ts; this file imports none, so that it stays small in a browser. */

/** Path of the API below `{base_url}`. */
export const DASHBOARD_API_PATH = '/api/dashboard';

/** The scope that an access token must have. Cognito writes a scope as `<resource server>/<scope>`. */
export const DASHBOARD_RESOURCE_SERVER = 'va-wave-dashboard';
export const DASHBOARD_SCOPE_NAME = 'use';
export const DASHBOARD_SCOPE = `${DASHBOARD_RESOURCE_SERVER}/${DASHBOARD_SCOPE_NAME}`;

/** An operation of the dashboard's API: its route, and who may use it. */
export type Operation = {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** Below DASHBOARD_API_PATH. */
  readonly path: string;
  /** The role that the caller needs in the organization of the path. `user` means every user who is logged in. */
  readonly role: Role | 'user';
  /** @default 200 */
  readonly status?: 200 | 201;
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
    summary: 'Returns the user who is logged in and the organizations of that user',
  },
  checkHosts: {
    method: 'POST',
    path: '/check-hosts',
    role: 'user',
    summary: 'Normalizes hosts and IP addresses as a save does, and says whether a widget on a page would start',
  },
  listAssistants: {
    method: 'GET',
    path: `${organization}/assistants`,
    role: 'member',
    summary: `Lists the assistants of an organization, ${ASSISTANTS_PER_PAGE} in a page; \`after\` is the \`next\` of the page before`,
  },
  createAssistant: {
    method: 'POST',
    path: `${organization}/assistants`,
    role: 'admin',
    status: 201,
    summary: 'Creates an assistant, once per idempotency key',
  },
  getAssistant: { method: 'GET', path: assistant, role: 'member', summary: 'Returns an assistant' },
  updateAssistant: {
    method: 'PATCH',
    path: assistant,
    role: 'admin',
    summary: 'Changes the named settings of an assistant; refused unless `version` is the current one',
  },
  generateServerSecret: {
    method: 'POST',
    path: `${assistant}/server-secret`,
    role: 'admin',
    summary: 'Generates or replaces the server secret; only this response contains its full value',
  },
  getInstallation: {
    method: 'GET',
    path: `${assistant}/installation`,
    role: 'member',
    summary: 'Counts the accepted requests of the widget and the customer backend in the last 24 hours',
  },
  listActions: {
    method: 'GET',
    path: `${organization}/actions`,
    role: 'member',
    summary: 'Lists the Actions of all assistants of an organization',
  },
  createAction: {
    method: 'POST',
    path: `${assistant}/actions`,
    role: 'admin',
    status: 201,
    summary: 'Creates an Action, once per idempotency key',
  },
  getAction: { method: 'GET', path: action, role: 'member', summary: 'Returns an Action' },
  updateAction: {
    method: 'PATCH',
    path: action,
    role: 'admin',
    summary:
      'Changes the named settings of an Action; null removes an optional one; refused unless `version` is the current one',
  },
  deleteAction: {
    method: 'DELETE',
    path: action,
    role: 'admin',
    summary: 'Deletes an Action; refused unless `version` is the current one',
  },
  testAction: {
    method: 'POST',
    path: `${action}/test`,
    role: 'admin',
    summary: 'Sends a real signed request to the endpoint and returns the result',
  },
  listMembers: {
    method: 'GET',
    path: `${organization}/members`,
    role: 'member',
    summary: 'Lists the users of the dashboard of an organization, by email address',
  },
  listAudit: {
    method: 'GET',
    path: `${organization}/audit`,
    role: 'admin',
    summary: `Lists changes with their author, operation and time, the newest first, ${AUDIT_PER_PAGE} in a page; \`after\` is the \`next\` of the page before`,
  },
} as const satisfies Record<string, Operation>;

export type DashboardOperation = keyof typeof DASHBOARD_OPERATIONS;
export const DASHBOARD_OPERATION_NAMES = Object.keys(DASHBOARD_OPERATIONS).filter(
  (name): name is DashboardOperation => name in DASHBOARD_OPERATIONS,
);
