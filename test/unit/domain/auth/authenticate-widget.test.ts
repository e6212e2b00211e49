import type { Assistant } from '../../../../src/contract/assistants.ts';
import {
  admitWidget,
  identifyWidget,
  type WidgetCredentials,
} from '../../../../src/domain/auth/authenticate-widget.ts';
import { anAssistant, SITE_ID } from '../../../fakes/configuration.ts';
import { refusalOf } from '../../../fakes/refusals.ts';
import { siteIdCredentials, someClaims, widgetAuthentication } from '../../../fakes/widget.ts';

type Settings = Partial<Assistant>;
type Credentials = Partial<WidgetCredentials>;

/** The token `good` is valid, and the token `old` has expired. */
const identify = (settings: Settings, credentials: Credentials) => {
  const assistants = [anAssistant(settings)];
  const tokens = { tokens: { good: someClaims() }, expired: { old: someClaims() } };
  return identifyWidget(siteIdCredentials(credentials), widgetAuthentication({ assistants, ...tokens }));
};
const admit = async (settings: Settings, credentials: Credentials) =>
  admitWidget(await identify(settings, credentials));

const SIGNED: Settings = { authentication_mode: 'Session Signed' };
const ELSEWHERE: Settings = { ip_allowlist: ['203.0.113.1'] };
const TOKEN: Credentials = { siteId: undefined, sessionToken: 'good', origin: undefined };
const EVIL: Credentials = { origin: 'https://evil.example' };
const PAGE = 'https://shop.example/cart?x=1';

test.each<[string, string, Settings, Credentials]>([
  ['credentials_required', 'neither credential', {}, { siteId: undefined }],
  ['credentials_required', 'empty credentials', {}, { siteId: '', sessionToken: '' }],
  ['session_token_invalid', 'a forged token', {}, { sessionToken: 'forged' }],
  ['session_token_invalid', 'an expired token', {}, { sessionToken: 'old' }],
  ['site_not_found', 'an unknown site', {}, { siteId: 'site_nobody' }],
  ['site_not_found', 'a malformed site id', {}, { siteId: '../x y' }],
  ['site_disabled', 'a disabled site', { enabled: false }, {}],
  ['site_disabled', 'a disabled site with a token', { ...SIGNED, enabled: false }, TOKEN],
  ['site_disabled', 'a site of a suspended organization', { suspended: true }, {}],
  ['session_token_required', 'the site id in Session Signed', SIGNED, {}],
  ['no_allowed_domains', 'an empty list', { allowed_domains: [] }, {}],
  ['origin_required', 'neither header', {}, { origin: undefined }],
  ['origin_required', 'empty headers', {}, { origin: '', referer: '' }],
  ['origin_not_allowed', 'another host', {}, EVIL],
  ['origin_not_allowed', 'a port that is not listed', { allowed_domains: ['shop.example:8443'] }, {}],
  ['origin_not_allowed', 'another Referer', {}, { origin: undefined, referer: 'https://evil.example/shop.example' }],
  ['origin_not_allowed', 'an allowed Referer with another Origin', {}, { ...EVIL, referer: PAGE }],
  ['origin_not_allowed', 'an allowed Referer with the origin null', {}, { origin: 'null', referer: PAGE }],
  ['ip_not_allowed', 'another IP address', ELSEWHERE, {}],
  ['ip_not_allowed', 'another IP address, with a token', { ...SIGNED, ...ELSEWHERE }, TOKEN],
])('refuses with %s: %s', async (code, _, settings, credentials) => {
  expect((await refusalOf(admit(settings, credentials))).code).toBe(code);
});

test('refuses in the order token, disabled, mode, empty list, missing header, host, IP address', async () => {
  const noList = { ...ELSEWHERE, allowed_domains: [] };
  const noOrigin = { origin: undefined };
  const steps: readonly (readonly [Settings, Credentials, string])[] = [
    [{ ...SIGNED, ...noList, enabled: false }, { ...noOrigin, sessionToken: 'forged' }, 'session_token_invalid'],
    [{ ...SIGNED, ...noList, enabled: false }, noOrigin, 'site_disabled'],
    [{ ...SIGNED, ...noList }, noOrigin, 'session_token_required'],
    [noList, noOrigin, 'no_allowed_domains'],
    [ELSEWHERE, noOrigin, 'origin_required'],
    [ELSEWHERE, EVIL, 'origin_not_allowed'],
    [ELSEWHERE, {}, 'ip_not_allowed'],
  ];
  for (const [settings, credentials, code] of steps) {
    expect((await refusalOf(admit(settings, credentials))).code).toBe(code);
  }
});

test.each<[string, Settings, Credentials]>([
  ['an allowed origin on any port', {}, { origin: 'http://shop.example:8080' }],
  ['the listed port', { allowed_domains: ['shop.example:443'] }, {}],
  ['one of several entries', { allowed_domains: ['a.example', 'shop.example'] }, {}],
  ['a Referer when there is no Origin', {}, { origin: undefined, referer: PAGE }],
  ['an allowed Origin with any Referer', {}, { referer: 'https://evil.example/' }],
  ['an IP address on the list', { ip_allowlist: ['198.51.100.7'] }, {}],
  ['a token on a page of any host', { ...SIGNED, allowed_domains: [] }, TOKEN],
  ['a token, which takes precedence over another site id', SIGNED, { ...TOKEN, siteId: 'site_other' }],
])('admits %s', async (_, settings, credentials) => {
  expect(await admit(settings, credentials)).toEqual(anAssistant(settings));
});

test('a site is identified before it is admitted, also by an expired token, so that a refusal can have CORS headers', async () => {
  expect((await identify({}, { sessionToken: 'old', siteId: undefined })).assistant?.site_id).toBe(SITE_ID);
  expect((await identify({ enabled: false }, EVIL)).assistant?.site_id).toBe(SITE_ID);
  expect((await identify({}, { siteId: 'site_nobody' })).assistant).toBeUndefined();
});
