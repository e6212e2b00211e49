import * as z from 'zod';
import type { CliCommand } from '../command.ts';
import type { Row } from '../output.ts';
import { objectValue, textValue, wholeNumber } from '../values.ts';

/** Adds the options and the work of one of the commands of this file. */
export const addTo = (command: CliCommand) => (command.name() === 'tool' ? addTool : addUsage)(command);

/** The part of the answer for the text output. --json prints the whole answer. */
const toolList = z.object({
  tools: z.array(
    z.object({
      name: z.string(),
      description: z.string().default(''),
      input_schema: z
        .object({
          properties: z.record(z.string(), z.object({ type: z.string().default('any') })).default({}),
          required: z.array(z.string()).default([]),
        })
        .default({ properties: {}, required: [] }),
    }),
  ),
});

function row({ name, description, input_schema }: z.infer<typeof toolList>['tools'][number]): Row {
  const parameters = Object.entries(input_schema.properties).map(
    ([key, { type }]) => `${key}${input_schema.required.includes(key) ? '' : '?'}: ${type}`,
  );
  return { tool: name, parameters: parameters.join(', ') || '–', description };
}

type CallOptions = { readonly conversation: string; readonly arguments: string };

/** Adds the commands that call AI-decided Actions like the assistant runtime. */
function addTool(tool: CliCommand): void {
  tool
    .command('list <site_id>')
    .description('list the tools of an assistant: its enabled AI-decided Actions with their JSON Schemas')
    .examples('va-wave tool list site_…')
    .connected(async ({ output, context }, siteId: string) => {
      const listed = await context.runtime.tool({ operation: 'listTools', site_id: siteId });
      const read = toolList.safeParse(listed);
      if (output.json || !read.success) return output.object(listed, 'Tools');
      output.list(read.data.tools, 'No tools', read.data.tools.map(row));
    });

  tool
    .command('call <site_id> <tool>')
    .description(
      'call a tool in a conversation and show the result for the assistant; the limit is five calls per conversation',
    )
    .requiredOption('--conversation <id>', 'conversation id: letters, digits, _ and -')
    .option('--arguments <json>', 'arguments of the call: JSON, @file, or @- for stdin', '{}')
    .examples(`va-wave tool call site_… order-status --conversation phone-1 --arguments '{"order": 7}'`)
    .connected(async ({ output, context, cliProcess }, site_id: string, tool: string, options: CallOptions) => {
      const result = await context.runtime.tool({
        operation: 'callTool',
        site_id,
        conversation_id: options.conversation,
        tool,
        arguments_json: JSON.stringify(await objectValue('arguments', options.arguments, cliProcess)),
      });
      output.object(result, 'Result for the assistant');
    });
}

type UsageOptions = {
  readonly token: string;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly ttsChars: number;
  readonly ttsProvider?: string;
};

/** Adds the command that reports usage like the assistant runtime after a turn. */
function addUsage(usage: CliCommand): void {
  usage
    .command('report')
    .description('report the usage of a turn to the usage webhook of a session')
    .requiredOption('--token <token>', 'session token; @file, or @- for stdin, keeps it out of the process list')
    .requiredOption('--input-tokens <n>', 'input tokens of the turn', wholeNumber)
    .requiredOption('--output-tokens <n>', 'output tokens of the turn', wholeNumber)
    .option('--tts-chars <n>', 'characters of text-to-speech', wholeNumber, 0)
    .option('--tts-provider <name>', 'provider of text-to-speech')
    .examples('va-wave usage report --token @token.txt --input-tokens 120 --output-tokens 48')
    .connected(async ({ output, context, cliProcess }, options: UsageOptions) => {
      const session_token = (await textValue('token', options.token, cliProcess)).trim();
      const usage = {
        input_tokens: options.inputTokens,
        output_tokens: options.outputTokens,
        total_tokens: options.inputTokens + options.outputTokens,
        tts_chars: options.ttsChars,
        tts_provider: options.ttsProvider ?? null,
      };
      output.object(await context.runtime.reportUsage({ session_token, usage }), 'Reported');
    });
}
