import { isEmail } from '../../../src/domain/actions/email.ts';

const label = 'a'.repeat(63);

test.each([
  ['a&b@example.com', true],
  [`${'a'.repeat(64)}@example.com`, true],
  [`${'a'.repeat(65)}@example.com`, false],
  [`"${'a'.repeat(62)}"@example.com`, true],
  [`"${'a'.repeat(63)}"@example.com`, false],
  [`a@${label}.example`, true],
  [`a@${label}a.example`, false],
  [`a@${`${label}.`.repeat(3)}${'a'.repeat(60)}`, true],
  [`a@${`${label}.`.repeat(3)}${'a'.repeat(61)}`, false],
  ['a@localhost', true],
  ['a@-example.com', false],
  ['a@example-.com', false],
  ['a@example..com', false],
  ['a@example.com.', false],
  ['a@[127.0.0.1]', true],
  ['a@[127.0.1]', false],
  ['a@[0x7f.0.0.1]', false],
  ['a@[IPv6:fe80::1%eth0]', false],
  ['a@[ipv6:::ffff:192.0.2.1]', true],
  ['a@[]', false],
  ['a@[tag:x]', false],
  ['"a\\"b"@example.com', true],
  ['"a"b"@example.com', false],
  ['"a\nb"@example.com', false],
  ['zoë@example.com', false],
  ['a@exämple.com', false],
  ['a@b@example.com', false],
  ['a@example.com\n', false],
  [' a@example.com', false],
  ['', false],
])('%j is an email address: %p', (text, valid) => {
  expect(isEmail(text)).toBe(valid);
});
