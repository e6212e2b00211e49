import { readFileSync } from 'node:fs';
import { thirdPartyNotices } from '../../scripts/third-party-notices.ts';

const PERMISSIVE = /^(MIT|MIT-0|Apache-2\.0|BSD-[23]-Clause|ISC|0BSD)$/;

test('the notices list the packages that the bundles contain (node scripts/third-party-notices.ts)', async () => {
  const notices = await thirdPartyNotices();
  expect(readFileSync('THIRD-PARTY-NOTICES.md', 'utf8')).toBe(notices);
  const licenses = [...notices.matchAll(/^\| \S+ \| \d\S* \| (.+) \|$/gm)].map(([, license]) => license ?? '');
  expect(licenses.length).toBeGreaterThan(20);
  expect(licenses.filter((license) => !PERMISSIVE.test(license))).toEqual([]);
});
