import { gzipSync } from 'node:zlib';
import { toolResponse } from '../../../../src/domain/actions/call-tool.ts';
import { responseAnswer } from '../../../../src/domain/delivery/outcome.ts';

const answerOf = (body: Uint8Array, contentType?: string) =>
  responseAnswer({ status: 200, body, contentType, problem: null }, { method: 'POST', withheldTexts: [] });
const latin1 = Buffer.from('Zürich', 'latin1');
const utf8 = Buffer.from('Zürich');
const PNG = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex');

test.each<[string | undefined, Buffer, string]>([
  ['text/plain; charset=iso-8859-1', latin1, 'Zürich'],
  ['text/plain;charset="ISO-8859-1"', latin1, 'Zürich'],
  ['text/html; charset = windows-1252; a=b', Buffer.from('80', 'hex'), '€'],
  ['text/plain; charset=utf-16le', Buffer.from('Zürich', 'utf16le'), 'Zürich'],
  ['text/plain; charset=shift_jis', Buffer.from('8365', 'hex'), 'テ'],
  ['text/plain', utf8, 'Zürich'],
  ['text/plain; charset=klingon', utf8, 'Zürich'],
  ['text/plain; charset=', utf8, 'Zürich'],
  [undefined, utf8, 'Zürich'],
  ['application/octet-stream', utf8, 'Zürich'],
  ['application/json; charset=iso-8859-1', utf8, 'Zürich'],
  ['application/problem+json; charset=iso-8859-1', utf8, 'Zürich'],
  ['text/plain', latin1, 'Z\ufffdrich'],
])('a response of the type %p is decoded as it says', (contentType, body, text) => {
  expect(answerOf(body, contentType)).toMatchObject({ response_excerpt: text, text });
});

test.each([
  ['image/png', PNG],
  ['text/plain', PNG],
  [undefined, gzipSync('{"a": 1}')],
])('what is not text is not shown as text: %p', (contentType, body) => {
  expect(answerOf(body, contentType)).toMatchObject({ response_excerpt: '(not text)', text: null });
  expect(toolResponse(null)).toBe('The response is not text');
});
