import fc from 'fast-check';
import { messageText } from '../../src/contract/queues.ts';
import { anyCharacter } from '../harness/any-character.ts';

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
      expect(JSON.parse(written)).toEqual(JSON.parse(JSON.stringify(value)));
    }),
  );
});
