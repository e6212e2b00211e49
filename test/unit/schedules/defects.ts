import type { DynamoDb } from '../../../src/adapters/dynamodb/client.ts';
import { deliveryLog } from '../../../src/adapters/dynamodb/delivery-log-table.ts';
import { ringStore } from '../../../src/adapters/secrets/secret-store.ts';
import type { Action, AiAction } from '../../../src/contract/actions.ts';
import type { Assistant } from '../../../src/contract/assistants.ts';
import type { AttemptResult } from '../../../src/contract/delivery-record.ts';
import type { Membership } from '../../../src/contract/organizations.ts';
import { rotateRing } from '../../../src/domain/auth/key-ring.ts';
import type { Conversations, DeliveryLog, Hit } from '../../../src/domain/context.ts';
import { unixSeconds } from '../../../src/domain/sources.ts';
import { anAssistant, SITE_ID } from '../../fakes/configuration.ts';
import type { World } from '../../fakes/world.ts';
import { type DeletionDefects, deletions } from './deletions.ts';
import { Deliveries, type DeliveryDefects, type DispatcherContext, nameOf } from './deliveries.ts';
import { keys } from './keys.ts';
import { actions, calls, type FormContext, forms, inFlight, sessions } from './limits.ts';
import type { Scenario } from './schedule.ts';

/** A defect that needs more schedules than this is not found well enough. */
export const MOST_PER_DEFECT = 20_000;

const SUCCESS: AttemptResult = { status: 200, response_excerpt: '', latency_ms: 1, success: true, error: null };

/** Replaces functions of the delivery log. */
const inLog = (change: (log: DeliveryLog) => Partial<DeliveryLog>): DeliveryDefects => ({
  dispatcher: (context) => ({ ...context, deliveryLog: { ...context.deliveryLog, ...change(context.deliveryLog) } }),
});
type Written = Awaited<ReturnType<DynamoDb['writeEach']>>;
/** Changes the results of shared calls that write to the delivery log. */
const inWrites = (change: (results: Written) => Written): DeliveryDefects => ({
  dispatcher: (context, { dynamo, now }) => {
    const writeEach: DynamoDb['writeEach'] = async (...call) => change(await dynamo.writeEach(...call));
    return { ...context, deliveryLog: deliveryLog({ ...dynamo, writeEach }, 'log', { retentionDays: 30, now }) };
  },
});
type SendLater = DispatcherContext['queue']['sendLater'];
const inRetries = (change: (sendLater: SendLater) => SendLater): DeliveryDefects => ({
  dispatcher: ({ queue, ...context }) => ({ ...context, queue: { ...queue, sendLater: change(queue.sendLater) } }),
});
type FindAction = DispatcherContext['findAction'];
const inActions = (change: (findAction: FindAction) => FindAction): DeliveryDefects => ({
  dispatcher: (context) => ({ ...context, findAction: change(context.findAction) }),
});

