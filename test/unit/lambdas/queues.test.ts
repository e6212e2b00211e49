import { randomBytes } from 'node:crypto';
import type { Context, SQSBatchResponse, SQSEvent } from 'aws-lambda';
import { partitionOf } from '../../../src/adapters/dynamodb/delivery-records.ts';
import { METRICS } from '../../../src/deployment/metrics.ts';
import { sealSigningSecret } from '../../../src/domain/delivery/signing-secret.ts';
import { AwsFault } from '../../fakes/aws-services.ts';
import { anEventAction, ORG_ID, SITE_ID } from '../../fakes/configuration.ts';
import { DELIVERY, EVENT as STARTED } from '../../fakes/delivery.ts';
import { aws, STACK_NAME } from './environment.ts';
import { lambdaContext, lineOf, logged, metricsIn, REQUEST_ID, sqsEvent } from './invocation.ts';
import { actionItem, SEALING_KEY, store } from './stored.ts';

const { handler: router } = await import('../../../lambdas/event-router/handler.ts');
const { handler: dispatcher } = await import('../../../lambdas/dispatcher/handler.ts');

beforeEach(() => {
  store();
  aws.on('SendMessageBatch', {}, { Successful: [], Failed: [] });
});

async function run(
  handler: (event: SQSEvent, context: Context) => Promise<SQSBatchResponse>,
  ...bodies: (object | string)[]
) {
  const { result, log } = await logged(() => handler(sqsEvent(...bodies), lambdaContext()));
  return { failures: result.batchItemFailures.map((item) => item.itemIdentifier).sort(), log };
}

describe('event-router', () => {
  const EVENT = { ...STARTED, detail: { ...STARTED.detail, data: { text: 'private' } } };
  const sent = () => aws.callsOf('SendMessageBatch').flatMap((one) => one.Entries ?? []);
  beforeEach(() => {
    aws.on('BatchGetItem', {}, { Responses: { configuration: [{ pk: `ORG#${ORG_ID}`, sk: 'ORG' }] } });
    aws.on('Query', {}, { Items: [actionItem(anEventAction())] });
  });

  test('sends the messages of a batch of events in one call', async () => {
    expect((await run(router, EVENT, { ...EVENT, id: 'second' }, { ...EVENT, id: 'third' })).failures).toEqual([]);
    expect(aws.callsOf('SendMessageBatch')).toHaveLength(1);
    const ids = sent().map(({ MessageBody = '' }) => JSON.parse(MessageBody).envelope.id);
    expect(ids).toEqual([EVENT.id, 'second', 'third']);
    expect(sent().map(({ MessageGroupId }) => MessageGroupId)).toEqual(Array(3).fill('act_event'));
  });

  test('returns only the events that could not be routed', async () => {
    const refused = { Successful: [], Failed: [{ Id: '1', Code: 'InternalError' }] };
    aws.on('SendMessageBatch', {}, refused, { Successful: [], Failed: [{ Id: '0', Code: 'InternalError' }] });
    const { failures, log } = await run(router, EVENT, { ...EVENT, id: 'second' }, EVENT);
    expect(failures).toEqual(['message-1']);
    expect(log).not.toContain('private');
  });

  test('drops and logs a malformed event and returns text that is not JSON, without quoting either', async () => {
    const wrong = { ...EVENT, source: 'crm', detail: { org_id: ORG_ID, data: 'private' } };
    const { failures, log } = await run(router, wrong, 'private, not JSON', EVENT);
    expect(failures).toEqual(['message-1']);
    expect(lineOf(log, 'An event was dropped: its publisher must correct the field')).toMatchObject({
      message_id: 'message-0',
      event_id: EVENT.id,
      event: 'conversation.started',
      source: 'crm',
      field: 'detail.data',
    });
    expect(lineOf(log, METRICS.eventsDropped)).toMatchObject({ [METRICS.eventsDropped]: 1 });
    expect(log).not.toContain('private');
    expect(sent()).toHaveLength(1);
  });

  test('counts and logs an event of an organization that does not exist, and sends nothing', async () => {
    aws.on('BatchGetItem', {}, { Responses: { configuration: [] } });
    const { failures, log } = await run(router, EVENT);
    expect(failures).toEqual([]);
    expect(lineOf(log, 'An event names an organization or an assistant that does not exist')).toMatchObject({
      event_id: EVENT.id,
      field: 'org_id',
    });
    expect(lineOf(log, METRICS.eventsOfNobody)).toMatchObject({ [METRICS.eventsOfNobody]: 1 });
    expect(sent()).toEqual([]);
    expect(log).not.toContain('private');
  });

  test('keeps numbers that JavaScript cannot represent', async () => {
    const data =
      '{"id":12345678901234567890,"far":1e400,"zero":-0,"__proto__":{"a":1},"constructor":[9007199254740993]}';
    await run(router, JSON.stringify(EVENT).replace('{"text":"private"}', data));
    expect(sent().map((entry) => entry.MessageBody)).toEqual([expect.stringContaining(`"data":${data}`)]);
  });
});

