import { EventBridgeClient } from '@aws-sdk/client-eventbridge';
import { LambdaClient } from '@aws-sdk/client-lambda';
import * as z from 'zod';
import { type Conversation, runTurn } from '../../../examples/assistant-runtime/turn.ts';
import { vaWave } from '../../../examples/assistant-runtime/va-wave.ts';
import { OUTPUTS } from '../../../src/contract/outputs.ts';
import { BoundedMap } from '../../../src/domain/bounded-map.ts';
import { type DemoCloud, outputOf } from '../../demo-cloud.ts';
import type { Operator } from '../operator.ts';
import { scriptedModel } from './scripted-model.ts';
import { type Credential, type Visitor, visitorOf } from './visitor.ts';

/** The maximum number of conversations in memory, more than a run of the demo needs. The oldest is dropped. */
const KEPT = 500;
const TEXT_MAX_CHARACTERS = 1000;

export const turnRequest = z.object({ conversation_id: z.string(), text: z.string().min(1).max(TEXT_MAX_CHARACTERS) });
export const readRequest = z.object({ conversation_id: z.string() });

type Message = { readonly from: 'visitor' | 'assistant'; readonly text: string; readonly at: string };
type Answer = { readonly messages: readonly Message[]; readonly ended: boolean };
type Talk = { readonly conversation: Conversation; readonly transcript: Message[]; busy: boolean };

export type Conversations = {
  /** What was said so far; undefined when the service does not let the visitor in. */
  readonly read: (credential: Credential, conversationId: string) => Promise<Answer | undefined>;
  /** One turn, and what the assistant says in it. */
  readonly say: (credential: Credential, conversationId: string, text: string) => Promise<Answer | undefined>;
};

/**
 * The platform that runs the assistant, as the backend of the conversation view. It is no part of the service. The service decides
 * whether a visitor may use a conversation (visitor.ts).
 */
export function conversations(cloud: DemoCloud, orgId: string, operator: Operator): Conversations {
  const { gatewayUrl: endpoint, region, credentials } = cloud;
  const lambda = new LambdaClient({ endpoint, region, credentials, maxAttempts: 1 });
  const events = new EventBridgeClient({ endpoint, region, credentials });
  const platformOf = (siteId: string) =>
    vaWave(lambda, events, {
      aiActionFunction: outputOf(cloud, OUTPUTS.aiAction),
      usageReportFunction: outputOf(cloud, OUTPUTS.usageReport),
      eventBus: outputOf(cloud, OUTPUTS.eventBus),
      orgId,
      siteId,
    });
  const talks = new BoundedMap<string, Talk>(KEPT);

  /** The conversation of a visitor whom the service lets in. */
  const talkOf = async (credential: Credential, conversationId: string) => {
    const visitor = await visitorOf(cloud.apiUrl, credential, conversationId);
    if (visitor === undefined) return undefined;
    const conversation: Conversation = { id: conversationId, sessionToken: undefined, messages: [], ended: false };
    const talk = talks.get(conversationId) ?? { conversation, transcript: [], busy: false };
    talks.set(conversationId, talk);
    return { visitor, talk };
  };

  const take = async ({ conversation, transcript }: Talk, { siteId, sessionToken }: Visitor, text: string) => {
    const said: Message[] = [];
    const at = () => new Date().toISOString();
    transcript.push({ from: 'visitor', text, at: at() });
    // The token is renewed while the page is open; each turn is reported with the one that it came with.
    const turn = { ...conversation, sessionToken };
    await runTurn(turn, text, {
      model: scriptedModel,
      platform: platformOf(siteId),
      say: async (reply) => {
        said.push({ from: 'assistant', text: reply, at: at() });
      },
      onFault: (what, cause) => console.error(`[demo conversation: ${what}]`, cause instanceof Error ? cause.name : ''),
    });
    Object.assign(conversation, { messages: turn.messages, ended: turn.ended });
    transcript.push(...said);
    return said;
  };

  /** The platform says so; the service only passes it on. */
  const publishEnd = ({ siteId, conversationId, sessionId }: Visitor, { transcript }: Talk) =>
    operator.publish({
      event: 'conversation.ended',
      org_id: orgId,
      site_id: siteId,
      data: { conversation_id: conversationId, session_id: sessionId, message_count: transcript.length },
    });

  return {
    read: async (credential, conversationId) => {
      const { talk } = (await talkOf(credential, conversationId)) ?? {};
      return talk && { messages: talk.transcript, ended: talk.conversation.ended };
    },
    say: async (credential, conversationId, text) => {
      const { talk, visitor } = (await talkOf(credential, conversationId)) ?? {};
      if (talk === undefined || visitor === undefined) return undefined;
      const { conversation } = talk;
      if (conversation.ended || talk.busy) return { messages: [], ended: conversation.ended };
      talk.busy = true;
      try {
        const messages = await take(talk, visitor, text);
        if (conversation.ended) await publishEnd(visitor, talk);
        return { messages, ended: conversation.ended };
      } finally {
        talk.busy = false;
      }
    },
  };
}
