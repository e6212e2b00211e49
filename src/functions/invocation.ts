import { randomUUID } from 'node:crypto';
import { LogFormatter, Logger, LogItem } from '@aws-lambda-powertools/logger';
import type { LogAttributes, UnformattedAttributes } from '@aws-lambda-powertools/logger/types';
import * as z from 'zod';
import type { FunctionName } from '../deployment/outputs.ts';
import { InvocationEnded } from '../domain/delivery/outbound-request.ts';
import type { Invocation } from '../domain/facts.ts';
import { factReporter } from './fact-reporter.ts';
import { now, traceId } from './settings.ts';

/** The part of Lambda's context that says how much time an invocation has, in milliseconds. */
export type InvocationTime = { readonly getRemainingTimeInMillis: () => number };

/** Runs the work of one invocation. Others may run in the environment at the same time. */
export type Invoke = <Result>(
  time: InvocationTime,
  work: (invocation: Invocation) => Promise<Result>,
) => Promise<Result>;

/** What every function has: its logger, and what runs its invocations. */
export type Shell = { readonly logger: Logger; readonly invoke: Invoke };

/**
 * Formats log lines without the attributes that are the same in every line of a function: ARN, name, memory, and
 * cold start, which Lambda logs itself. They are more bytes than the rest of a line, and logs are billed by the byte (docs/costs.md).
 */
class LeanFormatter extends LogFormatter {
  formatAttributes(
    { logLevel, message, timestamp, serviceName, lambdaContext }: UnformattedAttributes,
    more: LogAttributes,
  ): LogItem {
    return new LogItem({
      attributes: {
        level: logLevel,
        message,
        timestamp: this.formatTimestamp(timestamp),
        service: serviceName,
        function_request_id: lambdaContext?.awsRequestId,
        trace_id: traceId(),
      },
    }).addAttributes(more);
  }
}

/**
 * Creates the logger of a function, which writes one JSON object per line. Removes the settings of Powertools from the environment, so it
 * comes before the metrics. @param serviceName folder of the function in lambdas/
 */
export function functionLogger(serviceName: string): Logger {
  // What an app sets on all its functions for its own Powertools would log events with their secrets, drop lines, or take the metrics from the alarms.
  for (const name of Object.keys(process.env)) if (name.startsWith('POWERTOOLS_')) delete process.env[name];
  return new Logger({ serviceName, logLevel: 'INFO', logFormatter: new LeanFormatter() });
}

/** Creates the shell of a function. @param name its folder in lambdas/ */
export function functionShell(name: FunctionName): Shell {
  const logger = functionLogger(name);
  return { logger, invoke: invocations(logger) };
}

/** Returns what runs invocations, reports their facts to this log, and emits their metrics when they end. */
export function invocations(logger: Logger): Invoke {
  const begin = factReporter(logger, now);
  return (time, work) => {
    const { reportFact, publish } = begin();
    return withinInvocation(time, (signal) => work({ signal, now, newId: randomUUID, reportFact })).finally(publish);
  };
}

/** Created once, because an error costs a stack trace, and in nearly every invocation no work is left at its end that reads it. */
const ENDED = new InvocationEnded();

/**
 * Runs the work of one invocation. An environment may have many invocations at the same time, and one that times out is not stopped. So
 * the work gets a signal that fires when its invocation ends, and at its deadline at the latest, with InvocationEnded as the reason.
 */
export async function withinInvocation<Result>(time: InvocationTime, work: (ended: AbortSignal) => Promise<Result>) {
  const invocationEnd = new AbortController();
  const end = () => invocationEnd.abort(ENDED);
  const deadline = setTimeout(end, time.getRemainingTimeInMillis());
  try {
    return await work(invocationEnd.signal);
  } finally {
    clearTimeout(deadline);
    end();
  }
}

/** Returns whether the schedule invoked the function, and not an operator, whose invocation does its work without asking whether it is due. */
export const isScheduled = (event: unknown): boolean =>
  z.object({ 'detail-type': z.literal('Scheduled Event') }).safeParse(event).success;
