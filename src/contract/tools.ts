import * as z from 'zod';
import { actionShape } from './action-shape.ts';
import { jsonObject } from './json.ts';
import { identifier } from './widget.ts';

/** Input of the ai-action function, which the assistant runtime invokes directly (its shape is open in the spec). */
export const toolRequest = z.discriminatedUnion('operation', [
  z.object({ operation: z.literal('listTools'), site_id: identifier }),
  z.object({
    operation: z.literal('callTool'),
    site_id: identifier,
    /** Becomes the `X-Service-Trigger-Ref` header. */
    conversation_id: identifier,
    tool: z.string().min(1).max(64),
    arguments: jsonObject.default({}),
  }),
]);

export type ToolRequest = z.input<typeof toolRequest>;

/** The result of a call that the assistant receives. */
export type ToolResult = {
  readonly outcome: 'completed' | 'unavailable' | 'invalid_arguments' | 'limit_reached' | 'unknown_tool';
  /** Text for the model. */
  readonly message: string;
  /** Present when the Action feeds its response back: fields of a JSON response, or the first 500 characters of any other. */
  readonly response?: Readonly<Record<string, unknown>> | string;
};

/**
 * The parameters of a tool as a model receives them: the parts of the stored parameters that this code knows. Parts that newer code added
 * stay on the Action and are not passed to a model, because this version was not tested with them.
 */
export const toolParameters = actionShape(z.object)['AI-decided'].parameters.unwrap();

/** Input of the action-test function, which the dashboard API invokes directly. */
export const actionTestRequest = z.object({ org_id: identifier, action_id: identifier });
