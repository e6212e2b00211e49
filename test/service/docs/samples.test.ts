import { spawnSync } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Script } from 'node:vm';
import { App } from 'aws-cdk-lib';
import * as z from 'zod';
import { readDeploymentOptions } from '../../../lib/deployment-options.ts';
import { verifyAction, verifyUsageWebhook } from '../../../packages/receiver/src/index.ts';
import { parametersSchema } from '../../../src/contract/actions.ts';
import { REFUSALS } from '../../../src/contract/errors.ts';
import { jsonObject } from '../../../src/contract/fields.ts';
import {
  refusedInvocation,
  type ToolResult,
  toolRequest,
  type UsageReportResult,
  usageReport,
} from '../../../src/contract/invocations.ts';
import { busEvent, envelope } from '../../../src/contract/queues.ts';
import { sessionCreateRequest } from '../../../src/contract/sessions.ts';
import { checkArguments } from '../../../src/domain/actions/parameters.ts';
import { canonicalJson } from '../../../src/domain/canonical-json.ts';
import { signatureHeader } from '../../../src/domain/delivery/signature.ts';
import { allDocuments, type Sample, samples } from '../../unit/docs/documents.ts';

const all = allDocuments().flatMap(samples);
const sectionOf = ({ path, heading }: Sample) => `${path}#${heading}`;
const written = (language: string) => all.filter((sample) => sample.language === language);

const SECRET = 'a secret of these tests with 32 characters';

/** Checks a JSON sample. @throws when the service would not accept or send it */
type Check = (value: unknown, text: string) => void;

const parsedBy =
  (schema: z.ZodType): Check =>
  (value) => {
    schema.parse(value);
  };

/** The text is the body of an Action request: compact, and accepted by the package that customers install. */
const actionBody =
  (trigger: 'event' | 'form' | 'ai', referenceOf: (body: Readonly<Record<string, unknown>>) => unknown): Check =>
  (value, text) => {
    const body = jsonObject.parse(value);
    expect(text).toBe(JSON.stringify(body));
    const now = Math.floor(Date.now() / 1000);
    const headers = {
      'x-service-signature': signatureHeader(SECRET, now, Buffer.from(text)),
      'x-service-trigger': trigger,
      'x-service-trigger-ref': String(referenceOf(body)),
    };
    expect(verifyAction(text, headers, { trigger, secret: SECRET }).body).toEqual(body);
  };

const usageBody: Check = (value, text) => {
  expect(text).toBe(canonicalJson(value));
  const { timestamp } = z.object({ timestamp: z.int() }).parse(value);
  const headers = {
    'x-webhook-signature': createHmac('sha256', SECRET).update(text).digest('hex'),
    'x-webhook-timestamp': String(timestamp),
  };
  expect(verifyUsageWebhook(text, headers, { secret: SECRET, now: () => timestamp * 1000 })).toEqual(value);
};

const tools = z.strictObject({
  success: z.literal(true),
  tools: z.array(z.strictObject({ name: z.string(), description: z.string(), input_schema: parametersSchema })),
});
const toolResult = z.strictObject({
  success: z.literal(true),
  outcome: z.enum(['completed', 'unavailable', 'invalid_arguments', 'limit_reached', 'unknown_tool']),
  message: z.string(),
  response: z.union([z.record(z.string(), z.unknown()), z.string()]).optional(),
}) satisfies z.ZodType<ToolResult>;
const usageResult = z.strictObject({
  success: z.literal(true),
  should_continue: z.boolean(),
  reported: z.boolean(),
}) satisfies z.ZodType<UsageReportResult>;

const statement = z.strictObject({
  Effect: z.literal('Allow'),
  Principal: z.strictObject({ Service: z.string() }).optional(),
  Action: z.union([z.string(), z.array(z.string())]),
  Resource: z.union([z.string(), z.array(z.string())]),
  Condition: z.partialRecord(z.enum(['ArnLike', 'StringEquals']), z.record(z.string(), z.string())).optional(),
});
/** AWS evaluates these policies; only their shape is checked. */
const policyStatements = parsedBy(
  z.union([z.array(statement), z.strictObject({ Version: z.literal('2012-10-17'), Statement: z.array(statement) })]),
);

