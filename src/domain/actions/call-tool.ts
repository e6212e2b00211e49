import type * as z from 'zod';
import type { AiAction } from '../../contract/actions.ts';
import { truncateCharacters } from '../../contract/characters.ts';
import { parseJson } from '../../contract/json.ts';
import {
  AI_CALLS_PER_CONVERSATION,
  NON_JSON_RESPONSE_CHARACTERS,
  TOOL_RESPONSE_MAX_BYTES,
} from '../../contract/limits.ts';
import { type ToolResult, toolParameters } from '../../contract/tools.ts';
import { attemptOnce, type SingleAttemptPorts } from '../delivery/single-attempt.ts';
import { requireAssistant } from '../organizations/manage-assistants.ts';
import type { ConfigurationStore } from '../organizations/store.ts';
import type { NewId } from '../sources.ts';
import { checkArguments, NO_PARAMETERS, unlistableParameters } from './parameters.ts';

/** A tool definition. Every model API has these three parts, under its own names. */
export type Tool = {
  readonly name: string;
  readonly description: string;
  readonly input_schema: z.infer<typeof toolParameters>;
};

export type ListToolsPorts = {
  readonly toolsOf: (siteId: string) => Promise<readonly AiAction[]>;
  /** Called only when there is no tool. */
  readonly findAssistant: ConfigurationStore['findAssistant'];
  /** Reports to the operator an Action that is not listed because of the names of these parameters. */
  readonly notListed: (action: AiAction, parameters: readonly string[]) => void;
};

/**
 * Lists the tools that an assistant may call: its enabled AI-decided Actions. Leaves out an Action with a parameter whose name model APIs
 * refuse, because they would refuse every request of the assistant. Such names can be stored from before they were refused.
 * @throws Refusal 404 for an unknown assistant
 */
export async function listTools(siteId: string, ports: ListToolsPorts): Promise<readonly Tool[]> {
  const actions = await ports.toolsOf(siteId);
  if (actions.length === 0) await requireAssistant(siteId, { store: ports });
  return actions.flatMap((action) => {
    if (action.suspended) return [];
    const parameters = action.parameters ?? NO_PARAMETERS;
    const refused = unlistableParameters(parameters);
    if (refused.length > 0) {
      ports.notListed(action, refused);
      return [];
    }
    return [{ name: action.slug, description: action.description, input_schema: toolParameters.parse(parameters) }];
  });
}

/** The record of a call that is stored with the conversation (spec "AI-decided response handling"). */
export type ToolCallRecord = {
  readonly site_id: string;
  readonly conversation_id: string;
  readonly call_id: string;
  readonly action_id: string;
  readonly action_name: string;
  /** ISO 8601, UTC. */
  readonly called_at: string;
  readonly status: number | null;
  /** Milliseconds. */
  readonly latency_ms: number | null;
  readonly error: string | null;
};

export type CallToolPorts = SingleAttemptPorts & {
  readonly findTool: (siteId: string, slug: string) => Promise<AiAction | undefined>;
  /** Counts a call of this Action in this conversation. Returns false, and counts nothing, once `limit` calls were made. Exact. */
  readonly countCall: (
    call: { siteId: string; conversationId: string; actionId: string },
    limit: number,
  ) => Promise<boolean>;
  readonly recordCall: (record: ToolCallRecord) => Promise<void>;
  /** Reports a call that could not be recorded to the operator. The assistant does not learn of it, and the call is not repeated. */
  readonly recordFailed: (record: ToolCallRecord, cause: unknown) => void;
  readonly newId: NewId;
};

/**
 * Calls an AI-decided Action and returns the result for the assistant. Each call is one attempt; a conversation has five calls per
 * Action. Invalid arguments send nothing and do not count.
 */
