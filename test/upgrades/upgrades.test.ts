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
 * What each released version wrote, under the code of today, and what today's code writes under the released one: a deployment goes
 * forward and may be taken back while messages are in flight and items are stored. `test/fixtures/released/<version>` was written by that
 * version, and `reader.mjs` there is that version's own code for reading. Add a folder with each release; in it,
 * `stores.mjs` (the delivery log and the conversations) and `data.tgz` (a data folder of one machine) are for `test/e2e/upgrades`.
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
  // Found by their keys, and never read.
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

  test('every item of its configuration is read', () => {
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

  test('the signing secrets that it sealed are opened', () => {
    const actions = items.flatMap((item) =>
      String(item.sk).startsWith('ACTION#') ? [readAction('configuration', item).action] : [],
    );
    expect(actions.length).toBeGreaterThan(2);
    for (const { action_id, sealed_signing_secret } of actions) {
      const opened = openSigningSecret(sealed_signing_secret, action_id, [stored.sealingRing]);
      expect(opened).toBe(stored.signingSecrets[action_id]);
    }
  });

  test('its messages in the queues are understood', () => {
    expect(busEvent.safeParse(messages.event).success).toBe(true);
    expect(messages.deliveries.length).toBeGreaterThan(2);
    for (const message of messages.deliveries) expect(deliveryMessage.parse(message)).toEqual(message);
  });

  test('after a rollback it reads what is stored today', async () => {
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

  test('after a rollback it understands the messages of today, or hands back those that it must not misread', async () => {
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
    const today = [first, { ...first, version: 2, replay: '0123456789ab' }, { ...first, version: 3, made }].map(
      (message) => deliveryMessage.parse(message),
    );
    expect(today.map((message) => old.deliveryMessage.safeParse(message).success)).toEqual([true, true, false]);
    expect(old.busEvent.safeParse(messages.event).success).toBe(true);
  });
});

test('there are fixtures of a released version', () => {
  expect(VERSIONS).toContain('test/fixtures/released/0.1.0');
});
