import { globSync, readFileSync } from 'node:fs';
import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import * as z from 'zod';
import { KEYS } from '../../src/adapters/dynamodb/configuration-keys.ts';
import {
  readAction,
  readActionOwner,
  readAssistant,
  readMembership,
  readOrganization,
  readSlug,
} from '../../src/adapters/dynamodb/stored-configuration.ts';
import { busEvent, deliveryMessage } from '../../src/contract/queues.ts';
import { openSigningSecret } from '../../src/domain/delivery/signing-secret.ts';
import { aFormAction, anAssistant, anEventAction, ORG_ID, SITE_ID } from '../fakes/configuration.ts';

/**
 * Reads what each released version wrote with today's code, and what today's code writes with the released code. During a deployment
 * and a rollback, messages are in flight and items are stored. Each released version wrote `test/fixtures/released/<version>`, and
 * `reader.mjs` there is that version's code for reading. Each release adds a folder. `test/e2e/upgrades` uses two of its files:
 * `stores.mjs` (delivery log and conversations) and `data.tgz` (a data folder of the one-machine service), and installs the commit of
 * `release.json`.
 */
const VERSIONS = globSync('test/fixtures/released/*').sort();

const storedFile = z.object({
  tables: z.record(z.string(), z.array(z.record(z.string(), z.custom<AttributeValue>()))),
  sealingRing: z.object({ kid: z.string(), key: z.string() }),
  signingSecrets: z.record(z.string(), z.string()),
});
const messagesFile = z.object({ event: z.unknown(), deliveries: z.array(z.unknown()) });

const READERS = {
  'ORG#': { ORG: readOrganization, 'ACTION#': readAction, 'MEMBER#': readMembership, 'SITE#': undefined },
  'SITE#': { ASSISTANT: readAssistant, 'SLUG#': readSlug },
  'ACTION#': { OWNER: readActionOwner },
  // The service finds these items by their keys and never reads them.
  'MEMBER#': { 'ORG#': undefined },
  'DOMAIN#': { 'SITE#': undefined },
} as const;

type Read = (table: string, item: Record<string, unknown>) => unknown;
const released = z.object({
  configurationReads:
    z.custom<
      (
        client: object,
        table: string,
      ) => { findAction: (...ids: string[]) => Promise<unknown>; findAssistant: (id: string) => Promise<unknown> }
    >(),
  deliveryMessage: z.custom<z.ZodType>(),
  busEvent: z.custom<z.ZodType>(),
});

describe.each(VERSIONS)('%s', (folder) => {
  const read = (file: string): unknown => JSON.parse(readFileSync(`${folder}/${file}`, 'utf8'));
  const stored = storedFile.parse(read('stored.json'));
  const messages = messagesFile.parse(read('messages.json'));
  const items = (stored.tables.ConfigurationTable ?? []).map((item) =>
    z.record(z.string(), z.unknown()).parse(unmarshall(item)),
  );

  test('names the commit of the release, for npm run test:rollback', () => {
    expect(read('release.json')).toMatchObject({ commit: expect.stringMatching(/^[0-9a-f]{40}$/) });
  });

  test('today’s code reads every item of its configuration', () => {
    const kinds = new Set<string>();
    for (const item of items) {
      const [pk, sk] = [String(item.pk), String(item.sk)];
      const found = Object.entries(READERS)
        .filter(([prefix]) => pk.startsWith(prefix))
        .flatMap(([prefix, readers]) =>
          Object.entries<Read | undefined>(readers)
            .filter(([start]) => sk.startsWith(start))
            .map(([start, reader]) => ({ kind: `${prefix} ${start}`, reader })),
        );
      expect([pk, sk, found.length]).toEqual([pk, sk, 1]);
      for (const { kind, reader } of found) {
        kinds.add(kind);
        expect(() => reader?.('configuration', item)).not.toThrow();
      }
    }
    expect(kinds.size).toBe(Object.values(READERS).flatMap(Object.keys).length);
  });

  test('today’s code opens the signing secrets that it sealed', () => {
    const actions = items.flatMap((item) =>
      String(item.sk).startsWith('ACTION#') ? [readAction('configuration', item).action] : [],
    );
    expect(actions.length).toBeGreaterThan(2);
    for (const { action_id, sealed_signing_secret } of actions) {
      const opened = openSigningSecret(sealed_signing_secret, action_id, [stored.sealingRing]);
      expect(opened).toBe(stored.signingSecrets[action_id]);
    }
  });

  test('today’s code accepts its queue messages', () => {
    expect(busEvent.safeParse(messages.event).success).toBe(true);
    expect(messages.deliveries.length).toBeGreaterThan(2);
    for (const message of messages.deliveries) expect(deliveryMessage.parse(message)).toEqual(message);
  });

  test('after a rollback, it reads what today’s code stores', async () => {
    const old = released.parse(await import(`../../${folder}/reader.mjs`));
    const [assistant, event, form] = [anAssistant(), anEventAction(), aFormAction()];
    const today = [
      { ...KEYS.assistant(SITE_ID), assistant },
      { ...KEYS.action(ORG_ID, event.action_id), action: event },
      { ...KEYS.action(ORG_ID, form.action_id), action: form },
    ];
    const get = async ({ Key }: { Key: { pk: string; sk: string } }) => ({
      Item: today.find(({ pk, sk }) => pk === Key.pk && sk === Key.sk),
    });
    const reads = old.configurationReads({ get }, 'configuration');
    expect(await reads.findAssistant(SITE_ID)).toEqual(assistant);
    expect(await reads.findAction(ORG_ID, event.action_id)).toEqual(event);
    expect(await reads.findAction(ORG_ID, form.action_id)).toEqual(form);
  });

  test('after a rollback, it accepts today’s queue messages, and refuses those of a newer format', async () => {
    const old = released.parse(await import(`../../${folder}/reader.mjs`));
    const [first] = messages.deliveries.map((message) => deliveryMessage.parse(message));
    const made = {
      message_id: 'm',
      started_at: '2026-03-04T05:06:00Z',
      with_body: true,
      success: true,
      status: 200,
      response_excerpt: null,
      latency_ms: 3,
      error: null,
    };
    const today = [
      first,
      { ...first, version: 2, replay: '0123456789ab' },
      { ...first, version: 3, made },
      // Only with the option spreadDeliveryLog: older code would claim the attempt under another key, and make it again.
      { ...first, version: 4 },
    ].map((message) => deliveryMessage.parse(message));
    expect(today.map((message) => old.deliveryMessage.safeParse(message).success)).toEqual([true, true, false, false]);
    expect(old.busEvent.safeParse(messages.event).success).toBe(true);
  });
});

test('the released version 0.1.0 has fixtures', () => {
  expect(VERSIONS).toContain('test/fixtures/released/0.1.0');
});
