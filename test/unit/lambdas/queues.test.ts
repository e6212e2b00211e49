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
      .flatMap(({ Entries = [] }) => Entries.map(({ MessageBody }) => String(MessageBody)));
    expect(later).toEqual([expect.stringContaining(`"data":${data}`)]);
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

  describe('a message whose claim DynamoDB throttles', () => {
    test.each([
      ['1', 30],
      ['3', 120],
      ['14', 900],
    ])('waits after receive %s for %d s, is counted, and sends nothing', async (receives, seconds) => {
      aws.on('PartiQLInsert', {}, new AwsFault('ProvisionedThroughputExceeded'));
      aws.on('ChangeMessageVisibility', {}, {});
      const event = sqsEvent(MESSAGE);
      for (const record of event.Records) record.attributes.ApproximateReceiveCount = receives;
      const { result, log } = await logged(() => dispatcher(event, lambdaContext()));
      expect(result?.batchItemFailures).toEqual([{ itemIdentifier: 'message-0' }]);
      expect(aws.callsOf('ChangeMessageVisibility').map((call) => call.VisibilityTimeout)).toEqual([seconds]);
      expect(log).toContain(`"${METRICS.deliveriesThrottled}":1`);
      expect(completed()).toEqual([]);
    });
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