describe('dispatcher', () => {
  /** An address that the outbound address rule refuses. */
  const action = anEventAction({
    url: 'https://127.0.0.1/hook',
    sealed_signing_secret: sealSigningSecret('whsec_DontTell', 'act_event', SEALING_KEY, randomBytes),
  });
  const MESSAGE = { ...DELIVERY, envelope: { ...DELIVERY.envelope, id: 'e-1', data: { text: 'private' } } };
  const completed = () =>
    aws
      .callsOf('PartiQLUpdate', { TableName: 'delivery-log' })
      .map(({ Set: { error } }) => (error instanceof Object && 'code' in error ? error.code : undefined));
  const stored = (attributes: object) => {
    const item = { pk: `ORG#${ORG_ID}`, sk: 'ACTION#act_event', ...attributes };
    aws.on('BatchGetItem', {}, { Responses: { configuration: [item] } });
  };
  beforeEach(() => {
    stored({ action });
  });

  test('sends numbers that JavaScript cannot represent, and keeps them for the next attempt', async () => {
    const data = '{"id":12345678901234567890,"far":1e400,"__proto__":{"a":1},"constructor":2}';
    stored({ action: { ...action, url: 'https://nowhere.example.com/' } });
    await run(dispatcher, JSON.stringify(MESSAGE).replace('{"text":"private"}', data));
    const completions = aws.callsOf('PartiQLUpdate', { TableName: 'delivery-log' });
    expect(completions.map((one) => String(one.Set.payload))).toEqual([expect.stringContaining(`"data":${data}`)]);
    const later = aws
      .callsOf('SendMessageBatch')
      .flatMap(({ QueueUrl, Entries = [] }) => Entries.map(({ MessageBody }) => [QueueUrl, String(MessageBody)]));
    expect(later).toEqual([[expect.stringMatching(/\/deliveries$/), expect.stringContaining(`"data":${data}`)]]);
  });

  test('a failure of the endpoint is recorded, and no message is returned', async () => {
    const { failures, log } = await run(dispatcher, MESSAGE);
    expect([failures, completed()]).toEqual([[], ['blocked_address']]);
    expect(aws.callsOf('SendMessageBatch')).toEqual([]);
    for (const secret of ['DontTell', 'private']) expect(log).not.toContain(secret);
    expect(lineOf(log, 'Attempted')).toMatchObject({
      function_request_id: REQUEST_ID,
      org_id: ORG_ID,
      site_id: SITE_ID,
      action_id: 'act_event',
      failure_code: 'blocked_address',
    });
  });

  test('only a message whose attempt cannot be claimed is returned', async () => {
    aws.on('PartiQLInsert', {}, {}, new AwsFault('ValidationError'), {});
    const { failures } = await run(dispatcher, MESSAGE, { ...MESSAGE, attempt: 2 }, { ...MESSAGE, attempt: 3 });
    expect(failures).toHaveLength(1);
    expect(completed()).toHaveLength(2);
  });

  test('a message whose claim DynamoDB throttles waits, is counted as throttled, and sends nothing', async () => {
    aws.on('PartiQLInsert', {}, new AwsFault('ProvisionedThroughputExceeded'));
    aws.on('ChangeMessageVisibility', {}, {});
    const { failures, log } = await run(dispatcher, MESSAGE);
    expect(failures).toEqual(['message-0']);
    expect(aws.callsOf('ChangeMessageVisibility')).toMatchObject([{ VisibilityTimeout: 30 }]);
    expect(log).toContain(`"${METRICS.deliveriesThrottled}":1`);
    expect(lineOf(log, 'A message becomes visible again later, because DynamoDB throttled its requests')).toMatchObject(
      {
        cause: { error: 'NotProcessed' },
      },
    );
    expect(completed()).toEqual([]);
  });

  describe('a message whose attempt another invocation is making', () => {
    const claimedAgo = (seconds: number) => {
      const Item = {
        pk: partitionOf('act_event', 'e-1'),
        sk: '2026-03-04T05:06:00Z#e-1#1',
        record: { trigger: 'event', trigger_ref: 'x', started_at: '2026-03-04T05:06:00Z' },
        payload_cut: false,
        claim_id: 'of the other one',
        claimed_at: Math.floor(Date.now() / 1000) - seconds,
        record_state: 'started',
        sends: 1,
      };
      aws.on('PartiQLInsert', {}, new AwsFault('DuplicateItem'));
      aws.on('BatchGetItem', { RequestItems: { 'delivery-log': {} } }, { Responses: { 'delivery-log': [Item] } });
    };
    const hidden = () => aws.callsOf('ChangeMessageVisibility').map(({ VisibilityTimeout }) => VisibilityTimeout);

    test('becomes visible again after that attempt must have ended, and nothing is sent', async () => {
      claimedAgo(12);
      aws.on('ChangeMessageVisibility', {}, {});
      const { failures, log } = await run(dispatcher, MESSAGE);
      expect(failures).toEqual(['message-0']);
      expect(hidden()).toHaveLength(1);
      expect(hidden()[0]).toBeGreaterThanOrEqual(7);
      expect(hidden()[0]).toBeLessThanOrEqual(8);
      expect(lineOf(log, 'A message becomes visible again after the attempt in progress')).toMatchObject({
        level: 'INFO',
      });
      expect(completed()).toEqual([]);
    });

    test('becomes visible again after the visibility timeout of the queue when the call fails', async () => {
      claimedAgo(1);
      aws.on('ChangeMessageVisibility', {}, new Error('away'));
      const { failures, log } = await run(dispatcher, MESSAGE);
      expect(failures).toEqual(['message-0']);
      expect(lineOf(log, 'The visibility of a message could not be changed')).toMatchObject({ level: 'ERROR' });
    });
  });

  test('the metrics of a batch have the names and dimensions that alarms and the dashboard read', async () => {
    aws.on('PartiQLUpdate', {}, new Error('away'));
    const second = { ...MESSAGE, envelope: { ...MESSAGE.envelope, id: 'e-2' } };
    const { log } = await run(dispatcher, MESSAGE, second);
    const latency = expect.arrayContaining([expect.any(Number)]);
    expect(log.match(/A delivery record could not be written/g)).toHaveLength(2);
    expect(log).not.toContain('private');
    expect(metricsIn(log)).toEqual([
      { service: STACK_NAME, outcome: 'blocked_address', [METRICS.attempts]: 2 },
      { service: STACK_NAME, attempt: '1', [METRICS.attempts]: 2 },
      { service: STACK_NAME, [METRICS.logWriteFailed]: [1, 1], [METRICS.attemptLatency]: latency },
    ]);
  });

  test('sends a request that could not be counted against its quota, and logs it', async () => {
    stored({ action: { ...action, daily_outbound_quota: 9 } });
    aws.on('UpdateItem', { TableName: 'counters' }, new Error('away'));
    const { failures, log } = await run(dispatcher, MESSAGE);
    expect([failures, completed()]).toEqual([[], ['blocked_address']]);
    expect(log).toContain('could not be counted');
  });

  test('a message of a newer version or a wrong shape is returned without being quoted', async () => {
    const { failures, log } = await run(dispatcher, { ...MESSAGE, version: 5 }, { ...MESSAGE, attempt: 4 }, 'private');
    expect(failures).toEqual(['message-0', 'message-1', 'message-2']);
    expect(log).not.toContain('private');
    expect(aws.callsOf('PartiQLInsert')).toEqual([]);
  });

  test('a message whose Action newer code stored is returned, and the log names the item', async () => {
    stored({ action, v: 2 });
    const { failures, log } = await run(dispatcher, MESSAGE);
    expect(failures).toEqual(['message-0']);
    expect(log).toContain('Table configuration holds an item of version 2');
    expect(aws.callsOf('PutItem')).toEqual([]);
  });
});