/** Defects of event deliveries, each in one place. */
const DELIVERY_DEFECTS: Readonly<Record<string, DeliveryDefects>> = {
  'no claim': inLog(() => ({ claim: async () => ({ kind: 'claimed' }) })),
  'a refused write counts as made': inWrites((results) => results.map(() => undefined)),
  'the record is completed before the request': inLog((log) => ({
    claim: async (start) => {
      const claim = await log.claim(start);
      if (claim.kind === 'claimed') await log.complete(start, SUCCESS);
      return claim;
    },
    complete: async (start, result) => (result.success ? undefined : log.complete(start, result)),
  })),
  'the retry is scheduled before the record is completed': {
    dispatcher: ({ deliveryLog: log, queue, ...context }) => {
      const later = new Map<string, () => Promise<void>>();
      return {
        ...context,
        deliveryLog: {
          ...log,
          complete: async (start, result) => {
            if (result.success) return log.complete(start, result);
            const complete = () => log.complete(start, result);
            if (result.status === 404 || start.attempt === 3) return complete();
            later.set(nameOf(start), complete);
          },
        },
        queue: {
          ...queue,
          sendLater: async (message, seconds) => {
            await queue.sendLater(message, seconds);
            await later.get(`${message.envelope.id} ${message.action_id} ${message.attempt - 1}`)?.();
          },
        },
      };
    },
  },
  'a retry that cannot be queued is forgotten': inRetries(
    (sendLater) => (message, seconds) => sendLater(message, seconds).catch(() => undefined),
  ),
  'a retry has the number of the attempt before': inRetries(
    (sendLater) => (message, seconds) => sendLater({ ...message, attempt: message.attempt - 1 }, seconds),
  ),
  'a retry is a second too early': inRetries((sendLater) => (message, seconds) => sendLater(message, seconds - 1)),
  'a message in progress is handled again': inLog(({ claim }) => ({
    claim: async (start) => {
      const made = await claim(start);
      return made.kind === 'in_progress' ? { kind: 'resumed' } : made;
    },
  })),
  'a finished attempt does not schedule its retry again': inLog(({ claim }) => ({
    claim: async (start) => {
      const made = await claim(start);
      return made.kind === 'finished' ? { kind: 'finished', result: SUCCESS } : made;
    },
  })),
  'an attempt that was cut off is not made again': inLog(({ claim }) => ({
    claim: async (start) => {
      const made = await claim(start);
      return made.kind === 'resumed' ? { kind: 'finished', result: SUCCESS } : made;
    },
  })),
  'an Action that is switched off ends the attempt in progress': inLog((log) => {
    const ending =
      (record: DeliveryLog['abandon']): DeliveryLog['abandon'] =>
      async (start, error) => {
        const standing = await record(start, error);
        if (standing?.kind !== 'in_progress') return standing;
        return log.complete(start, { ...SUCCESS, success: false, error }).then(() => undefined);
      };
    return { recordUnsent: ending(log.recordUnsent), abandon: ending(log.abandon) };
  }),
  'an Action is read from a cache': inActions((findAction) => {
    const known = new Map<string, Action | undefined>();
    return async (orgId, actionId) => {
      if (!known.has(actionId)) known.set(actionId, await findAction(orgId, actionId));
      return known.get(actionId);
    };
  }),
  'the results of a shared call are mixed up': inWrites((results) => results.toReversed()),
  'a call that throws leaves its callers open': inActions(
    (findAction) =>
      (...ids) =>
        findAction(...ids).catch(() => new Promise(() => {})),
  ),
  'the deadline of an invocation is ignored': {
    request: (send) => (request, policy, invocation) =>
      send(request, policy, { ...invocation, signal: new AbortController().signal }),
  },
  'a retry waits for the other requests of its batch': {
    batch: ({ send, queue }) => {
      const requests: Promise<unknown>[] = [];
      return {
        send: (...request) => {
          const outcome = send(...request);
          requests.push(outcome);
          return outcome;
        },
        queue: {
          ...queue,
          sendLater: async (message, seconds) => {
            await Promise.allSettled(requests);
            await queue.sendLater(message, seconds);
          },
        },
      };
    },
  },
  'one message fails its whole batch': {
    batchResult: (response, all) =>
      response.batchItemFailures.length === 0
        ? response
        : { batchItemFailures: all.map((itemIdentifier) => ({ itemIdentifier })) },
  },
  'a failed message is deleted': {
    batchResult: () => ({ batchItemFailures: [] }),
  },
  'each environment counts the quota alone': {
    hitPerDay: () => hitsInMemory(86_400_000),
  },
  'an erasure misses the logs of deleted Actions': {
    erasure: (erasure) => ({ ...erasure, logsOfDeletedActions: async () => [] }),
  },
  'a delivery that cannot be sent is left out by the router': {
    router: ({ queue, ...context }) => ({
      ...context,
      queue: { ...queue, send: (messages) => queue.send(messages).catch(() => ({ tooLarge: [] })) },
    }),
  },
};

const inCalls =
  (change: (own: Conversations, dynamo: DynamoDb) => Partial<Conversations>): Scenario =>
  (world) =>
    calls(world, {
      tool: ({ conversations, ...context }, dynamo) => ({
        ...context,
        conversations: { ...conversations, ...change(conversations, dynamo) },
      }),
    });
const inForms =
  (change: (context: FormContext) => Partial<FormContext>): Scenario =>
  (world) =>
    forms(world, { form: (context) => ({ ...context, ...change(context) }) });
