import { randomUUID } from 'node:crypto';
import { createInterface } from 'node:readline/promises';
import { BedrockRuntimeClient } from '@aws-sdk/client-bedrock-runtime';
import { EventBridgeClient } from '@aws-sdk/client-eventbridge';
import { LambdaClient } from '@aws-sdk/client-lambda';
import { bedrockModel } from './bedrock-model.ts';
import { scriptedModel } from './scripted-model.ts';
import { type Conversation, runTurn } from './turn.ts';
import { vaWave } from './va-wave.ts';

// Runs a conversation in the terminal, or with the lines of a pipe. Your input is the visitor's message.
const modelId = required('MODEL_ID');
const context = {
  model: modelId === 'scripted' ? scriptedModel : bedrockModel(new BedrockRuntimeClient(), modelId),
  // A call that may have reached the customer's endpoint is not repeated.
  platform: vaWave(new LambdaClient({ maxAttempts: 1 }), new EventBridgeClient(), {
    aiActionFunction: required('AI_ACTION_FUNCTION'),
    usageReportFunction: required('USAGE_REPORT_FUNCTION'),
    eventBus: required('EVENT_BUS'),
    orgId: required('ORG_ID'),
    siteId: required('SITE_ID'),
  }),
  say: async (text: string) => console.log(`\n${text}\n`),
  onFault: (what: string, cause: unknown) => console.error(`[${what}]`, cause),
};
const conversation: Conversation = {
  id: process.env.CONVERSATION_ID ?? randomUUID(),
  sessionToken: process.env.SESSION_TOKEN,
  messages: [],
  hasEnded: false,
};

const terminal = createInterface({ input: process.stdin, output: process.stdout, prompt: '> ' });
// The lines of a pipe are read before they are answered, and a closed terminal takes no prompt.
let isOpen = true;
terminal.once('close', () => {
  isOpen = false;
});
terminal.prompt();
for await (const line of terminal) {
  if (line.trim() !== '') await runTurn(conversation, line, context);
  if (conversation.hasEnded) break;
  if (isOpen) terminal.prompt();
}
if (conversation.hasEnded) console.log('The conversation has ended.');
terminal.close();

function required(name: string): string {
  const value = process.env[name];
  if (value === undefined || value === '') throw new Error(`Set ${name}`);
  return value;
}