/** Faults of the service, and messages that cannot be read. */
const UNHANDLED = {
  'the table cannot be written': () => aws.on('PartiQLInsert', {}, new Error('away')),
  'the table cannot be read': () => {
    aws.on('BatchGetItem', {}, new Error('away'));
    aws.on('Query', {}, new Error('away'));
  },
  'the queue refuses': () => {
    aws.on('BatchGetItem', {}, { Responses: { configuration: [{ pk: `ORG#${ORG_ID}`, sk: 'ORG' }] } });
    aws.on('Query', {}, { Items: [actionItem(anEventAction())] });
    aws.on('SendMessageBatch', {}, new Error('away'));
  },
};

describe('25 receives until a message is a dead letter', () => {
  /** Returns the seconds of all pauses after which SQS delivers the message again; 0 where the visibility timeout of its queue applies. */
  const pauses = async (handler: typeof dispatcher, body: object | string) => {
    aws.on('ChangeMessageVisibility', {}, {});
    for (let receives = 1; receives <= 25; receives++) {
      const event = sqsEvent(body);
      for (const record of event.Records) record.attributes.ApproximateReceiveCount = String(receives);
      const { result } = await logged(() => handler(event, lambdaContext()));
      expect(result?.batchItemFailures).toHaveLength(1);
    }
    const calls = aws.callsOf('ChangeMessageVisibility');
    const queue = handler === router ? 'events' : 'deliveries';
    expect(calls.filter(({ QueueUrl = '' }) => !QueueUrl.endsWith(`/${queue}`))).toEqual([]);
    return calls.map(({ VisibilityTimeout = 0 }) => VisibilityTimeout);
  };

  test.each<[keyof typeof UNHANDLED, typeof dispatcher, object]>([
    ['the table cannot be read', dispatcher, DELIVERY],
    ['the table cannot be read', router, STARTED],
    ['the queue refuses', router, STARTED],
    ['the table cannot be written', dispatcher, DELIVERY],
  ])('last five hours while %s: %#', async (fault, handler, body) => {
    const sealed_signing_secret = sealSigningSecret('whsec_x', 'act_event', SEALING_KEY, randomBytes);
    const Item = { ...actionItem(anEventAction({ sealed_signing_secret })) };
    aws.on('BatchGetItem', {}, { Responses: { configuration: [Item] } });
    UNHANDLED[fault]();
    const seconds = await pauses(handler, body);
    expect(seconds.slice(0, 7)).toEqual([30, 60, 120, 240, 480, 900, 900]);
    expect(seconds.reduce((sum, one) => sum + one, 0)).toBe(18_930);
  });

  test.each([
    ['of newer code', dispatcher, { ...DELIVERY, version: 2 }],
    ['that is not JSON', dispatcher, 'not JSON'],
    ['that is not JSON', router, 'not JSON'],
    ['of a newer event', router, { ...STARTED, detail: { ...STARTED.detail, version: 2 } }],
  ])('take the visibility timeout of the queue for a message %s: %#', async (_, handler, body) => {
    expect(await pauses(handler, body)).toEqual([]);
  });
});
