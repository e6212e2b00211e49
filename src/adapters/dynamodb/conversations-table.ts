import { randomUUID } from 'node:crypto';
import * as z from 'zod';
import { CONVERSATION_TTL_SECONDS } from '../../contract/limits.ts';
import { CONVERSATION } from '../../contract/widget.ts';
import type { Conversations, SubmissionKey } from '../../domain/context.ts';
import { type Clock, unixSeconds } from '../../domain/sources.ts';
import type { DynamoDb, StoredItem } from './client.ts';
import { ConditionFailed, whenConditionHolds } from './storage-errors.ts';
import { findItem, itemReader } from './stored-items.ts';

/** Seconds after which an unfinished submission counts as cut off by a crash. Longer than the 15 s timeout of form-submit. */
const SUBMISSION_STALE_SECONDS = 30;

const storedConversation = z.object(CONVERSATION);
/** Reads a conversation. `expires_at` is in Unix seconds. */
const readConversation = itemReader(z.object({ conversation: storedConversation, expires_at: z.number() }));
const readAnyItem = itemReader(z.object({ pk: z.string(), conversation: storedConversation.optional() }));

const readSubmission = itemReader(
  z.object({
    submission_id: z.string(),
    submission_state: z.enum(['sending', 'accepted', 'failed']),
    claim_id: z.string(),
    form_id: z.string(),
  }),
);

const callClaim = z.object({ claim_id: z.string(), arguments_hash: z.string() });

export const conversationKeyPrefix = (siteId: string) => `SITE#${siteId}#CONVERSATION#`;

/** Returns the partition key of a conversation and of its submissions and calls. */
export const conversationPartition = (siteId: string, conversationId: string) =>
  `${conversationKeyPrefix(siteId)}${conversationId}`;

/** Returns the conversation to which an item of the table belongs: its ids, from the key, and its other fields when this is its own item. */
export function conversationOf(table: string, item: StoredItem) {
  const { pk, conversation } = readAnyItem(table, item);
  const [, site_id = '', , conversation_id = ''] = pk.split('#');
  return { ...conversation, site_id, conversation_id };
}

