import { unreachedOrganizations } from '../../src/functions/reports.ts';
import { FrozenClock } from '../fakes/sources.ts';

const started = () => {
  const clock = new FrozenClock();
  return { clock, organizations: unreachedOrganizations(clock.now) };
};

test('returns undefined for fewer than three organizations', () => {
  const { organizations } = started();
  for (let i = 0; i < 100; i++) organizations.attempted(`org_${i % 2}`, 'dns_failure');
  expect(organizations.share()).toBeUndefined();
});

test('an organization counts once for any number of failures', () => {
  const { organizations } = started();
  for (let i = 0; i < 100; i++) organizations.attempted('org_loud', 'connect_failure');
  for (const org of ['org_a', 'org_b', 'org_c']) organizations.attempted(org, undefined);
  expect(organizations.share()).toBe(0.25);
});

test('an organization that was reached once in the last minutes counts as reached', () => {
  const { organizations } = started();
  for (const org of ['org_a', 'org_b', 'org_c']) organizations.attempted(org, undefined);
  organizations.attempted('org_a', 'tls_failure');
  expect(organizations.share()).toBe(0);
});

test.each([['http_status'], ['redirect'], ['blocked_address'], ['quota_exceeded'], ['connection_closed']] as const)(
  '%s does not count as unreached',
  (failure) => {
    const { organizations } = started();
    for (const org of ['org_a', 'org_b', 'org_c']) organizations.attempted(org, failure);
    expect(organizations.share()).toBe(0);
  },
);

test('all are unreached when the resolver fails, and after five minutes the result is undefined', () => {
  const { clock, organizations } = started();
  for (const org of ['org_a', 'org_b', 'org_c']) organizations.attempted(org, undefined);
  clock.advance(301_000);
  for (const org of ['org_a', 'org_b', 'org_c']) organizations.attempted(org, 'dns_failure');
  expect(organizations.share()).toBe(1);
  clock.advance(301_000);
  expect(organizations.share()).toBeUndefined();
});

test('a million organizations need no more memory than a thousand', () => {
  const { organizations } = started();
  for (let i = 0; i < 5000; i++) organizations.attempted(`org_${i}`, i < 4500 ? 'timeout' : undefined);
  expect(organizations.share()).toBe(0.5);
});
