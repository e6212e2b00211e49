import type { Action } from '../src/contract/actions.ts';
import type { Assistant } from '../src/contract/assistants.ts';
import type { Row } from './output.ts';

type Fields = (readonly [string, string])[];

/** Returns an assistant for output, with only the last six characters of its server secret. */
export function assistantView(assistant: Assistant): Omit<Assistant, 'server_secret'> & {
  readonly server_secret: { readonly last_six: string } | null;
} {
  const { server_secret, site_id, org_id, ...rest } = assistant;
  return {
    site_id,
    org_id,
    ...rest,
    server_secret: server_secret === undefined ? null : { last_six: server_secret.last_six },
  };
}

export function assistantRow(assistant: Assistant): Row {
  return {
    site_id: assistant.site_id,
    status: status(assistant),
    mode: assistant.authentication_mode,
    domain: assistant.domain,
    name: assistant.name,
  };
}

/** Returns an Action for output, without its sealed signing secret. */
export function actionView(action: Action): object {
  const { sealed_signing_secret, ...rest } = action;
  return rest;
}

export function actionFields(action: Action): Fields {
  return [
    ['action_id', action.action_id],
    ['site_id', action.site_id],
    ['org_id', action.org_id],
    ['name', action.name],
    ['trigger', action.trigger],
    ['endpoint', `${action.method} ${action.url}`],
    ['status', status(action)],
    ...triggerFields(action),
    ['updated', action.updated_at],
  ];
}

function triggerFields(action: Action): Fields {
  switch (action.trigger) {
    case 'Event':
      return [['events', action.events.join(', ')]];
    case 'AI-decided':
      return [
        ['tool', action.slug],
        ['description', action.description],
        ['parameters', Object.keys(action.parameters?.properties ?? {}).join(', ')],
        ['response', action.feed_response_back ? 'fed back to the assistant' : 'not read back'],
        [
          'response field map',
          Object.entries(action.response_field_map ?? {})
            .map(([name, path]) => `${name}=${path}`)
            .join(', '),
        ],
      ];
    case 'Form':
      return [
        ['form', action.slug],
        ...action.form_fields.map((field): [string, string] => [
          'field',
          `${field.key}: ${field.label} (${field.type}${field.required ? ', Required' : ''})`,
        ]),
      ];
  }
}

export function actionRow(action: Action): Row {
  return {
    action_id: action.action_id,
    trigger: action.trigger,
    status: status(action),
    site_id: action.site_id,
    endpoint: `${action.method} ${action.url}`,
    name: action.name,
  };
}

const status = ({ enabled, suspended }: { readonly enabled: boolean; readonly suspended?: boolean }) =>
  suspended ? 'suspended' : enabled ? 'on' : 'off';
