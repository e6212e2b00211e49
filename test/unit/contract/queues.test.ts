import fc from 'fast-check';
import { deliveryMessage, messageText } from '../../../src/contract/queues.ts';
import { parseJson } from '../../../src/domain/parse-json.ts';
import { DELIVERY } from '../../fakes/delivery.ts';
import { anyCharacter } from '../../harness/any-character.ts';

test.each([DELIVERY, { ...DELIVERY, replay: '0123456789ab' }])(
  'a message of the deliveries queue is accepted: %j',
  (message) => {
    expect(deliveryMessage.parse(message)).toEqual(message);
  },
);

test.each<[string, object]>([
  ['of a newer version', { ...DELIVERY, version: 2 }],
  ['of an attempt that was made, without its result', { ...DELIVERY, unrecorded_result: {} }],
  ['of a replay with another name', { ...DELIVERY, replay: 'again' }],
  ['of attempt 0', { ...DELIVERY, attempt: 0 }],
  ['of attempt 4', { ...DELIVERY, attempt: 4 }],
  ['whose envelope is text', { ...DELIVERY, envelope: JSON.stringify(DELIVERY.envelope) }],
])('a message %s is not', (_, message) => {
  expect(deliveryMessage.safeParse(message).success).toBe(false);
});

/** The characters that SQS takes. */
const TAKEN = /^[\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]*$/u;

test('a character that SQS does not take is written as its escape, in values and in names', () => {
  expect(messageText({ 'a\uffff': 'https://x/\uffff\ufffe\ud800\u0000😀\ufffd' })).toBe(
    '{"a\\uffff":"https://x/\\uffff\\ufffe\\ud800\\u0000😀\ufffd"}',
  );
});

test('SQS takes every text, and a parser reads the value that was written', () => {
  const text = fc.string({ unit: fc.oneof(anyCharacter, fc.constantFrom('\ufffe', '\uffff', '\udc00', '\\', '\\u')) });
  fc.assert(
    fc.property(fc.dictionary(text, fc.oneof(text, fc.array(text)), { noNullPrototype: true }), (value) => {
      const written = messageText(value);
      expect(written).toMatch(TAKEN);
      // JSON.parse of V8 may read a name with an escape as another one.
      expect(parseJson(written)).toEqual(parseJson(JSON.stringify(value)));
    }),
  );
});