/** Stores conversations, and the calls and form submissions in them. Each item expires a fixed time after it was last written; settling a submission does not prolong it. */
export function conversations(client: DynamoDb, table: string, now: Clock): Conversations {
  const submissionKey = (key: SubmissionKey) => ({
    pk: conversationPartition(key.siteId, key.conversationId),
    sk: `SUBMISSION#${key.clientKey}`,
  });

  return {
    findConversation: async (siteId, conversationId) => {
      const key = { pk: conversationPartition(siteId, conversationId), sk: 'CONVERSATION' };
      const storedConversation = await findItem(client, table, key, readConversation);
      // DynamoDB may delete expired items late.
      return storedConversation !== undefined && storedConversation.expires_at > unixSeconds(now())
        ? storedConversation.conversation
        : undefined;
    },

    saveConversation: async (conversation) => {
      await client.putItem({
        TableName: table,
        Item: {
          pk: conversationPartition(conversation.site_id, conversation.conversation_id),
          sk: 'CONVERSATION',
          conversation,
          expires_at: unixSeconds(now()) + CONVERSATION_TTL_SECONDS,
        },
      });
    },

    /** Counts a call in one conditional write, so that the limit is exact for concurrent calls. The key of each counted call is an attribute. */
    countCall: async ({ siteId, conversationId, actionId, idempotencyKey, argumentsHash }, limit) => {
      // Also of a call without a key: its write is recognised when the client repeats it because the answer was lost.
      const claim = { claim_id: randomUUID(), arguments_hash: argumentsHash };
      const keyAttribute = `KEY#${idempotencyKey ?? claim.claim_id}`;
      const countUpdate = client.update({
        TableName: table,
        Key: { pk: conversationPartition(siteId, conversationId), sk: `CALLS#${actionId}` },
        UpdateExpression: 'SET calls = if_not_exists(calls, :none) + :one, #key = :claim, expires_at = :expires',
        ConditionExpression: 'attribute_not_exists(#key) AND (attribute_not_exists(calls) OR calls < :limit)',
        ExpressionAttributeNames: { '#key': keyAttribute },
        ExpressionAttributeValues: {
          ':none': 0,
          ':one': 1,
          ':limit': limit,
          ':claim': claim,
          ':expires': unixSeconds(now()) + CONVERSATION_TTL_SECONDS,
        },
        ReturnValues: 'ALL_NEW',
        ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
      });
      const item = await itemAfter(countUpdate);
      if (item[keyAttribute] === undefined) return 'limit_reached';
      const storedClaim = callClaim.parse(item[keyAttribute]);
      if (storedClaim.claim_id === claim.claim_id) return 'counted';
      return storedClaim.arguments_hash === argumentsHash ? 'already_called' : 'other_arguments';
    },

    recordCall: async (record) => {
      await client.putItem({
        TableName: table,
        Item: {
          pk: conversationPartition(record.site_id, record.conversation_id),
          sk: `CALL#${record.called_at}#${record.call_id}`,
          call: record,
          expires_at: unixSeconds(now()) + CONVERSATION_TTL_SECONDS,
        },
      });
    },

    acceptedSubmission: async (key) => {
      const storedSubmission = await findItem(client, table, submissionKey(key), readSubmission);
      if (storedSubmission?.submission_state !== 'accepted') return undefined;
      return { formId: storedSubmission.form_id, submissionId: storedSubmission.submission_id };
    },

    /** Claims a submission in one conditional write, so that one of several concurrent submissions with the same key succeeds. */
    claimSubmission: async (key, { formId, submissionId }, at) => {
      // The id of the submission stays the same when a failed one is claimed again, so it does not identify a claim.
      const claim_id = randomUUID();
      const claimUpdate = client.update({
        TableName: table,
        Key: submissionKey(key),
        UpdateExpression:
          'SET submission_id = if_not_exists(submission_id, :id), submission_state = :sending, claim_id = :claim, form_id = :form, started_at = :now, expires_at = :expires',
        ConditionExpression:
          'attribute_not_exists(pk) OR (form_id = :form AND (submission_state = :failed OR (submission_state = :sending AND started_at < :stale)))',
        ExpressionAttributeValues: {
          ':id': submissionId,
          ':claim': claim_id,
          ':form': formId,
          ':sending': 'sending',
          ':failed': 'failed',
          ':now': unixSeconds(at),
          ':stale': unixSeconds(at) - SUBMISSION_STALE_SECONDS,
          ':expires': unixSeconds(at) + CONVERSATION_TTL_SECONDS,
        },
        ReturnValues: 'ALL_NEW',
        ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
      });
      const storedSubmission = readSubmission(table, await itemAfter(claimUpdate));
      // Also when the client repeated a claim whose answer was lost: the repetition is refused by the item of the first.
      if (storedSubmission.claim_id === claim_id)
        return { kind: 'claimed', submissionId: storedSubmission.submission_id };
      if (storedSubmission.form_id !== formId) return { kind: 'other_form' };
      return storedSubmission.submission_state === 'accepted'
        ? { kind: 'accepted', submissionId: storedSubmission.submission_id }
        : { kind: 'in_progress' };
    },

    settleSubmission: async (key, isAccepted) => {
      // The conversation may have been erased. Without the condition, the update would then create an item that never expires.
      await whenConditionHolds(
        client.update({
          TableName: table,
          Key: submissionKey(key),
          UpdateExpression: 'SET submission_state = :state',
          ConditionExpression: 'attribute_exists(pk)',
          ExpressionAttributeValues: { ':state': isAccepted ? 'accepted' : 'failed' },
        }),
      );
    },
  };
}

async function itemAfter(update: ReturnType<DynamoDb['update']>): Promise<StoredItem> {
  try {
    return (await update).Attributes ?? {};
  } catch (error) {
    if (error instanceof ConditionFailed) return error.item;
    throw error;
  }
}
