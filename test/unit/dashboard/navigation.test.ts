import { withoutPage } from './without-page.ts';

const { paths, placeOf } = await withoutPage(() => import('../../../dashboard/src/navigation.ts'));
const ORGANIZATION = { org: 'org_1', screen: 'assistants', site: undefined, tab: 'general', action: undefined };

test.each([
  [paths.organization('org_1'), ORGANIZATION],
  [paths.members('org_1'), { ...ORGANIZATION, screen: 'members' }],
  [paths.audit('org_1'), { ...ORGANIZATION, screen: 'audit' }],
  [paths.assistant('org_1', 'site_1'), { ...ORGANIZATION, site: 'site_1' }],
  [paths.assistant('org_1', 'site_1', 'deploy'), { ...ORGANIZATION, site: 'site_1', tab: 'deploy' }],
  [paths.action('org_1', 'site_1', 'act_1'), { ...ORGANIZATION, site: 'site_1', tab: 'intelligence', action: 'act_1' }],
  ['/dashboard/', { ...ORGANIZATION, org: undefined }],
  ['/dashboard/org_1/site_1/unknown', { ...ORGANIZATION, site: 'site_1' }],
])('the path %s selects its screen', (path, place) => {
  expect(placeOf(path)).toEqual(place);
});
