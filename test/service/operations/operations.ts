import { randomUUID } from 'node:crypto';
import { GetSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { SendMessageCommand } from '@aws-sdk/client-sqs';
import { askService } from '../../../src/adapters/ask-service.ts';
import { dynamoDbClient } from '../../../src/adapters/aws-clients.ts';
import { dynamoDb } from '../../../src/adapters/dynamodb/client.ts';
import { deliveryLog } from '../../../src/adapters/dynamodb/delivery-log-table.ts';
import type { DeliveryMessage } from '../../../src/contract/queues.ts';
import { OUTPUTS } from '../../../src/deployment/outputs.ts';
import { tryService } from '../../../src/domain/auth/try-service.ts';
import { anAttempt, DELIVERY } from '../../fakes/delivery.ts';
import { errorBody } from '../../fakes/error-body.ts';
import { until } from '../../harness/until.ts';
import { serviceAssembly } from '../acceptance/assembly.ts';
import { functionIds, functionOf } from '../acceptance/local-service.ts';
import { commandLineOf } from '../cli/captured-run.ts';
import { system } from '../events/system.ts';

/** Tests an operator's tasks other than configuration, at the command line, with the deployed bundles. */

const command = commandLineOf(system.cloud);

const output = (name: keyof typeof OUTPUTS) => system.cloud.outputs[OUTPUTS[name]] ?? '';

function aMessage(org: { orgId: string; siteId: string }, action_id: string): DeliveryMessage {
  const data = { secret: 'of a visitor' };
  const envelope = { ...DELIVERY.envelope, id: randomUUID(), data, site_id: org.siteId, org_id: org.orgId };
  return { ...DELIVERY, action_id, envelope };
}

describe('dead letters', () => {
  /** Records an attempt of a dispatcher that stopped half a minute ago. @param finished whether the attempt had ended */
  async function begin(message: DeliveryMessage, finished: boolean): Promise<void> {
    const log = deliveryLog(dynamoDb(dynamoDbClient(system.service.aws)), output('deliveryLogTable'), {
      retentionDays: 1,
      now: () => new Date(Date.now() - 30_000),
    });
    const { envelope, action_id } = message;
    const started_at = new Date().toISOString();
    const start = anAttempt({ action_id, reference: envelope.id, started_at });
    await log.claim(start);
    const result = { status: 200, response_excerpt: '', latency_ms: 1, success: true, error: null };
    if (finished) await log.complete(start, result);
  }

  const addDeadLetter = async (message: DeliveryMessage) => {
    const { MessageId = '' } = await system.sqs.send(
      new SendMessageCommand({ QueueUrl: output('deliveriesDeadLetters'), MessageBody: JSON.stringify(message) }),
    );
    return MessageId;
  };

  test('are redriven: an attempt that was cut off is sent, a finished attempt is not', async () => {
    const org = await system.organization();
    const action = await system.eventAction(org.siteId, '/redriven', ['message.sent']);
    const [fresh, cutOff, finished] = [aMessage(org, action), aMessage(org, action), aMessage(org, action)];
    await addDeadLetter(fresh);
    for (const message of [cutOff, finished]) {
      await addDeadLetter(message);
      await begin(message, message === finished);
    }

    const dry = await command.run('redrive', 'deliveries', '--dry-run');
    expect(dry.out).not.toContain('of a visitor');
    expect(JSON.parse(dry.out)).toHaveLength(3);
    expect(system.receiver.to('/redriven')).toEqual([]);

    const begun = { queue: 'deliveries', letters: 3, rate: 50 };
    expect(await command.json('redrive', 'deliveries', '--yes')).toEqual(begun);
    const records = await system.finished(action, 3);
    await until(() => system.receiver.to('/redriven').length >= 2);
    const received = system.receiver.to('/redriven').map(({ body }) => JSON.parse(body.toString()).id);
    expect(received.sort()).toEqual([fresh.envelope.id, cutOff.envelope.id].sort());
    const sends = new Map(records.map((record) => [record.reference, record.sends]));
    expect(sends.get(cutOff.envelope.id)).toBe(2);
    expect(await command.json('redrive', 'deliveries', '--status')).toMatchObject([
      { status: 'COMPLETED', moved_letters: 3 },
    ]);
    expect(await command.json('redrive', 'deliveries', '--dry-run')).toEqual([]);
  });
});

describe('an event', () => {
  test('is traced to its attempts and replayed under the same id', async () => {
    const org = await system.organization();
    const taken = await system.eventAction(org.siteId, '/traced', ['message.sent']);
    const refused = await system.eventAction(org.siteId, '/refused', ['message.sent']);
    system.receiver.answer('/refused', [410, 200]);
    const { id } = await command.json<{ id: string }>(
      ...['event', 'put', 'message.sent', '--org', org.orgId, '--site', org.siteId, '--data', '{"mark": 1}'],
    );
    await Promise.all([system.finished(taken, 1), system.finished(refused, 1)]);
    const trace = () =>
      command.json<{ time: string; deliveries: { action_id: string; outcome: string; attempts: object[] }[] }>(
        ...['event', 'trace', id, '--org', org.orgId],
      );
    const first = await trace();
    const outcomes = Object.fromEntries(first.deliveries.map((delivery) => [delivery.action_id, delivery.outcome]));
    expect(outcomes).toEqual({ [taken]: 'delivered', [refused]: 'failed' });

    await command.json('event', 'replay', id, refused, '--yes', '--at', first.time);
    await until(() => system.receiver.to('/refused').length === 2);
    await system.finished(refused, 2);
    const [before, after] = system.receiver.to('/refused').map(({ body }) => body.toString());
    expect(after).toBe(before);
    expect((await trace()).deliveries.find(({ action_id }) => action_id === refused)?.attempts).toMatchObject([
      { attempt: 1, replay: null, status: 410 },
      { attempt: 1, replay: expect.stringMatching(/^[0-9a-f]{12}$/), status: 200 },
    ]);
  });
});

test("a person's deliveries are exported and erased in one organization, which is then erased, and another one stays", async () => {
  const [org, other] = [await system.organization(), await system.organization()];
  const action = await system.eventAction(org.siteId, '/person', ['message.sent']);
  const theirs = await system.eventAction(other.siteId, '/person-of-another', ['message.sent']);
  const put = (orgId: string, user: string) =>
    command.json<{ id: string }>('event', 'put', 'message.sent', '--org', orgId, '--data', JSON.stringify({ user }));
  const [{ id: foreign }] = await Promise.all([put(other.orgId, 'u-1'), put(org.orgId, 'u-1'), put(org.orgId, 'u-10')]);
  await Promise.all([system.finished(action, 2), system.finished(theirs, 1)]);
  const payloadsOf = async (id: string) => (await system.operator.deliveries(id)).map(({ payload }) => payload);
  const person = ['--org', org.orgId, '--user', 'u-1', '--user', '198.51.100.7'];
  expect(await command.json('export', ...person)).toMatchObject({ action_id: action, success: true });
  expect(await command.json('erase', ...person, '--yes')).toMatchObject({ records: 1 });
  expect((await command.run('export', ...person)).out).toBe('');
  expect(await payloadsOf(action)).toEqual(expect.arrayContaining([null, expect.stringContaining('u-10')]));

  const foreignIds = ['--user', foreign, '--user', theirs, '--user', other.siteId, '--user', other.orgId];
  const nothing = { records: 0, conversations: 0 };
  expect(await command.json('erase', '--org', org.orgId, ...foreignIds, '--yes')).toMatchObject(nothing);
  for (const words of [
    ['event', 'trace', foreign, '--org', org.orgId],
    ['event', 'replay', foreign, action, '--yes'],
    ['deliveries', action, foreign],
  ]) {
    expect((await command.run(...words)).code).toBe(3);
  }

  const erased = { assistants: 1, actions: 1, log_records: 2 };
  expect(await command.json('org', 'delete', org.orgId, '--yes')).toMatchObject(erased);
  expect((await system.storedRecords()).filter(({ pk }) => String(pk).includes(action))).toEqual([]);
  const headers = { 'x-site-id': org.siteId, origin: 'https://a.example' };
  const answer = await fetch(`${system.service.apiUrl}/api/widget/init`, { method: 'POST', headers });
  expect(await answer.json()).toEqual(errorBody('Widget site not found'));
  expect((await command.run('org', 'delete', org.orgId, '--yes')).code).toBe(3);
  expect(await payloadsOf(theirs)).toEqual([expect.stringContaining('u-1')]);
});

test('after a rotation of the origin secret, a distribution with the former or the new value is accepted', async () => {
  const { orgId } = await system.organization();
  const { site_id } = await command.json<{ site_id: string }>(
    ...['assistant', 'create', '--org', orgId, '--name', 'Shop', '--domain', 'a.example', '--rate-limit', '100'],
    ...['--allowed-domain', 'a.example', '--ip', '198.51.100.7'],
  );
  const secrets = new SecretsManagerClient(system.service.aws);
  const originSecret = async () =>
    (await secrets.send(new GetSecretValueCommand({ SecretId: output('originSecret') }))).SecretString ?? '';
  const statusFrom = async (proof: string) => {
    const headers = {
      'x-site-id': site_id,
      origin: 'https://a.example',
      'cloudfront-viewer-address': '198.51.100.7:4711',
      'x-va-wave-origin': proof,
    };
    return (await fetch(`${system.service.apiUrl}/api/widget/init`, { method: 'POST', headers, body: '{}' })).status;
  };
  const former = await originSecret();
  await command.json('keys', 'rotate-origin', '--yes');
  const current = await originSecret();
  expect((await command.run('keys', 'rotate-origin', '--yes')).err).toContain('run first: npx cdk deploy');
  expect(await originSecret()).toBe(current);
  secrets.destroy();
  expect(current).not.toBe(former);
  // A function that has run keeps the values for minutes.
  await system.cloud.killFunction(functionOf(functionIds(await serviceAssembly()), 'WidgetInit'));
  expect([await statusFrom(former), await statusFrom(current), await statusFrom('guess')]).toEqual([200, 200, 403]);
});

describe('the canary', () => {
  test('uses the service at its public address, with the assistant that the runbook describes', async () => {
    const { org_id } = await command.json<{ org_id: string }>(
      ...['org', 'create', '--name', 'Operations', '--plan', 'paid'],
    );
    const { site_id } = await command.json<{ site_id: string }>(
      ...['assistant', 'create', '--org', org_id, '--name', 'Canary', '--domain', 'canary.example'],
      ...['--rate-limit', '1000', '--mode', 'session-signed'],
    );
    const { server_secret } = await command.json<{ server_secret: string }>('secret', 'generate', site_id);
    const ask = askService(system.cloud.baseUrl);
    expect(await tryService(server_secret, ask)).toEqual({ success: true });
    const closed = askService('http://127.0.0.1:2');
    expect(await tryService(server_secret, closed)).toMatchObject({ problem: 'ECONNREFUSED' });
  });
});
