import { createHmac } from 'node:crypto';
import { readFileSync } from 'node:fs';
import * as z from 'zod';
import { verifyAction, verifyUsageWebhook } from '../../packages/receiver/src/index.ts';
import { parametersSchema } from '../../src/contract/actions.ts';
import { REFUSALS } from '../../src/contract/errors.ts';
import {
  refusedInvocation,
  type ToolResult,
  toolRequest,
  type UsageReportResult,
  usageReport,
} from '../../src/contract/invocations.ts';
import { jsonObject } from '../../src/contract/json.ts';
import { busEvent, envelope } from '../../src/contract/queues.ts';
import { sessionCreateRequest } from '../../src/contract/sessions.ts';
import { checkArguments } from '../../src/domain/actions/parameters.ts';
import { canonicalJson } from '../../src/domain/canonical-json.ts';
import { signatureHeader } from '../../src/domain/delivery/action-request.ts';
import { allDocuments, type Sample, samples } from './documents.ts';

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
    expect(verifyAction(text, headers, SECRET).body).toEqual(body);
  };

const usageBody: Check = (value, text) => {
  expect(text).toBe(canonicalJson(value));
  const { timestamp } = z.object({ timestamp: z.int() }).parse(value);
  const headers = {
    'x-webhook-signature': createHmac('sha256', SECRET).update(text).digest('hex'),
    'x-webhook-timestamp': String(timestamp),
  };
  expect(verifyUsageWebhook(text, headers, SECRET, { now: () => timestamp * 1000 })).toEqual(value);
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

/** The schema of an answer in docs/openapi.json, without the fields that OpenAPI adds to JSON Schema. */
function _answerSchema(path: string): z.ZodType {
  const { paths } = JSON.parse(readFileSync('docs/openapi.json', 'utf8'));
  return z.fromJSONSchema(paths[path].post.responses[200].content['application/json'].schema);
}

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
  'docs/deploying.md#Your own key': [policyStatements],
  'docs/events.md#Envelope': [parsedBy(envelope)],
  'docs/usage-webhook.md#Usage webhook': [parsedBy(sessionCreateRequest)],
  'docs/usage-webhook.md#The report': [usageBody],
};

const sectionOf = ({ path, heading }: Sample) => `${path}#${heading}`;
const jsonSamples = allDocuments()
  .flatMap(samples)
  .filter(({ language }) => language === 'json');

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
  const call = z.object({ tool: z.string(), arguments: jsonObject }).parse(of('Call a tool', 0));
  expect(call.tool).toBe(tool?.name);
  expect(checkArguments(tool?.input_schema, call.arguments)).toEqual({ valid: true, values: call.arguments });
});

test.each([
  ['docs/actions.md#Event', '{"id": "1"}'],
  ['docs/actions.md#Event', '{"id":"1","event":"contact.removed","timestamp":1}'],
  ['docs/usage-webhook.md#The report', '{"user_id":"u","timestamp":1}'],
  [
    'docs/assistant-runtime.md#Put events on the bus',
    '{"EventBusName":"b","Source":"aws.x","DetailType":"d","Detail":"{}"}',
  ],
])('a wrong sample of %s is found: %s', (section, text) => {
  expect(() => CHECKS[section]?.[0]?.(JSON.parse(text), text)).toThrow();
});
