import * as z from 'zod';
import { SHOWN_ACTION } from './action-shape.ts';
import { REFUSAL_BODY, REFUSAL_CODES } from './errors.ts';
import { characters, jsonObject } from './fields.ts';
import { IDEMPOTENCY_KEY_MAX_CHARACTERS, SESSION_TOKEN_MAX_BYTES } from './limits.ts';
import { identifier } from './widget.ts';

/** The result of a directly invoked function that refuses the request (its shape is open in the spec). */
export const refusedInvocation = z.object({
  ...REFUSAL_BODY,
  code: z.literal(REFUSAL_CODES),
  status: z.int(),
  /** Whole seconds after which the caller can try again. */
  retry_after_seconds: z.int().optional(),
});
export type RefusedInvocation = z.infer<typeof refusedInvocation>;

const toolCall = z.object({
  site_id: identifier,
  /** Becomes the `X-Service-Trigger-Ref` header. */
  conversation_id: identifier,
  /** The name as the model wrote it: a namespace may stand before it, and it may be of any length. */
  tool: z.string(),
  /** The arguments as the model wrote them. Text, because Lambda parses an invocation before the function and rounds long numbers. */
  arguments_json: z.string().nullish(),
  /** The arguments as an object, which is read when there is no text. What else a model writes is answered to the model. */
  arguments: z.unknown().optional(),
  /** Made by the runtime for each call, so that a repeated invocation is recognised. */
  idempotency_key: characters({ min: 1, max: IDEMPOTENCY_KEY_MAX_CHARACTERS }).optional(),
});
export type ToolCall = z.infer<typeof toolCall>;

/** Input of the ai-action function, which the assistant runtime invokes directly (its shape is open in the spec). */
export const toolRequest = z.discriminatedUnion('operation', [
  z.object({
    operation: z.literal('listTools'),
    site_id: identifier,
    /** Schemas for the strict mode of a model's API: every parameter is required, and an optional one may be null. */
    strict: z.boolean().optional(),
  }),
  toolCall.extend({ operation: z.literal('callTool') }),
]);
export type ToolRequest = z.input<typeof toolRequest>;

/** The result of a call that the assistant receives. */
export type ToolResult = {
  readonly outcome:
    | 'completed'
    | 'unavailable'
    | 'invalid_arguments'
    | 'limit_reached'
    | 'already_called'
    | 'unknown_tool';
  /** Text for the model. */
  readonly message: string;
  /** Present when the Action feeds its response back: fields of a JSON response, or the first 500 characters of any other. */
  readonly response?: Readonly<Record<string, unknown>> | string;
};

/**
 * The parameters of a tool as a model receives them: the parts of the stored parameters that this code knows. Parts that newer code added
 * stay on the Action and are not passed to a model, because this version was not tested with them.
 */
export const toolParameters = SHOWN_ACTION['AI-decided'].parameters.unwrap();

/** Input of the action-test function, which the dashboard API invokes directly. `change` has settings that are not saved. */
export const actionTestRequest = z.object({
  org_id: identifier,
  action_id: identifier,
  change: jsonObject.default({}),
});

const count = z.int().min(0);

/** Input of the usage-report function, which the assistant runtime invokes directly after each turn (open in the spec). */
export const usageReport = z.object({
  session_token: z.string().min(1).max(SESSION_TOKEN_MAX_BYTES),
  usage: z.object({
    input_tokens: count,
    output_tokens: count,
    total_tokens: count,
    tts_chars: count.nullish().transform((characters) => characters ?? 0),
    tts_provider: characters({ max: 100 }).nullable().default(null),
  }),
});
export type UsageReport = z.infer<typeof usageReport>;
export type UsageReportInput = z.input<typeof usageReport>;

export type UsageReportResult = {
  /** False only when the webhook replied `{"should_continue": false}`. */
  readonly should_continue: boolean;
  /** False when the session has no usage webhook. True also when its request failed or was not sent. */
  readonly reported: boolean;
};
