import * as z from 'zod';
import { toolParameters } from '../../src/contract/invocations.ts';
import { type CliCommand, FieldOption } from '../command.ts';
import type { Row } from '../output.ts';
import { objectValue } from '../values.ts';

/** The part of the answer for the text output. --json prints the whole answer, and so does the answer of a version that has no such part. */
const toolList = z.object({
  tools: z.array(z.object({ name: z.string(), description: z.string(), input_schema: toolParameters })),
});

/** Returns a tool for the table. A question mark follows the name of a parameter that is not required. */
function row({ name, description, input_schema }: z.infer<typeof toolList>['tools'][number]): Row {
  const parameters = Object.entries(input_schema.properties).map(
    ([key, { type }]) => `${key}${input_schema.required.includes(key) ? '' : '?'}: ${type}`,
  );
  return { tool: name, parameters: parameters.join(', ') || '–', description };
}

type CallOptions = { readonly conversation: string; readonly arguments: string };

export function addTo(tool: CliCommand): void {
  tool
    .command('list <site_id>')
    .description('list the tools of an assistant with their JSON Schemas')
    .examples('va-wave tool list site_…')
    .withDeployment(async ({ output, context }, siteId: string) => {
      const listedTools = await context.runtime.tool({ operation: 'listTools', site_id: siteId });
      const parsedTools = toolList.safeParse(listedTools);
      if (output.json || !parsedTools.success) return output.object(listedTools, 'Tools');
      output.list(parsedTools.data.tools, 'No tools', parsedTools.data.tools.map(row));
    });

  tool
    .command('call <site_id> <tool>')
    .description('call a tool in a conversation, and show the result for the assistant')
    .requiredOption('--conversation <conversation_id>', 'letters, digits, _ and -')
    .addOption(
      new FieldOption(
        'arguments_json',
        '--arguments <json>',
        'arguments of the call: JSON, @file, or @- for stdin',
      ).default('{}'),
    )
    .examples(`va-wave tool call site_… order-status --conversation phone-1 --arguments '{"order": 7}'`)
    .withDeployment(async ({ output, context, cliProcess }, site_id: string, tool: string, options: CallOptions) => {
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
