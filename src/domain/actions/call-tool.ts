import { createHash } from 'node:crypto';
import type { AiAction } from '../../contract/actions.ts';
import { emptyAsObject, isJsonObject, jsonBytes, truncateCharacters } from '../../contract/fields.ts';
import type { ToolCall, ToolResult } from '../../contract/invocations.ts';
import {
  AI_CALLS_PER_CONVERSATION,
  NON_JSON_RESPONSE_CHARACTERS,
  TOOL_RESPONSE_MAX_BYTES,
} from '../../contract/limits.ts';
import { identifier } from '../../contract/widget.ts';
import { canonicalJson } from '../canonical-json.ts';
import type { Context, Conversations, EndpointAnswer, ToolCallRecord } from '../context.ts';
import { callActionOnce } from '../delivery/single-attempt.ts';
import { existingAssistant } from '../existing.ts';
import type { Invocation } from '../facts.ts';
import { parseJson } from '../parse-json.ts';
import { invalidField } from '../refusal.ts';
import { type ArgumentsVerdict, checkArguments, parametersForModel, type ToolSchema } from './parameters.ts';

/** A tool definition. Every model API has these three parts, under its own names. */
export type Tool = { readonly name: string; readonly description: string; readonly input_schema: ToolSchema };

/**
 * Lists the tools that an assistant may call: its enabled AI-decided Actions.
 * @param request `strict` asks for schemas of a strict mode
 * @throws Refusal 404 for an unknown assistant
 */
export async function listTools(
  { site_id: siteId, strict }: { readonly site_id: string; readonly strict?: boolean | undefined },
  { configuration }: Context<'configuration'>,
  { reportFact }: Invocation,
): Promise<readonly Tool[]> {
  const { actions, unreadable } = await configuration.toolsOf(siteId);
  for (const { action_id, cause } of unreadable) reportFact({ kind: 'action_unreadable', action_id, cause });
  // An assistant that has tools exists, so only one without them costs a read.
  if (actions.length === 0) existingAssistant(await configuration.findAssistant(siteId), siteId);
  return actions
    .filter(({ suspended }) => !suspended)
    .map(({ slug, description, parameters }) => ({
      name: slug,
      description,
      input_schema: parametersForModel(parameters, strict),
    }));
}

const UNKNOWN_TOOL: ToolResult = { outcome: 'unknown_tool', message: 'There is no such Action.' };
const LIMIT_REACHED: ToolResult = {
  outcome: 'limit_reached',
  message: 'This Action has reached its maximum use in this conversation. Offer human help.',
};
const ALREADY_CALLED: ToolResult = {
  outcome: 'already_called',
  message: 'This call was begun before. Whether it reached the service is not known.',
};
const UNAVAILABLE: ToolResult = {
  outcome: 'unavailable',
  message: 'The external service is unavailable. Offer a follow-up.',
};
const COMPLETED = { outcome: 'completed', message: 'The Action completed.' } as const satisfies ToolResult;

/**
 * Calls an AI-decided Action and returns the result for the assistant. Each call is one attempt; a conversation has five calls per
 * Action. Invalid arguments send nothing and do not count.
 */
export async function callTool(
  call: ToolCall,
  context: Context<'configuration' | 'conversations' | 'openSigningSecret' | 'send' | 'deliveryLog'>,
  invocation: Invocation,
): Promise<ToolResult> {
  // Models and frameworks put a namespace before a name (`functions.`), and write its hyphens as underscores. No slug has a dot, an underscore or a capital letter.
  const slug = call.tool
    .slice(call.tool.lastIndexOf('.') + 1)
    .toLowerCase()
    .replaceAll('_', '-');
  const action = identifier.safeParse(slug).success
    ? await context.configuration.findTool(call.site_id, slug)
    : undefined;
  if (!action?.enabled || action.suspended) return UNKNOWN_TOOL;
  const verdict = verdictOf(call, action);
  if (!verdict.isValid) return { outcome: 'invalid_arguments', message: `The arguments are wrong. ${verdict.problem}` };
  const { site_id, conversation_id } = call;
  const { action_id, name: action_name } = action;
  const admission = await context.conversations.countCall(
    {
      siteId: site_id,
      conversationId: conversation_id,
      actionId: action_id,
      idempotencyKey: call.idempotency_key,
      argumentsHash: createHash('sha256').update(canonicalJson(verdict.values)).digest('hex'),
    },
    AI_CALLS_PER_CONVERSATION,
  );
  if (admission === 'other_arguments')
    throw invalidField('idempotency_key', 'was used for a call with other arguments');
  if (admission === 'already_called') return ALREADY_CALLED;
  if (admission === 'limit_reached') return LIMIT_REACHED;
  const call_id = invocation.newId();
  const called_at = invocation.now().toISOString();
  const needsBody = action.feed_response_back;
  const request = { body: verdict.values, triggerRef: conversation_id, reference: call_id, needsBody };
  const { answer } = await callActionOnce(action, request, context, invocation);
  // A deletion waits only for invocations that have not ended.
  invocation.signal.throwIfAborted();
  const { status, latency_ms, error } = answer;
  const callRecord = { site_id, conversation_id, call_id, called_at, action_id, action_name, status, latency_ms };
  await recordCall({ ...callRecord, error: error?.message ?? null }, context.conversations, invocation);
  return resultFor(action, answer);
}

