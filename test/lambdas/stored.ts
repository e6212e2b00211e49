import type { Action } from '../../src/contract/actions.ts';
import type { Assistant } from '../../src/contract/assistants.ts';
import { aws } from './environment.ts';

export const TOKEN_KEY = { kid: 'k1', key: 'DontTellThisTokenKey'.repeat(4) };
export const SEALING_KEY = { kid: 's1', key: 'DontTellThisSealingKey'.repeat(4) };
export const ORIGIN_SECRET = 'DontTellThisOriginSecret';

/** An Action as the configuration table holds it. */
export function actionItem(action: Action): object {
  return { pk: `ORG#${action.org_id}`, sk: `ACTION#${action.action_id}`, action };
}

/** Makes AWS forget everything. It then has tables with nothing in them but these assistants, and the service's keys. */
export function store(...assistants: readonly Assistant[]): void {
  aws.reset();
  aws.on('GetItem', {}, {});
  aws.on('Query', {}, { Items: [] });
  aws.on('PutItem', {}, {});
  aws.on('UpdateItem', {}, {});
  for (const assistant of assistants) {
    const Key = { pk: `SITE#${assistant.site_id}`, sk: 'ASSISTANT' };
    aws.on('GetItem', { TableName: 'configuration', Key }, { Item: { ...Key, assistant } });
  }
  const held = {
    'token-keys': JSON.stringify(TOKEN_KEY),
    'sealing-key': JSON.stringify(SEALING_KEY),
    'origin-secret': ORIGIN_SECRET,
  };
  for (const [SecretId, SecretString] of Object.entries(held)) aws.on('GetSecretValue', { SecretId }, { SecretString });
}
