import type * as z from 'zod';
import type { AiAction } from '../../contract/actions.ts';
import { AI_CALLS_PER_CONVERSATION } from '../../contract/limits.ts';
import { type ToolResult, toolParameters } from '../../contract/tools.ts';
import { attemptOnce, type SingleAttemptPorts } from '../delivery/single-attempt.ts';
import { requireAssistant } from '../organizations/manage-assistants.ts';
import type { ConfigurationStore } from '../organizations/store.ts';
import type { NewId } from '../sources.ts';
import { checkArguments, NO_PARAMETERS, unlistableParameters } from './parameters.ts';
import { toolResponse } from './tool-response.ts';

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
