import { randomUUID } from 'node:crypto';
import type { Logger } from '@aws-lambda-powertools/logger';
import type { FunctionName } from '../deployment/outputs.ts';
import { InvocationEnded } from '../domain/delivery/outbound-request.ts';
import type { Invocation } from '../domain/facts.ts';
import { reporting } from './report.ts';
import { functionLogger, now } from './shell.ts';

/** The part of Lambda's context that says how much time an invocation has, in milliseconds. */
export type InvocationTime = { readonly getRemainingTimeInMillis: () => number };

/** Runs the work of one invocation. Others may run in the environment at the same time. */
export type Invoke = <Result>(
  time: InvocationTime,
  work: (invocation: Invocation) => Promise<Result>,
) => Promise<Result>;

/** What every function has: its logger, and what runs its invocations. */
export type Shell = { readonly logger: Logger; readonly invoke: Invoke };

/** Creates the shell of a function. @param name its folder in lambdas/ */
export function functionShell(name: FunctionName): Shell {
  const logger = functionLogger(name);
  return { logger, invoke: invocations(logger) };
}

/** Returns what runs invocations, reports their facts to this log, and emits their metrics when they end. */
export function invocations(logger: Logger): Invoke {
  const begin = reporting(logger, now);
  return (time, work) => {
    const { report, publish } = begin();
    return withinInvocation(time, (signal) => work({ signal, now, newId: randomUUID, report })).finally(publish);
  };
}

/** Created once, because an error costs a stack trace, and nearly every invocation ends without work that reads it. */
const ENDED = new InvocationEnded();

/**
 * Runs the work of one invocation. An environment may have many invocations at the same time, and one that times out is not stopped. So
 * the work gets a signal that fires when its invocation ends, and at its deadline at the latest, with InvocationEnded as the reason.
 */
export async function withinInvocation<Result>(
  time: InvocationTime,
  work: (ended: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const ended = new AbortController();
  const end = () => ended.abort(ENDED);
  const deadline = setTimeout(end, time.getRemainingTimeInMillis());
  try {
    return await work(ended.signal);
  } finally {
    clearTimeout(deadline);
    end();
  }
}