const refusal: Check = (value) => {
  const { code, status } = refusedInvocation.parse(value);
  expect(status).toBe(REFUSALS[code].status);
};

const busEntry: Check = (value) => {
  const entry = z
    .strictObject({
      EventBusName: z.string(),
      Source: z.string().regex(/^(?!aws\.)/),
      DetailType: z.string(),
      Detail: z.string(),
    })
    .parse(value);
  const { Detail, DetailType } = entry;
  const event = { id: '1', time: '2026-01-31T12:00:00Z', 'detail-type': DetailType, detail: JSON.parse(Detail) };
  busEvent.parse(event);
};

/** The app takes the context, for each of its stacks. */
const optionsOfStacks: Check = (_, text) => {
  const file = z.looseObject({ stacks: jsonObject }).parse(JSON.parse(text.replace('<ARN>', CERTIFICATE)));
  for (const stackName of Object.keys(file.stacks)) {
    const options = readDeploymentOptions(new App({ context: { ...file, stackName } }).node, file);
    const stated = Object.entries(file.stacks[stackName] ?? {}).map(([name, value]) => [
      { region: 'settingsRegion', account: 'settingsAccount' }[name] ?? name,
      value,
    ]);
    expect(options).toMatchObject({ stackName, ...Object.fromEntries(stated) });
  }
};
const CERTIFICATE = 'arn:aws:acm:us-east-1:123456789012:certificate/11111111-2222-3333-4444-555555555555';

/** The check of each JSON sample, by its page and section, in the order of the section's samples. */
const CHECKS: Readonly<Record<string, readonly Check[]>> = {
  'docs/actions.md#Event': [actionBody('event', ({ event }) => event)],
  'docs/actions.md#Parameters': [actionBody('ai', () => 'c-1')],
  'docs/actions.md#Form': [actionBody('form', ({ submission_id }) => submission_id)],
  'docs/assistant-runtime.md#Connecting an assistant runtime': [refusal],
  'docs/assistant-runtime.md#List tools': [parsedBy(toolRequest), parsedBy(tools)],
  'docs/assistant-runtime.md#Call a tool': [parsedBy(toolRequest)],
  'docs/assistant-runtime.md#What a call answers': [parsedBy(toolResult)],
  'docs/assistant-runtime.md#Report usage': [parsedBy(usageReport), parsedBy(usageResult)],
  'docs/assistant-runtime.md#Put events on the bus': [busEntry],
  'docs/assistant-runtime.md#From another account': [policyStatements],
  'docs/deploying.md#Deploying': [optionsOfStacks],
  'docs/deploying.md#Your own key': [policyStatements],
  'docs/events.md#Envelope': [parsedBy(envelope)],
  'docs/usage-webhook.md#Usage webhook': [parsedBy(sessionCreateRequest)],
  'docs/usage-webhook.md#The report': [usageBody],
};

const jsonSamples = written('json');

test('every JSON sample of the documents has a check', () => {
  const checked = Object.entries(CHECKS).flatMap(([section, checks]) => checks.map(() => section));
  expect(jsonSamples.map(sectionOf)).toEqual(checked);
});

test.each(Object.entries(CHECKS))('the service accepts or sends the samples of %s', (section, checks) => {
  const found = jsonSamples.filter((sample) => sectionOf(sample) === section);
  for (const [index, check] of checks.entries()) {
    const text = found[index]?.code.trim() ?? '';
    check(JSON.parse(text), text);
  }
});

test('the arguments that the runtime guide sends fit the tool that it lists', () => {
  const of = (heading: string, index: number): unknown =>
    JSON.parse(jsonSamples.filter((sample) => sample.heading === heading)[index]?.code ?? '');
  const [tool] = tools.parse(of('List tools', 1)).tools;
  const call = z.object({ tool: z.string(), arguments_json: z.string() }).parse(of('Call a tool', 0));
  const args = jsonObject.parse(JSON.parse(call.arguments_json));
  expect(call.tool).toBe(tool?.name);
  expect(checkArguments(tool?.input_schema, args)).toEqual({ isValid: true, values: args });
});

/** What the reader's own code provides around a sample. */
type Surroundings = { readonly before: string; readonly after?: string };

