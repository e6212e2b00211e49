import { actionsTogether } from '../../src/adapters/dynamodb/actions-together.ts';
import type { DynamoDb } from '../../src/adapters/dynamodb/client.ts';
import { deliveryLog } from '../../src/adapters/dynamodb/delivery-log.ts';
import { writesTogether } from '../../src/adapters/dynamodb/writes-together.ts';
import type { Action } from '../../src/contract/actions.ts';
import type { AttemptResult, AttemptStart } from '../../src/domain/delivery/delivery-log.ts';
import { Deliveries, type DeliveryDefects } from './deliveries.ts';
import type { Scenario } from './schedule.ts';

/** A defect that needs more schedules than this is not found well enough. */
export const MOST_PER_DEFECT = 20_000;

const SUCCESS: AttemptResult = { status: 200, response_excerpt: '', latency_ms: 1, success: true, error: null };

/** Defects of event deliveries, each in one place. */
const DELIVERY_DEFECTS: Readonly<Record<string, DeliveryDefects>> = {
  'no claim': {
    dispatcher: (ports) => ({ ...ports, log: { ...ports.log, claim: async () => ({ kind: 'claimed' }) } }),
  },
  'a claim is written without its condition': {
    dispatcher: (ports, { dynamo }) => ({
      ...ports,
      log: log(ports, {
        ...dynamo,
        put: ({ ConditionExpression: _, ...input }) => dynamo.put(input),
        writeEach: async (statements) => statements.map(() => false),
      }),
    }),
  },
  'the record is completed before the request': {
    dispatcher: (ports) => ({
      ...ports,
      log: {
        ...ports.log,
        claim: async (start) => {
          const claim = await ports.log.claim(start);
          if (claim.kind === 'claimed') await ports.log.complete(start, SUCCESS);
          return claim;
        },
        complete: async (start, result) => (result.success ? undefined : ports.log.complete(start, result)),
      },
    }),
  },
  'the retry is scheduled before the record is completed': {
    dispatcher: (ports) => {
      const later = new Map<string, () => Promise<void>>();
      const nameOf = ({ reference, action_id, attempt }: AttemptStart) => `${reference} ${action_id} ${attempt}`;
      return {
        ...ports,
        log: {
          ...ports.log,
          complete: async (start, result) => {
            if (result.success) return ports.log.complete(start, result);
            const complete = () => ports.log.complete(start, result);
            if (result.status === 404 || start.attempt === 3) return complete();
            later.set(nameOf(start), complete);
          },
        },
        sendLater: async (message, seconds) => {
          await ports.sendLater(message, seconds);
          await later.get(`${message.envelope.id} ${message.action_id} ${message.attempt - 1}`)?.();
        },
      };
    },
  },
  'a retry that cannot be queued is forgotten': {
    dispatcher: (ports) => ({
      ...ports,
      sendLater: (message, seconds) => ports.sendLater(message, seconds).catch(() => undefined),
    }),
  },
  'a retry has the number of the attempt before': {
    dispatcher: (ports) => ({
      ...ports,
      sendLater: (message, seconds) => ports.sendLater({ ...message, attempt: message.attempt - 1 }, seconds),
    }),
  },
  'a retry is a second too early': {
    dispatcher: (ports) => ({ ...ports, sendLater: (message, seconds) => ports.sendLater(message, seconds - 1) }),
  },
  'a message in progress is handled again': {
    dispatcher: (ports) => ({
      ...ports,
      log: {
        ...ports.log,
        claim: async (start) => {
          const claim = await ports.log.claim(start);
          return claim.kind === 'in_progress' ? { kind: 'resumed' } : claim;
        },
      },
    }),
  },
  'a finished attempt does not schedule its retry again': {
    dispatcher: (ports) => ({
      ...ports,
      log: {
        ...ports.log,
        claim: async (start) => {
          const claim = await ports.log.claim(start);
          return claim.kind === 'finished' ? { kind: 'taken' } : claim;
        },
      },
    }),
  },
  'an Action is read from a cache': {
    dispatcher: (ports) => {
      const known = new Map<string, Action | undefined>();
      return {
        ...ports,
        findAction: async (orgId, actionId) => {
          if (!known.has(actionId)) known.set(actionId, await ports.findAction(orgId, actionId));
          return known.get(actionId);
        },
      };
    },
  },
  'the results of a shared call are mixed up': {
    dispatcher: (ports, { dynamo }) => ({
      ...ports,
      log: log(ports, {
        ...dynamo,
        writeEach: async (statements) => (await dynamo.writeEach(statements)).toReversed(),
      }),
    }),
  },
  'a call that throws leaves its callers open': {
    dispatcher: (ports, { dynamo }) => ({ ...ports, findAction: findActionWith(dynamo, 'throws') }),
  },
  'a call that fails is the last one': {
    dispatcher: (ports, { dynamo }) => ({ ...ports, findAction: findActionWith(dynamo, 'wakes nobody') }),
  },
  'the deadline of an invocation is ignored': {
    request: (makeAttempt) => (request) => makeAttempt(request),
  },
  'a retry waits for the other requests of its batch': {
    batch: ({ makeAttempt, sendLater }) => {
      const requests: Promise<unknown>[] = [];
      return {
        makeAttempt: (request, ended) => {
          const outcome = makeAttempt(request, ended);
          requests.push(outcome);
          return outcome;
        },
        sendLater: async (message, seconds) => {
          await Promise.allSettled(requests);
          await sendLater(message, seconds);
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
  'a delivery that cannot be sent is left out by the router': {
    router: (ports) => ({
      ...ports,
      send: (messages) => ports.send(messages).catch(() => ({ tooLarge: [] })),
    }),
  },
};

/** Scenarios with one defect each. The schedules must find every one of them. */
export const DEFECTS: readonly (readonly [name: string, run: Scenario])[] = Object.entries(DELIVERY_DEFECTS).map(
  ([name, defects]) => [name, (world) => new Deliveries(world, defects).run()],
);

/** The delivery log over another client. */
function log(ports: { readonly now: () => Date }, dynamo: DynamoDb) {
  const writes = { claims: writesTogether(dynamo, 'log'), completions: writesTogether(dynamo, 'log') };
  return deliveryLog(dynamo, 'log', { retentionDays: 30, now: ports.now, writes });
}

/** Combines reads as an earlier version did: `throws` settles nobody after an error, `wakes nobody` makes no call after one. */
function findActionWith(dynamo: DynamoDb, defect: 'throws' | 'wakes nobody') {
  let waiting: (() => void)[] = [];
  let failing: ((cause: unknown) => void)[] = [];
  let running = false;
  const run = async () => {
    const [resolved, rejected] = [waiting, failing];
    [waiting, failing] = [[], []];
    if (defect === 'throws') running = false;
    try {
      await dynamo.batchGet({ TableName: 'configuration', Keys: [], ConsistentRead: true });
      running = false;
      for (const resolve of resolved) resolve();
      if (waiting.length > 0) start();
    } catch (cause) {
      if (defect === 'wakes nobody') for (const reject of rejected) reject(cause);
    }
  };
  const start = () => {
    running = true;
    setImmediate(run);
  };
  const find = actionsTogether(dynamo, 'configuration');
  return async (orgId: string, actionId: string) => {
    await new Promise<void>((resolve, reject) => {
      waiting.push(resolve);
      failing.push(reject);
      if (!running) start();
    });
    return find(orgId, actionId);
  };
}
