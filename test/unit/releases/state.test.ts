import { readdirSync, readFileSync } from 'node:fs';
import { type ReleaseState, readState, stateOfText } from '../../releases/state.ts';

/** What each release has stored and sent is read by the code of today as its own code read it. `test/releases/keep.ts` writes both. */

const folder = new URL('../../releases/', import.meta.url);
const versions = readdirSync(folder).filter((name) => /^\d/.test(name));
const textOf = (version: string, name: string) => readFileSync(new URL(`${version}/${name}.json`, folder), 'utf8');

/** A part of a state: its name, and the state in which it is changed. */
type Change = readonly [name: string, state: ReleaseState];

const replaced = <One>(list: readonly One[], index: number, ...others: readonly One[]) => [
  ...list.slice(0, index),
  ...others,
  ...list.slice(index + 1),
];
/** What every item has, and what no code reads to decide something that `readState` asks. */
const UNREAD: ReadonlySet<string> = new Set([
  ...['pk', 'sk', 'v', 'expires_at', 'claimed_at', 'started_at', 'claim_id'],
  ...['action_count', 'assistant_count', 'subscriptions_version', 'failed_at', 'call'],
]);
const READ_OF_EVENTS: ReadonlySet<string> = new Set(['id', 'detail-type', 'time', 'detail']);

const fieldsOf = (queue: string, text: string) =>
  Object.keys(JSON.parse(text)).filter((field) => queue !== 'events' || READ_OF_EVENTS.has(field));

function changesOf(state: ReleaseState): readonly Change[] {
  const ofItems = Object.entries(state.items).flatMap(([table, items]) =>
    items.flatMap((item, index): Change[] => {
      const name = `${table} ${item.pk?.S} ${item.sk?.S ?? ''}`;
      const withItems = (...others: typeof items) => ({
        ...state,
        items: { ...state.items, [table]: replaced(items, index, ...others) },
      });
      const renamed = Object.keys(item).filter((attribute) => !UNREAD.has(attribute) && !item[attribute]?.NULL);
      return [
        [`${name} is gone`, withItems()],
        ...renamed.map((attribute): Change => {
          const { [attribute]: value, ...others } = item;
          return [
            `${name} has its ${attribute} under another name`,
            withItems({ ...others, another: value ?? { NULL: true } }),
          ];
        }),
      ];
    }),
  );
  const ofMessages = Object.entries(state.messages).flatMap(([queue, texts]) =>
    texts.flatMap((text, index) =>
      fieldsOf(queue, text).map((field): Change => {
        const { [field]: _, ...others } = JSON.parse(text);
        const messages = { ...state.messages, [queue]: replaced(texts, index, JSON.stringify(others)) };
        return [`${queue} message ${index} has no ${field}`, { ...state, messages }];
      }),
    ),
  );
  const ofSecrets = Object.entries(state.secrets).map(([name, text]): Change => {
    const secrets = { ...state.secrets, [name]: text.replace('2', '4').replace('3', '5').replace(/.$/, '') };
    return [`the secret ${name} is another`, { ...state, secrets }];
  });
  const ofBrowser = (['tab', 'browser'] as const).flatMap((place) =>
    Object.keys(state.browser[place]).map((key): Change => {
      const { [key]: text = '', ...others } = state.browser[place];
      return [
        `${place} ${key} has another name`,
        { ...state, browser: { ...state.browser, [place]: { ...others, another: text } } },
      ];
    }),
  );
  return [...ofItems, ...ofMessages, ...ofSecrets, ...ofBrowser];
}

describe.each(versions)('what release %s stored and sent', (version) => {
  const state = stateOfText(textOf(version, 'state'));
  const reading = textOf(version, 'reading').trim();

  test('is read as its own code read it', async () => {
    expect(await readState(state)).toMatchObject(JSON.parse(reading));
  });

  test('is read otherwise, or not at all, after any change of it', async () => {
    const presentReading = JSON.stringify(await readState(state));
    const unnoticed: string[] = [];
    for (const [name, changed] of changesOf(state)) {
      const otherReading = await readState(changed).catch(() => undefined);
      if (JSON.stringify(otherReading) === presentReading) unnoticed.push(name);
    }
    expect(unnoticed).toEqual([]);
  });
});
