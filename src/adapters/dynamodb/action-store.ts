import type { Action } from '../../contract/actions.ts';
import { ACTIONS_PER_ORGANIZATION } from '../../contract/limits.ts';
import type { ConfigurationStore } from '../../domain/organizations/store.ts';
import { KEYS } from './configuration-keys.ts';
import {
  ABSENT,
  type ConfigurationTransaction,
  hasRestrictionsOf,
  sameRestrictions,
} from './configuration-transaction.ts';

type Calls = 'createAction' | 'replaceAction' | 'deleteAction';

/** Creates the part of the configuration store that changes Actions. */
export function actionStore(
  table: string,
  { put, remove, replace, atVersion, transact }: ConfigurationTransaction,
  { findOrganization }: Pick<ConfigurationStore, 'findOrganization'>,
): Pick<ConfigurationStore, Calls> {
  const actionItem = (action: Action) => ({ ...KEYS.action(action.org_id, action.action_id), action });

  /** Event Actions are not called by their slug, so they need no unique one. */
  const slugItems = (action: Action) =>
    action.trigger === 'Event'
      ? []
      : [
          {
            ...KEYS.slug(action.site_id, action.trigger, action.slug),
            org_id: action.org_id,
            action_id: action.action_id,
          },
        ];

  const oneMoreVersion = 'ADD subscriptions_version :one';
  /** Makes the event-router read the subscriptions again (subscriptions.ts), after a change of an Event Action. */
  const newSubscriptions = ({ trigger, org_id }: Action) =>
    trigger !== 'Event'
      ? []
      : [
          {
            Update: {
              TableName: table,
              Key: KEYS.organization(org_id),
              UpdateExpression: oneMoreVersion,
              ConditionExpression: 'attribute_exists(pk)',
              ExpressionAttributeValues: { ':one': 1 },
            },
          },
        ];

  return {
    createAction: async (action) => {
      const { expression, values } = sameRestrictions(action);
      const failed = await transact(
        { entity: 'action', next: action },
        {
          organization: {
            Update: {
              TableName: table,
              Key: KEYS.organization(action.org_id),
              UpdateExpression: `SET action_count = action_count + :one ${oneMoreVersion}`,
              ConditionExpression: `action_count < :limit AND ${expression}`,
              ExpressionAttributeValues: { ...values, ':one': 1, ':limit': ACTIONS_PER_ORGANIZATION },
            },
          },
          action: put(actionItem(action), ABSENT),
          owner: put({ ...KEYS.actionOwner(action.action_id), org_id: action.org_id }),
          slug: slugItems(action).map((item) => put(item, ABSENT)),
        },
      );
      if (failed.length === 0) return 'created';
      if (!failed.includes('organization')) return 'slug_taken';
      const organization = await findOrganization(action.org_id);
      return organization !== undefined && hasRestrictionsOf(action, organization)
        ? 'too_many'
        : 'organization_changed';
    },

    replaceAction: async (previous, next) => {
      const slugChanged = previous.slug !== next.slug;
      const failed = await transact(
        { entity: 'action', previous, next },
        {
          action: replace(KEYS.action(next.org_id, next.action_id), 'action', next, previous.version),
          formerSlug: slugChanged ? slugItems(previous).map(({ pk, sk }) => remove({ pk, sk })) : [],
          slug: slugChanged ? slugItems(next).map((item) => put(item, ABSENT)) : [],
          subscriptions: newSubscriptions(next),
        },
      );
      if (failed.length === 0) return 'replaced';
      return failed.includes('slug') && !failed.includes('action') ? 'slug_taken' : 'stale';
    },

    deleteAction: async (action) => {
      const failed = await transact(
        { entity: 'action', previous: action },
        {
          action: {
            Delete: {
              TableName: table,
              Key: KEYS.action(action.org_id, action.action_id),
              ...atVersion('action', action.version),
            },
          },
          owner: remove(KEYS.actionOwner(action.action_id)),
          log: put(KEYS.logOfDeletedAction(action.org_id, action.site_id, action.action_id)),
          slug: slugItems(action).map(({ pk, sk }) => remove({ pk, sk })),
          organization: {
            Update: {
              TableName: table,
              Key: KEYS.organization(action.org_id),
              UpdateExpression: `SET action_count = action_count - :one ${oneMoreVersion}`,
              ConditionExpression: 'action_count > :none',
              ExpressionAttributeValues: { ':one': 1, ':none': 0 },
            },
          },
        },
      );
      return failed.length === 0;
    },
  };
}
