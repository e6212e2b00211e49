/**
 * Shares one call among equal questions that are asked in one turn of the event loop: the events of a batch often belong to one organization.
 * The call begins after the last question, so a strongly consistent read stays one for each of them. Answers are not kept.
 */
export function askedTogether<Question extends readonly (string | undefined)[], Answer>(
  ask: (...question: Question) => Promise<Answer>,
): (...question: Question) => Promise<Answer> {
  const waiting = new Map<string, Promise<Answer>>();
  return (...question) => {
    const name = JSON.stringify(question);
    const asked = waiting.get(name);
    if (asked !== undefined) return asked;
    const answer = new Promise<void>((resolve) => setImmediate(resolve)).then(() => {
      waiting.delete(name);
      return ask(...question);
    });
    waiting.set(name, answer);
    return answer;
  };
}