export async function callTool(
  call: {
    readonly siteId: string;
    readonly conversationId: string;
    readonly tool: string;
    readonly arguments: Readonly<Record<string, unknown>>;
  },
  ports: CallToolPorts,
): Promise<ToolResult> {
  const { siteId, conversationId } = call;
  const action = await ports.findTool(siteId, call.tool);
  if (!action?.enabled || action.suspended) return { outcome: 'unknown_tool', message: 'There is no such Action.' };
  const verdict = checkArguments(action.parameters, call.arguments);
  if (!verdict.valid) return { outcome: 'invalid_arguments', message: `The arguments are wrong. ${verdict.problem}` };
  if (!(await ports.countCall({ siteId, conversationId, actionId: action.action_id }, AI_CALLS_PER_CONVERSATION))) {
    return {
      outcome: 'limit_reached',
      message: 'This Action has reached its maximum use in this conversation. Offer human help.',
    };
  }
  const callId = ports.newId();
  const calledAt = ports.now().toISOString();
  const { outcome, result } = await attemptOnce(
    action,
    { body: verdict.values, triggerRef: conversationId, reference: callId, needsBody: action.feed_response_back },
    ports,
  );
  const record: ToolCallRecord = {
    site_id: siteId,
    conversation_id: conversationId,
    call_id: callId,
    action_id: action.action_id,
    action_name: action.name,
    called_at: calledAt,
    status: result.status,
    latency_ms: result.latency_ms,
    error: result.error?.message ?? null,
  };
  await ports.recordCall(record).catch((cause: unknown) => ports.recordFailed(record, cause));

  const needsBody = action.feed_response_back;
  if (outcome.failure !== null || (needsBody && !outcome.bodyComplete)) {
    return {
      outcome: 'unavailable',
      message: 'The external service is unavailable. Offer a follow-up.',
    };
  }
  if (!needsBody) return { outcome: 'completed', message: 'The Action completed.' };
  return {
    outcome: 'completed',
    message: 'The Action completed.',
    response: toolResponse(outcome.body, action.response_field_map),
  };
}

/**
 * Returns the part of a response that is fed back to the assistant (spec "AI-decided response handling"). With a field map these are the
 * mapped paths, up to 1 MB together, without one the top-level scalars of the JSON object. Of a response that is not JSON, it is the first 500 characters.
 */
export function toolResponse(
  body: Uint8Array,
  fieldMap: Readonly<Record<string, string>> | undefined,
): Readonly<Record<string, unknown>> | string {
  const text = new TextDecoder().decode(body);
  let json: unknown;
  try {
    json = parseJson(text);
  } catch {
    return truncateCharacters(text, NON_JSON_RESPONSE_CHARACTERS);
  }
  if (fieldMap !== undefined) {
    let left = TOOL_RESPONSE_MAX_BYTES;
    const mapped = Object.entries(fieldMap).map(([name, path]) => [name, valueAt(json, path)] as const);
    // Several paths may lead to one value, so the fields together can be larger than the response.
    const fits = (value: unknown) => {
      const bytes = jsonBytes(value);
      if (bytes > left) return false;
      left -= bytes;
      return true;
    };
    return Object.fromEntries(mapped.filter(([, value]) => value !== undefined && fits(value)));
  }
  if (typeof json !== 'object' || json === null || Array.isArray(json)) return {};
  return Object.fromEntries(Object.entries(json).filter(([, value]) => value === null || typeof value !== 'object'));
}

/**
 * Returns the size of a value as JSON. JSON.parse accepts any depth, but JSON.stringify only some thousand levels: a deeper value cannot be
 * passed on, so it is larger than any limit.
 */
function jsonBytes(value: unknown): number {
  try {
    return Buffer.byteLength(JSON.stringify(value));
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}

/** Follows a path such as `$.a.b` through own properties only, so that no path reaches a prototype. Digits are the index of a list. */
function valueAt(json: unknown, path: string): unknown {
  let value = json;
  for (const name of path.split('.').slice(1)) {
    if (typeof value !== 'object' || value === null) return undefined;
    if (Array.isArray(value) && !/^\d+$/.test(name)) return undefined;
    value = Object.getOwnPropertyDescriptor(value, name)?.value;
  }
  return value;
}