/** Takes this for the outcome of every submission for which there is a topic. */
const escalated = (outcome: 'accepted' | 'failed') =>
  inForms(({ escalate }) => ({
    escalate: async (...submission) => ((await escalate(...submission)) === 'none' ? 'none' : outcome),
  }));

/** Defects of what else has a limit, and of keys. */
const OTHER_DEFECTS: Readonly<Record<string, Scenario>> = {
  'the five calls are read and then written': inCalls((_, dynamo) => ({
    countCall: async ({ conversationId, actionId }, limit) => {
      const Key = { pk: conversationId, sk: actionId };
      const { Item } = await dynamo.get({ TableName: 'conversations', Key });
      const count = Number(Item?.calls ?? 0);
      if (count >= limit) return 'limit_reached';
      await dynamo.putItem({ TableName: 'conversations', Item: { ...Key, calls: count + 1 } });
      return 'counted';
    },
  })),
  'a call that cannot be counted is made': inCalls(({ countCall }) => ({
    countCall: (call, limit) => countCall(call, limit).catch(() => 'counted' as const),
  })),
  'an AI-decided Action is read from a cache': (world) => {
    let known: AiAction | undefined;
    return calls(world, {
      tool: ({ configuration, ...context }) => ({
        ...context,
        configuration: {
          ...configuration,
          findTool: async (siteId, slug) => {
            known ??= await configuration.findTool(siteId, slug);
            return known;
          },
        },
      }),
    });
  },
  'each environment counts the sessions of an address alone': (world) =>
    sessions(world, {
      session: ({ counters, ...context }) => ({ ...context, counters: { ...counters, hitPerMinute: hitsInMemory() } }),
    }),
  'the submissions of each clock minute are counted': (world) => {
    const hitPerMinute = hitsInMemory(60_000);
    return inForms(({ counters }) => ({ counters: { ...counters, hitPerMinute } }))(world);
  },
  'a submission is claimed by every request with its key': inForms(({ conversations }) => ({
    conversations: {
      ...conversations,
      claimSubmission: async (key, ids, now) => {
        const claim = await conversations.claimSubmission(key, ids, now);
        return claim.kind === 'in_progress' ? { kind: 'claimed', submissionId: ids.submissionId } : claim;
      },
    },
  })),
  'what a topic accepts does not count': escalated('failed'),
  'what no topic accepts counts as accepted': escalated('accepted'),
  'places in flight are read and then taken': (world) =>
    inFlight(world, {
      lease: (_, dynamo) => async (_org, now) => {
        const Key = { pk: 'in-flight' };
        const { Item } = await dynamo.get({ TableName: 'counters', Key });
        const open = Number(Item?.open ?? 0);
        if (open >= 2) return undefined;
        await dynamo.putItem({ TableName: 'counters', Item: { ...Key, open: open + 1, at: now.getTime() } });
        return { release: async () => dynamo.putItem({ TableName: 'counters', Item: { ...Key, open } }) };
      },
    }),
  'a place in flight is not given back': (world) =>
    inFlight(world, {
      lease: (takeLease) => async (orgId, now) => {
        const lease = await takeLease(orgId, now);
        return lease && { release: async () => {} };
      },
    }),
  'a new key signs before every container knows it': (world) =>
    keys(world, {
      rotate: (ring, now, randomBytes) => {
        const [{ kid, key }, ...others] = rotateRing(ring, now, randomBytes);
        return [{ kid, key, active_from: unixSeconds(now) }, ...others];
      },
    }),
  'a key is removed when the next one signs': (world) =>
    keys(world, {
      rotate: (ring, now, randomBytes) => {
        const [next] = rotateRing(ring, now, randomBytes);
        return [next, ring[0]];
      },
    }),
  'a rotation overwrites what it has not read': (world) =>
    keys(world, {
      store: (client, secretId) => {
        const { readRing: read, replace } = ringStore(client, secretId);
        return { readRing: read, replace: async (_, ring) => replace(await read(), ring) };
      },
    }),
  'Actions are counted without the limit': (world) =>
    actions(world, { dashboard: (dynamo) => without(dynamo, 'action_count < :limit AND ') }),
  'a creation does not compare the restrictions of its organization': (world) =>
    actions(world, {
      dashboard: (dynamo) =>
        without(dynamo, ' AND (attribute_not_exists(organization.suspended) OR organization.suspended = :suspended)'),
    }),
};