/**
 * Checks the arguments of a call: `arguments_json`, and without it `arguments`. Models also write an empty text or null for no arguments,
 * and null for an optional one: it is missing.
 */
function verdictOf(
  { arguments_json, arguments: parsedArguments }: ToolCall,
  { parameters }: AiAction,
): ArgumentsVerdict {
  const field = arguments_json == null ? 'arguments' : 'arguments_json';
  const args =
    arguments_json == null
      ? emptyAsObject(parsedArguments ?? null)
      : emptyAsObject(parseJson(arguments_json.trim() || 'null'));
  if (args !== null && !isJsonObject(args)) return { isValid: false, problem: `${field}: must be a JSON object` };
  const writtenArguments = Object.entries(args ?? {}).filter(([, value]) => value !== null);
  // Lambda may have rounded a number of `arguments` before this function saw it. One of `arguments_json` is as it was written.
  const roundedArgument = writtenArguments.find(
    ([, value]) => typeof value === 'number' && Math.abs(value) > Number.MAX_SAFE_INTEGER,
  );
  if (arguments_json == null && roundedArgument !== undefined)
    return { isValid: false, problem: `${roundedArgument[0]}: must be within ±${Number.MAX_SAFE_INTEGER}` };
  return checkArguments(parameters, Object.fromEntries(writtenArguments));
}

/** Records the call on the conversation. A failure is only reported, because the request has been made. */
async function recordCall(call: ToolCallRecord, conversations: Conversations, { reportFact }: Invocation) {
  const { call_id, action_id, status, latency_ms } = call;
  await conversations.recordCall(call).catch((cause: unknown) => {
    reportFact({ kind: 'call_unrecorded', call_id, action_id, status, latency_ms, cause });
  });
}

function resultFor({ feed_response_back, response_field_map }: AiAction, answer: EndpointAnswer): ToolResult {
  if (!answer.success) return UNAVAILABLE;
  if (!feed_response_back) return COMPLETED;
  const isWhole = answer.error === null;
  // The endpoint has accepted the request: after "unavailable", an assistant would make it again.
  if (!isWhole) return { ...COMPLETED, message: 'The Action completed. Its response could not be read.' };
  return { ...COMPLETED, response: toolResponse(answer.text, response_field_map) };
}

/**
 * Returns the part of a response that is fed back to the assistant (spec "AI-decided response handling"). With a field map these are the
 * mapped paths, up to 1 MB together, without one the top-level scalars of the JSON object. Of a response that is not JSON, it is the first 500 characters.
 */
export function toolResponse(
  response: string | null,
  fieldMap?: Readonly<Record<string, string>>,
): Readonly<Record<string, unknown>> | string {
  const text = response ?? 'The response is not text';
  const json = parseJson(withoutUnpairedSurrogates(text));
  if (json === undefined) return truncateCharacters(text, NON_JSON_RESPONSE_CHARACTERS);
  if (fieldMap !== undefined) return mappedFields(json, fieldMap);
  if (!isJsonObject(json)) return {};
  return Object.fromEntries(
    Object.entries(json).filter(([, value]) => value === null || typeof value !== 'object' || JSON.isRawJSON(value)),
  );
}

/** Replaces half of an emoji that an endpoint cut: model APIs refuse a whole conversation for it. Escaped backslashes and whole pairs match first, and stay. */
const withoutUnpairedSurrogates = (json: string) =>
  json.replace(
    /(?:\\\\)+|\\u[dD][89abAB][\da-fA-F]{2}\\u[dD][c-fC-F][\da-fA-F]{2}|(\\u[dD][89a-fA-F][\da-fA-F]{2})/g,
    (escaped: string, unpaired?: string) => (unpaired === undefined ? escaped : '\ufffd'),
  );

/**
 * Returns the values of the mapped paths. Several paths may lead to one value, so the values together can be larger than the response; what
 * is measured of values that do not fit and lie in each other is limited too.
 */
function mappedFields(json: unknown, fieldMap: Readonly<Record<string, string>>): Readonly<Record<string, unknown>> {
  const fields: [string, unknown][] = [];
  const sizes = new Map<unknown, number>([[undefined, Number.POSITIVE_INFINITY]]);
  let bytesLeft = TOOL_RESPONSE_MAX_BYTES;
  let toMeasure = 4 * TOOL_RESPONSE_MAX_BYTES;
  for (const [name, path] of Object.entries(fieldMap)) {
    const value = valueAt(json, path);
    const bytes = sizes.get(value) ?? (toMeasure > 0 ? jsonBytes(value) : Number.POSITIVE_INFINITY);
    if (!sizes.has(value)) toMeasure -= bytes;
    sizes.set(value, bytes);
    if (bytes > bytesLeft) continue;
    bytesLeft -= bytes;
    fields.push([name, value]);
  }
  return Object.fromEntries(fields);
}

/** Follows a path such as `$.a.b` through own properties only, so that no path reaches a prototype. Digits are the index of a list. */
function valueAt(json: unknown, path: string): unknown {
  let value = json;
  for (const name of path.split('.').slice(1)) {
    if (typeof value !== 'object' || value === null || JSON.isRawJSON(value)) return undefined;
    if (Array.isArray(value) && !/^\d+$/.test(name)) return undefined;
    value = Object.getOwnPropertyDescriptor(value, name)?.value;
  }
  return value;
}