const RECEIVER = `import type { IncomingMessage } from 'node:http';
declare const rawBody: Uint8Array, request: IncomingMessage;
declare function respond(status: number, message: string): void;
`;
const STORE_FILE = `/** @param {string | null} key @param {Uint8Array} bytes */
export async function storeOnce(key, bytes) {}
`;
const STORE = 'declare function storeOnce(key: string | null, bytes: Uint8Array): Promise<void>;\n';
const COMPONENT = { before: "import { useEffect, useState } from 'react';\nexport function Page() {\n", after: '}\n' };
const NEXT = `import Script from 'next/script';
declare function currentUser(): Promise<string>;
declare function mintSessionToken(user: string): Promise<string>;
`;

const PLATFORM = `import type { VaWaveProps } from '@va-wave/cdk';
declare const stack: import('aws-cdk-lib').Stack, runtime: import('aws-cdk-lib/aws-iam').IGrantable;
declare const { bus, userPool, alarmTopic }: VaWaveProps;
`;

/** The surroundings of each JavaScript and TypeScript sample, by section, in the order of the section's samples. */
const SURROUNDINGS: Readonly<Record<string, readonly Surroundings[]>> = {
  'README.md#Deploy it': [{ before: `import { VaWave } from '@va-wave/cdk';\n${PLATFORM}` }],
  'packages/cdk/README.md#@va-wave/cdk': [{ before: PLATFORM }],
  'packages/cdk/README.md#A Stage of a pipeline': [{ before: '' }],
  'packages/cdk/README.md#What the app can use': [
    { before: `import type { VaWave } from '@va-wave/cdk';\n${PLATFORM}declare const chat: VaWave;\n` },
  ],
  'docs/assistant-runtime.md#Try it': [{ before: '' }],
  'docs/integration.md#The shop': [{ before: '' }],
  'docs/integration.md#The runtime': [{ before: '' }],
  'docs/widget.md#Renew a token on an open page': [{ before: '' }],
  'docs/widget.md#Languages and texts': [{ before: '' }],
  'docs/widget.md#A place for the conversation': [{ before: '' }],
  'docs/widget-recipes.md#React': [{ before: '' }, COMPONENT],
  'docs/widget-recipes.md#Vue': [
    { before: 'declare function defineProps(props: { siteId: unknown }): { siteId: string };\n' },
  ],
  'docs/widget-recipes.md#Next': [{ before: '' }, { before: NEXT }],
  'examples/conversation-view/README.md#A conversation view': [{ before: '' }],
  ...Object.fromEntries(
    ['Express 4 and 5', 'Fastify', 'Next.js', 'Hono', 'AWS Lambda'].map((name) => [
      `docs/receiving.md#${name}`,
      [{ before: '' }],
    ]),
  ),
  'packages/receiver/README.md#Express 4 and 5': [{ before: STORE }],
  'packages/receiver/README.md#fetch (Next.js, Hono, SvelteKit, Remix, Deno, Bun) and AWS Lambda': [{ before: STORE }],
  'packages/receiver/README.md#Other servers': [{ before: RECEIVER }],
  'packages/receiver/README.md#Usage webhooks': [
    {
      before: `import express from 'express';
import type { UsageReport } from '@va-wave/receiver';
declare const app: ReturnType<typeof express>;
declare function budgetLeft(usage: UsageReport): boolean;
`,
    },
  ],
};

/** Declarations of libraries that the repository does not install. */
const LIBRARIES = `declare module 'next/script' {
  const Script: (properties: { src: string; strategy: 'afterInteractive'; [data: \`data-\${string}\`]: string }) => null;
  export default Script;
}
declare module 'vue' {
  export function onMounted(run: () => void): void;
  export function onUnmounted(run: () => void): void;
}
`;

const typed = [...written('js'), ...written('tsx'), ...written('vue')];

