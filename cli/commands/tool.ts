import type { Command } from 'commander';
import * as z from 'zod';
import type { Row } from '../output.ts';
import type { Run } from '../session.ts';
import { jsonObject } from '../values.ts';
import { answerFields } from '../views.ts';

/** Of what the runtime answers, what a person reads; --json has all of it. */
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

/** AI-decided Actions, called as the assistant runtime calls them. */
export function addToolCommands(program: Command, run: Run): void {
  const tool = program.command('tool').description('AI-decided Actions, as the assistant runtime sees them');

  tool
    .command('list <site_id>')
    .description("list the tools of an assistant: its enabled AI-decided Actions, with each one's JSON Schema")
    .addHelpText('after', '\nExample:\n  va-wave tool list site_…')
    .action((siteId: string) =>
      run(async ({ output, deployment }) => {
        const { runtime } = await deployment();
        const listed = await runtime.tool({ operation: 'listTools', site_id: siteId });
        const read = toolList.safeParse(listed);
        if (output.json || !read.success) return output.object(listed, 'Tools', answerFields(listed));
        output.list(read.data.tools, 'No tools', read.data.tools.map(row));
      }),
    );

  tool
    .command('call <site_id> <tool>')
    .description(
      'call a tool in a conversation and show what the assistant is told; counts towards five per conversation',
    )
    .requiredOption('--conversation <id>', 'conversation: letters, digits, _ and -')
    .option('--arguments <json>', 'what the assistant produced: JSON, @file, or @- for stdin', '{}')
    .addHelpText(
      'after',
      `\nExample:\n  va-wave tool call site_… order-status --conversation phone-1 --arguments '{"order": 7}'`,
    )
    .action((siteId: string, name: string, options: { conversation: string; arguments: string }) =>
      run(async ({ output, deployment, cliProcess }) => {
        const given = await jsonObject('arguments', options.arguments, cliProcess);
        const { runtime } = await deployment();
        const told = await runtime.tool({
          operation: 'callTool',
          site_id: siteId,
          conversation_id: options.conversation,
          tool: name,
          arguments: given,
        });
        output.object(told, 'The assistant is told', answerFields(told));
      }),
    );
}
