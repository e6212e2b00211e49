import * as z from 'zod';

const count = z.int().min(0);

/** Input of the usage-report function, which the assistant runtime invokes directly after each turn (open in the spec). */
export const usageReport = z.object({
  session_token: z.string().min(1).max(8192),
  usage: z.object({
    input_tokens: count,
    output_tokens: count,
    total_tokens: count,
    tts_chars: count.default(0),
    tts_provider: z.string().max(100).nullable().default(null),
  }),
});
export type UsageReport = z.infer<typeof usageReport>;
export type UsageReportInput = z.input<typeof usageReport>;

export type UsageReportResult = {
  /** False only when the webhook replied `{"should_continue": false}`. */
  readonly should_continue: boolean;
  /** True when the session has a webhook and a request was made. */
  readonly reported: boolean;
};
