import { readFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { parse } from 'yaml';
import * as z from 'zod';
import { type LocalCloud, startLocalCloud } from '../../../local/local-cloud.ts';
import { PUBLIC_OPERATIONS } from '../../../src/contract/public-operations.ts';
import { temporaryFolder } from '../../harness/temporary-folder.ts';
import { serviceAssembly } from '../acceptance/assembly.ts';

const match = z.object({
  FieldToMatch: z.strictObject({ UriPath: z.object({}) }),
  PositionalConstraint: z.enum(['EXACTLY', 'STARTS_WITH']),
  SearchString: z.string(),
  TextTransformations: z.array(z.object({ Priority: z.number(), Type: z.string() })),
});
const rule = z.object({
  Statement: z.object({
    RateBasedStatement: z.object({ ScopeDownStatement: z.object({ ByteMatchStatement: match }) }),
  }),
});
const template = z.object({
  Resources: z.object({ WebAcl: z.object({ Properties: z.object({ Rules: z.array(rule) }) }) }),
});

const TAGS = ['!Ref', '!GetAtt'].map((tag) => ({ tag, resolve: (text: string) => text }));
const rules = template
  .parse(parse(readFileSync('examples/web-acl/template.yaml', 'utf8'), { customTags: TAGS }))
  .Resources.WebAcl.Properties.Rules.map(({ Statement }) => Statement.RateBasedStatement.ScopeDownStatement);

/** What AWS WAF makes of a text before it compares it. */
const TRANSFORMATIONS: Readonly<Record<string, (text: string) => string>> = {
  NONE: (text) => text,
  LOWERCASE: (text) => text.toLowerCase(),
  URL_DECODE: (text) =>
    text.replaceAll(/%([0-9a-f]{2})/gi, (_, code) => String.fromCharCode(Number.parseInt(code, 16))),
  NORMALIZE_PATH: (text) => new URL(text.replaceAll(/\/+/g, '/').replaceAll(/[?#\\]/g, '_'), 'http://waf').pathname,
};

/** Whether a rule of the web ACL counts a request with this path. */
function isCounted(target: string): boolean {
  const [path = ''] = target.split('?');
  return rules.some(({ ByteMatchStatement: { PositionalConstraint, SearchString, TextTransformations } }) => {
    const inOrder = TextTransformations.toSorted((one, other) => one.Priority - other.Priority);
    const text = inOrder.reduce((before, { Type }) => TRANSFORMATIONS[Type]?.(before) ?? '', path);
    return PositionalConstraint === 'EXACTLY' ? text === SearchString : text.startsWith(SearchString);
  });
}

const hex = (character: string) => `%${character.charCodeAt(0).toString(16).padStart(2, '0')}`;
const each = (path: string, made: (character: string) => string) =>
  [...path].map((character, at) => path.slice(0, at) + made(character) + path.slice(at + 1));
const atSlashes = (path: string, made: string) =>
  each(path, (character) => (character === '/' ? made : character)).filter((one) => one !== path);

/** Ways in which a client may write a path. */
const spellings = (path: string): readonly string[] => [
  path,
  ...each(path, hex),
  ...each(path, (character) => hex(character).toUpperCase()),
  ...each(path, (character) => hex(character).replace('%', '%25')),
  ...each(path, (character) => character.toUpperCase()),
  path.replaceAll(/[^/]/g, hex),
  path.replaceAll(/./g, hex),
  ...['//', '///', '/./', '/x/../', '/%2e/', '/x/%2E%2e/', '\\'].flatMap((made) => atSlashes(path, made)),
  ...['/', '//', '?site=x', '%3Fsite=x', '%3f', '#x', '%23x', ';x', '%00', '%20', '+', '.', '/.', '/x/..'].map(
    (end) => path + end,
  ),
];

let cloud: LocalCloud;
beforeAll(async () => {
  cloud = await startLocalCloud({ data: join(temporaryFolder(), 'cloud'), assembly: await serviceAssembly() });
});
afterAll(() => cloud?.stop());

/** Sends a request without credentials, with the path as it is. @returns the status: 401 is from the route of a credential */
function statusOf(path: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(cloud.baseUrl);
    request({ hostname, port, path, method: 'POST' }, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    })
      .on('error', reject)
      .end();
  });
}

const { createSession, ...ofWidget } = PUBLIC_OPERATIONS;

test.each(Object.values(ofWidget).map(({ path }) => path.replace(/\{site_id\}|\{slug\}/g, 'x')))(
  'every spelling of %s that reaches the route counts',
  async (path) => {
    const reached: string[] = [];
    for (const spelling of spellings(path)) if ((await statusOf(spelling)) === 401) reached.push(spelling);
    expect(reached).toContain(path.replace('widget', '%77idget'));
    expect(reached.filter((spelling) => !isCounted(spelling))).toEqual([]);
  },
);

test('session create does not count', () => {
  expect(spellings(createSession.path).filter(isCounted)).toEqual([]);
});
