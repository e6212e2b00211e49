import { ServiceError } from '../domain/service-error.ts';

/**
 * Combines the questions of one turn of the event loop into one call, because the messages of a batch ask for much the same at the same
 * time. The call begins after the last of them, so a strongly consistent read is strongly consistent for each. Nothing is kept after
 * it has begun, so no invocation waits for a question of another one.
 * @param ask answers questions that all have different names: one promise for each, in their order. Each caller settles when its own
 * promise does. When `ask` throws, all callers of this call fail. Its promises must be bounded in time, as those of AWS's clients are.
 * @param options.nameOf equal questions have the same name and share one answer. @default the question itself
 * @param options.atMost limit of questions in one call; more questions need several calls
 */
export function inBatches<Question, Answer>(
  ask: (questions: readonly Question[]) => readonly Promise<Answer>[],
  {
    nameOf = (question) => question,
    atMost = Number.POSITIVE_INFINITY,
  }: { readonly nameOf?: (question: Question) => unknown; readonly atMost?: number } = {},
): (question: Question) => Promise<Answer> {
  type PendingQuestion = PromiseWithResolvers<Answer> & { readonly question: Question };
  let pendingQuestions = new Map<unknown, PendingQuestion>();

  const call = (questions: readonly PendingQuestion[]) => {
    try {
      const answers = ask(questions.map(({ question }) => question));
      for (const [index, { resolve, reject }] of questions.entries()) {
        const answer = answers[index];
        if (answer === undefined) reject(new ServiceError('A question of a combined call has no answer'));
        else resolve(answer);
      }
    } catch (cause) {
      for (const { reject } of questions) reject(cause);
    }
  };
  const callAll = () => {
    const collectedQuestions = [...pendingQuestions.values()];
    pendingQuestions = new Map();
    while (collectedQuestions.length > 0) call(collectedQuestions.splice(0, atMost));
  };

  return (question) => {
    const name = nameOf(question);
    const equalQuestion = pendingQuestions.get(name);
    if (equalQuestion !== undefined) return equalQuestion.promise;
    if (pendingQuestions.size === 0) setImmediate(callAll);
    const pendingQuestion = { question, ...Promise.withResolvers<Answer>() };
    pendingQuestions.set(name, pendingQuestion);
    return pendingQuestion.promise;
  };
}

/** Splits entries into batches in their order. No two of a batch have one key. One larger than a batch is alone. */
export function batchesOf<Entry extends { readonly bytes: number; readonly key?: string }>(
  entries: readonly Entry[],
  limits: { readonly entries: number; readonly bytes: number },
): readonly Entry[][] {
  const batches: Entry[][] = [];
  let bytes = 0;
  for (const entry of entries) {
    const current = batches.at(-1);
    const isTaken = current?.some(({ key }) => key !== undefined && key === entry.key);
    if (current === undefined || current.length === limits.entries || bytes + entry.bytes > limits.bytes || isTaken) {
      batches.push([entry]);
      bytes = entry.bytes;
    } else {
      current.push(entry);
      bytes += entry.bytes;
    }
  }
  return batches;
}