/** Type-checks samples as a project of its own. @returns the first line of each message of the compiler */
function compilerMessages(files: Readonly<Record<string, string>>): readonly string[] {
  const cache = resolve('node_modules/.cache');
  mkdirSync(cache, { recursive: true });
  const folder = mkdtempSync(join(cache, 'documents-'));
  try {
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
    copyFileSync('examples/conversation-view/view.js', join(folder, 'view.js'));
    writeFileSync(join(folder, 'store.js'), STORE_FILE);
    writeFileSync(join(folder, 'libraries.d.ts'), LIBRARIES);
    writeFileSync(
      join(folder, 'tsconfig.json'),
      JSON.stringify({
        compilerOptions: {
          target: 'es2024',
          lib: ['es2024', 'dom', 'dom.iterable'],
          module: 'esnext',
          moduleResolution: 'bundler',
          moduleDetection: 'force',
          types: ['node'],
          jsx: 'react-jsx',
          allowJs: true,
          allowImportingTsExtensions: true,
          strict: true,
          // A sample in JavaScript declares no type of a parameter.
          noImplicitAny: false,
          skipLibCheck: true,
          noEmit: true,
          paths: {
            '@va-wave/cdk': [resolve('lib/va-wave.ts')],
            '@va-wave/receiver': [resolve('packages/receiver/src/index.ts')],
          },
        },
        files: [...Object.keys(files), 'view.js', 'store.js', 'libraries.d.ts', resolve('widget/va-wave.d.ts')],
      }),
    );
    const compiler = resolve('node_modules/.bin/tsc');
    // Each of its threads would check the declarations of the libraries again, and its collector takes a third of the time.
    const { stdout } = spawnSync(compiler, ['-p', folder, '--pretty', 'false', '--singleThreaded'], {
      encoding: 'utf8',
      env: { ...process.env, GOGC: 'off' },
    });
    // The other lines are details of the message above them.
    return stdout.split('\n').filter((line) => /^\S/.test(line));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Calls the widget by its name and as a property of the window, and uses what a command returns. */
const IS_OPEN = `const isOpen: boolean = vaWave('isOpen') ?? false; window.vaWave('unread', isOpen ? 0 : 1);`;

function filesOf(found: readonly Sample[]): Record<string, string> {
  const counts = new Map<string, number>();
  return Object.fromEntries(
    found.map((sample) => {
      const section = sectionOf(sample);
      const index = counts.get(section) ?? 0;
      counts.set(section, index + 1);
      const { before, after = '' } = SURROUNDINGS[section]?.[index] ?? { before: '' };
      const code =
        sample.language === 'vue' ? (/<script setup>([\s\S]*)<\/script>/.exec(sample.code)?.[1] ?? '') : sample.code;
      const name = `${section}-${index}`.replace(/[^\w-]+/g, '_');
      return [`${name}.tsx`, before + code + after];
    }),
  );
}

test('every JavaScript and TypeScript sample of the documents has its surroundings', () => {
  const described = Object.entries(SURROUNDINGS).flatMap(([section, list]) => list.map(() => section));
  expect(typed.map(sectionOf).sort()).toEqual(described.sort());
});

test('the compiler finds an error only in the sample that is wrong', () => {
  const wrong = { 'wrong-command.tsx': `vaWave('unfold');` };
  const messages = compilerMessages({ ...filesOf(typed), ...wrong, 'is-open.tsx': IS_OPEN });
  expect(messages).toEqual([expect.stringContaining('wrong-command.tsx')]);
});

test('every script in an HTML sample is JavaScript', () => {
  const scripts = written('html').flatMap(({ code }) =>
    [...code.matchAll(/<script>([\s\S]*?)<\/script>/g)].map(([, script = '']) => script),
  );
  expect(scripts.length).toBeGreaterThan(1);
  for (const script of scripts) expect(() => new Script(script)).not.toThrow();
});

test('every shell sample is one that bash can parse', () => {
  const shellSamples = [...written('sh'), { path: 'wrong', heading: 'sample', language: 'sh', code: 'if true; then' }];
  const { stdout } = spawnSync(
    'bash',
    ['-c', 'for sample; do bash -n -c "$sample" 2> /dev/null; echo $?; done', 'bash'].concat(
      shellSamples.map(({ code }) => code.replace(/<[\w ]+>/g, 'x')),
    ),
    { encoding: 'utf8' },
  );
  const statuses = stdout.trim().split('\n');
  expect(statuses).toHaveLength(shellSamples.length);
  expect(shellSamples.filter((_, index) => statuses[index] !== '0').map(sectionOf)).toEqual(['wrong#sample']);
});
