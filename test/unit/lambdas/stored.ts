import type { Action, FormAction } from '../../../src/contract/actions.ts';
import type { Assistant } from '../../../src/contract/assistants.ts';
import { aws } from './environment.ts';

export const TOKEN_KEY = { kid: 'k1', key: 'DontTellThisTokenKey'.repeat(4) };
export const SEALING_KEY = { kid: 's1', key: 'DontTellThisSealingKey'.repeat(4) };
export const ORIGIN_SECRET = 'DontTellThisOriginSecret';

/** Returns the item of an Action in the configuration table. */
export function actionItem(action: Action): object {
  return { pk: `ORG#${action.org_id}`, sk: `ACTION#${action.action_id}`, action };
}

/** Returns the item of the slug of a form. */
export function slugItem(action: FormAction): object {
  return { pk: `SITE#${action.site_id}`, sk: `SLUG#Form#${action.slug}`, action };
}

/** Resets the fake AWS services. They then have only these assistants and the keys of the service. */
export function store(...assistants: readonly Assistant[]): void {
  aws.reset();
  aws.on('GetItem', {}, {});
  aws.on('Query', {}, { Items: [] });
  aws.on('PartiQLInsert', {}, {});
  aws.on('PartiQLUpdate', {}, {});
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