/** Defects of deletions, and of what else must be refused at once. */
const DELETION_DEFECTS: Readonly<Record<string, DeletionDefects>> = {
  'an Action is created in an assistant that is being deleted': {
    dynamo: (dynamo) => without(dynamo, ' AND attribute_not_exists(assistant.deleting)'),
  },
  'an assistant is created in an organization that is being deleted': {
    dynamo: (dynamo) => without(dynamo, ' AND attribute_not_exists(organization.deleting)'),
  },
  'a deletion does not wait for requests in progress': {
    erase: (eraseContext) => ({ ...eraseContext, pause: async () => {} }),
  },
  'a deletion sweeps the conversations before it waits': {
    erase: ({ erasure, pause, ...eraseContext }) => ({
      ...eraseContext,
      pause: async (delay) => {
        await erasure.eraseConversations(SITE_ID, async () => {});
        await pause(delay);
      },
      erasure: { ...erasure, eraseConversations: async () => 0 },
    }),
  },
  'a usage report is made for a deleted assistant': {
    configuration: (reads) => ({
      ...reads,
      findAssistant: async (siteId) => (await reads.findAssistant(siteId)) ?? anAssistant({ enabled: false }),
    }),
  },
  'a delivery of a deleted Action is recorded': {
    log: (log) => ({ ...log, abandon: async (...unsent) => void (await log.recordUnsent(...unsent)) }),
  },
  'members are read from a cache': (() => {
    const known = new WeakMap<World, Membership>();
    return {
      members: (members, world) => ({
        ...members,
        findMembership: async (...ids) => {
          const found = known.get(world) ?? (await members.findMembership(...ids));
          if (found !== undefined) known.set(world, found);
          return found;
        },
      }),
    };
  })(),
  'an assistant is read from a cache': (() => {
    const known = new WeakMap<World, Assistant>();
    return {
      configuration: (reads, world) => ({
        ...reads,
        findAssistant: async (siteId) => {
          const found = known.get(world) ?? (await reads.findAssistant(siteId));
          if (found !== undefined) known.set(world, found);
          return found;
        },
      }),
    };
  })(),
  'an id is made of the idempotency key, and the key is forgotten': {
    randomBytes: (size) => Buffer.alloc(size, 9),
    dynamo: (dynamo) => ({
      ...dynamo,
      transactWrite: (items) =>
        dynamo.transactWrite(items.filter(({ Put }) => !String(Put?.Item?.sk).startsWith('CREATED#'))),
    }),
  },
};

/** Scenarios with one defect each. The schedules must find every one of them. */
export const DEFECTS: readonly (readonly [name: string, run: Scenario])[] = [
  ...Object.entries(DELIVERY_DEFECTS).map(([name, defects]): readonly [string, Scenario] => [
    name,
    (world) => new Deliveries(world, defects).run(),
  ]),
  ...Object.entries(DELETION_DEFECTS).map(([name, defects]): readonly [string, Scenario] => [
    name,
    (world) => deletions(world, defects),
  ]),
  ...Object.entries(OTHER_DEFECTS),
];

/** Counts hits outside the table. @param windowMs counts in clock windows of this length. @default in any minute */
function hitsInMemory(windowMs?: number): Hit {
  const hits: number[] = [];
  return async (_, limit, now) => {
    const time = now.getTime();
    const since = windowMs === undefined ? time - 60_000 : Math.floor(time / windowMs) * windowMs - 1;
    if (hits.filter((at) => at > since).length >= limit) return { isAllowed: false, retryAfterSeconds: 1 };
    hits.push(time);
    return { isAllowed: true };
  };
}

/** Leaves a part out of the conditions of transactions. */
function without(dynamo: DynamoDb, part: string): DynamoDb {
  return {
    ...dynamo,
    transactWrite: (items) =>
      dynamo.transactWrite(
        items.map(({ Update, ConditionCheck, ...item }) => ({
          ...item,
          ...(Update && {
            Update: { ...Update, ConditionExpression: Update.ConditionExpression?.replace(part, '') },
          }),
          ...(ConditionCheck && {
            ConditionCheck: {
              ...ConditionCheck,
              ConditionExpression: ConditionCheck.ConditionExpression?.replace(part, ''),
            },
          }),
        })),
      ),
  };
}
