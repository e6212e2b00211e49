import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PutEventsCommand } from '@aws-sdk/client-eventbridge';
import { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { eventBridgeClient } from '../../../src/adapters/aws-clients.ts';
import type { DeliveryRecord } from '../../../src/contract/deliveries.ts';
import { OUTPUTS } from '../../../src/contract/outputs.ts';
import type { DeliveryMessage } from '../../../src/contract/queues.ts';
import { describeWhere } from '../../examples/where-installed.ts';
import { until } from '../../harness/until.ts';
import { type Command, commandsIn, operatorWith } from '../acceptance/command-line.ts';
import { logIn } from '../acceptance/login.ts';
import type { Operator } from '../acceptance/operator.ts';
import { type ReceivedRequest, type Receiver, startReceiver, verifyWithStripe } from '../acceptance/receiver.ts';
import { addAdmin, dashboardOf, type Prepared, prepare } from '../acceptance/scenario.ts';
import { type StartedService, startRelease, startService } from '../acceptance/started-service.ts';
import { commandsOn } from '../cli/captured-run.ts';
import { installRelease, missingRelease, releases } from './released-code.ts';

import.meta.jest.setTimeout(300_000);

/**
 * Rolls `npm start` back: today's code, then the code of a release, then today's code again, each on the data folder that the previous
 * one left, with events in its queues. Every version is installed and started as an operator does.
 */

/** Events that are put just before a stop. No dispatcher can deliver all of them before the service ends. */
const LEFT = 100;
/** Milliseconds that the endpoint of these events takes. */
const SLOW_MS = 500;
/** An attempt that a stop ended is made again when its message becomes visible: after 90 s in version 0.1.0. */
const PATIENCE_MS = 150_000;
const PAGE = 'https://shop.example.com';
const CONVERSATION = 'phone-call-1';

type Running = { readonly service: StartedService; readonly vaWave: Command; readonly operator: Operator };

test('a release is listed', () => {
  expect(releases().map(({ version }) => version)).toContain('0.1.0');
});

describe.each(releases())('$version', (release) => {
  describeWhere(missingRelease(release), `a rollback to ${release.version}`, () => {
    const folder = mkdtempSync(join(tmpdir(), 'va-wave-rollback-'));
    const root = join(folder, 'code');
    const options = ['--no-demo', '--ca', join(folder, 'authority.pem')];
    let receiver: Receiver;
    let running: Running | undefined;
    let prepared: Prepared;
    let admin: { readonly email: string; readonly password: string };
    let queued: { readonly id: string; readonly secret: string };
    let retried: { readonly id: string; readonly secret: string };
    /** What the previous version read, the session token that it created, and its submission. */
    let read: Readonly<Record<string, unknown>>;
    let token: string;
    let submission: { readonly clientKey: string; readonly id: string };

    /** A test that fails at once when an earlier one has failed, because each needs what the earlier ones have stored. */
    let broken = false;
    const step = (title: string, run: () => Promise<void>) =>
      test(title, async () => {
        if (broken) throw new Error('An earlier step has failed');
        broken = true;
        await run();
        broken = false;
      });

    const now = (): Running => {
      if (running === undefined) throw new Error('No version is running');
      return running;
    };

    beforeAll(async () => {
      receiver = await startReceiver();
      writeFileSync(join(folder, 'authority.pem'), receiver.authorityPem);
      await installRelease(release, root);
    });
    afterAll(async () => {
      await running?.service.interrupt();
      await receiver?.stop();
      rmSync(folder, { recursive: true, force: true });
    });

    async function startToday(): Promise<void> {
      expect(running).toBeUndefined();
      const service = await startService(folder, ...options);
      const vaWave = commandsOn(service.readyFile);
      running = { service, vaWave, operator: operatorWith({ vaWave }) };
    }
    async function startReleased(): Promise<void> {
      expect(running).toBeUndefined();
      const service = await startRelease(root, folder, ...options);
      const vaWave = commandsIn(root, service.readyFile);
      running = { service, vaWave, operator: operatorWith({ vaWave }) };
    }

    /** Everything that the command line and the dashboard show of the configuration, and the records of finished attempts. */
    async function readEverything(): Promise<Readonly<Record<string, unknown>>> {
      const { vaWave, service } = now();
      const { orgId, siteId, signedSiteId, form, tool, event } = prepared;
      const commands = [
        ['org', 'list'],
        ['assistant', 'list', '--org', orgId],
        ['assistant', 'show', siteId],
        ['action', 'list', '--org', orgId],
        ...[event, form, tool].flatMap(({ id }) => [
          ['action', 'show', id],
          ['action', 'secret', id],
        ]),
        ['member', 'list', '--org', orgId],
        ['tool', 'list', siteId],
        ['deliveries', form.id],
        ['deliveries', tool.id],
      ];
      const everything: Record<string, unknown> = {};
      for (const words of commands) everything[words.join(' ')] = await vaWave(...words);
      const call = dashboardOf(service, await logIn(await service.loginClient(), admin.email, admin.password));
      const organization = `/organizations/${orgId}`;
      const paths = [
        '/me',
        ...['assistants', 'actions', 'audit'].map((part) => `${organization}/${part}`),
        ...[siteId, signedSiteId].map((id) => `${organization}/assistants/${id}`),
      ];
      for (const path of paths) {
        const answer = await call('GET', path);
        expect([path, answer]).not.toEqual([path, expect.objectContaining({ success: false })]);
        everything[`GET ${path}`] = answer;
      }
      return everything;
    }

    /** Leaves out the fields that today's code has added since the release. */
    const inBoth = (value: unknown): unknown =>
      JSON.parse(JSON.stringify(value, (key, one) => (release.added_fields.includes(key) ? undefined : one)));

    async function createSession(): Promise<string> {
      const answer = await fetch(`${now().service.apiUrl}/api/widget/session/create`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-server-key': prepared.serverSecret },
        body: JSON.stringify({ user_id: 'u-1' }),
      });
      assert.equal(answer.status, 200);
      const { session_token }: { session_token: string } = JSON.parse(await answer.text());
      return session_token;
    }

    async function begin(credential: Record<string, string>): Promise<string> {
      const answer = await fetch(`${now().service.baseUrl}/api/widget/init`, {
        method: 'POST',
        headers: { origin: PAGE, ...credential },
        body: '{}',
      });
      const text = await answer.text();
      assert.equal(answer.status, 200, text);
      const { conversation_id }: { conversation_id: string } = JSON.parse(text);
      return conversation_id;
    }

    let conversation = '';
    async function submit(clientKey: string): Promise<string> {
      const url = `${now().service.baseUrl}/api/widgets/sites/${prepared.siteId}/forms/contact-us/submit`;
      const answer = await fetch(url, {
        method: 'POST',
        headers: { origin: PAGE, 'content-type': 'application/json', 'x-site-id': prepared.siteId },
        body: JSON.stringify({ conversation_id: conversation, client_key: clientKey, values: { name: clientKey } }),
      });
      const text = await answer.text();
      assert.equal(answer.status, 200, text);
      const { submission_id }: { submission_id: string } = JSON.parse(text);
      return submission_id;
    }

    const callTool = () =>
      now().service.invoke('AiAction', {
        operation: 'callTool',
        site_id: prepared.siteId,
        conversation_id: CONVERSATION,
        tool: 'order-status',
        arguments: { order: 7 },
      });

    const recordsOf = (actionId: string) =>
      now().vaWave<readonly DeliveryRecord[]>('deliveries', actionId, '--limit', '500');

    const requestsTo = (path: string, text: string) => receiver.to(path).filter(({ body }) => body.includes(text));
    const idOf = ({ body }: ReceivedRequest): string => JSON.parse(body.toString()).id;
    const idsOf = (requests: readonly ReceivedRequest[]) => new Set(requests.map(idOf));

    /** Sends an event and waits until it arrives with a valid signature. */
    async function deliver(mark: string): Promise<void> {
      const { orgId, siteId, event } = prepared;
      await now().operator.putEvent({ name: 'message.sent', orgId, siteId, data: { mark } });
      const arrived = () => requestsTo('/event', `"${mark}"`);
      await until(async () => arrived().length > 0, PATIENCE_MS);
      for (const request of arrived()) verifyWithStripe(request, event.secret);
    }

    /** Uses the service so that it stores something of each kind, then puts events and stops it before they are delivered. */
    async function useAndStop(mark: string): Promise<void> {
      const { service, vaWave } = now();
      token = await createSession();
      const clientKey = `submission-${mark}`;
      submission = { clientKey, id: await submit(clientKey) };
      await vaWave('assistant', 'update', prepared.siteId, '--name', `Named ${mark}`);
      await vaWave('action', 'update', prepared.event.id, '--name', `Named ${mark}`);
      read = await readEverything();

      receiver.answer('/retried', [503, 200]);
      receiver.answer('/queued', [200], () => new Promise((done) => setTimeout(() => done('{}'), SLOW_MS)));
      const bus = eventBridgeClient(service.aws);
      const put = (name: string, payloads: readonly string[]) =>
        bus.send(
          new PutEventsCommand({
            Entries: payloads.map((one) => ({
              EventBusName: service.outputs[OUTPUTS.eventBus],
              Source: 'platform',
              DetailType: name,
              Detail: JSON.stringify({ org_id: prepared.orgId, site_id: prepared.siteId, data: { mark: one } }),
            })),
          }),
        );
      const payloads = Array.from({ length: LEFT }, (_, index) => `${mark} ${index}`);
      await put('sms.sent', [mark]);
      await until(async () => requestsTo('/retried', `"${mark}"`).length > 0);
      const ids = idsOf(requestsTo('/retried', `"${mark}"`));
      await until(async () =>
        (await recordsOf(retried.id)).some((one) => ids.has(one.reference) && one.status === 503),
      );
      while (payloads.length > 0) await put('sms.received', payloads.splice(0, 10));
      expect(await service.interrupt()).toBe(0);
      running = undefined;
      bus.destroy();
      expect(requestsTo('/queued', `"${mark} `).length).toBeLessThan(LEFT);
    }

    step('today’s code stores something of each kind, and is stopped with events in its queues', async () => {
      await startToday();
      const { service, vaWave, operator } = now();
      prepared = await prepare(operator, receiver);
      const { orgId, siteId } = prepared;
      const action = async (name: string, event: string) => {
        const settings = { trigger: 'Event', name, url: receiver.url(`/${name}`), events: [event] } as const;
        const id = await operator.createAction(siteId, settings);
        return { id, secret: await operator.signingSecret(id) };
      };
      queued = await action('queued', 'sms.received');
      retried = await action('retried', 'sms.sent');
      admin = await addAdmin({ service, receiver, prepared, operator });
      await operator.setOutboundQuota(orgId, 100_000);
      await service.invoke('KeyRotation', {});
      await vaWave('keys', 'rotate-origin', '--yes');
      const call = dashboardOf(service, await logIn(await service.loginClient(), admin.email, admin.password));
      const site = `/organizations/${orgId}/assistants/${siteId}`;
      const { version } = await call('GET', site);
      await call('PATCH', site, { version, change: { form_order: [prepared.form.id] } });
      conversation = await begin({ 'x-site-id': siteId });
      receiver.answer('/tool', [200], '{"status":"shipped"}');
      expect([await callTool(), await callTool()]).toMatchObject([{ success: true }, { success: true }]);
      const deadLetter: DeliveryMessage = {
        version: 1,
        action_id: prepared.event.id,
        attempt: 1,
        envelope: {
          ...{ id: randomUUID(), event: 'message.sent', timestamp: '2026-03-04T05:06:00Z' },
          ...{ data: { mark: 'a dead letter' }, site_id: siteId, org_id: orgId },
        },
      };
      const sqs = new SQSClient(service.aws);
      const QueueUrl = service.outputs[OUTPUTS.deliveriesDeadLetters];
      await sqs.send(new SendMessageCommand({ QueueUrl, MessageBody: JSON.stringify(deadLetter) }));
      sqs.destroy();
      await useAndStop('today');
    });

    describe.each([
      { title: 'the release, on what today’s code left,', start: startReleased, left: 'today', mark: 'release' },
      { title: 'today’s code, on what the release left,', start: startToday, left: 'release', mark: 'forward' },
    ])('$title', ({ start, left, mark }) => {
      step('starts', start);

      step('delivers the events of the queues, and records every request', async () => {
        const arrived = () => requestsTo('/queued', `"${left} `);
        await until(async () => idsOf(arrived()).size === LEFT, PATIENCE_MS);
        for (const request of arrived()) verifyWithStripe(request, queued.secret);
        let records: readonly DeliveryRecord[] = [];
        await until(async () => {
          records = await recordsOf(queued.id);
          return records.every(({ state }) => state === 'succeeded');
        }, PATIENCE_MS);
        // The stop may end an attempt before its request is sent. The attempt is then made again, and its record has two sends.
        const sends = new Map(records.map((record) => [record.reference, record.sends]));
        // Version 0.1.0 writes the payload before the request only, and later code after it (CHANGELOG.md, upgrade notes).
        expect(records.filter((record) => record.payload === null && record.sends < 2)).toEqual([]);
        const requests = Map.groupBy(arrived(), idOf);
        expect([...requests].filter(([id, { length }]) => length > (sends.get(id) ?? 0))).toEqual([]);
      });

      step('continues a delivery after the first attempt of the other version', async () => {
        const ids = idsOf(requestsTo('/retried', `"${left}"`));
        const ofThis = async () => (await recordsOf(retried.id)).filter(({ reference }) => ids.has(reference));
        await until(async () => (await ofThis()).some(({ success }) => success), PATIENCE_MS);
        expect((await ofThis()).map(({ attempt, status }) => [attempt, status])).toEqual([
          [2, 200],
          [1, 503],
        ]);
        for (const request of receiver.to('/retried')) verifyWithStripe(request, retried.secret);
      });

      step('logs an admin in, and reads everything as the other version does', async () => {
        expect(inBoth(await readEverything())).toEqual(inBoth(read));
      });

      step('accepts the session token of the other version, and creates one with the same server secret', async () => {
        await begin({ 'x-session-token': token });
        await begin({ 'x-session-token': await createSession() });
      });

      step('continues a conversation: a submission is not repeated, and a new one arrives', async () => {
        expect(await submit(submission.clientKey)).toBe(submission.id);
        const id = await submit(`new-${mark}`);
        const requests = receiver.to('/form').filter(({ body }) => body.includes(id));
        assert.equal(requests.length, 1);
        for (const request of requests) verifyWithStripe(request, prepared.form.secret);
      });

      step('delivers a new event', () => deliver(`new ${mark}`));

      step('shows the dead letter', async () => {
        expect(await now().vaWave('redrive', 'deliveries', '--dry-run')).toHaveLength(1);
      });

      step('counts the calls of a tool together with those of the other version', async () => {
        const made = receiver.to('/tool').length;
        const outcomes = [await callTool(), await callTool()];
        expect(receiver.to('/tool')).toHaveLength(Math.min(made + 2, 5));
        expect(JSON.stringify(outcomes).includes('limit_reached')).toBe(made + 2 > 5);
      });

      step('is used, and stopped with events in its queues', () => useAndStop(mark));
    });

    step('today’s code delivers the rest, and the dead letter', async () => {
      await startToday();
      const { siteId } = prepared;
      expect(await now().vaWave('assistant', 'show', siteId)).toMatchObject({
        form_order: [prepared.form.id],
        name: 'Named forward',
      });
      await now().vaWave('redrive', 'deliveries', '--yes');
      const arrived = () => requestsTo('/event', 'a dead letter');
      await until(async () => arrived().length === 1, PATIENCE_MS);
      await until(async () => idsOf(requestsTo('/queued', '"forward ')).size === LEFT, PATIENCE_MS);
    });
  });
});
