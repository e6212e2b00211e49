/**
 * Combines equal calls in one turn of the event loop into one call, because the events of a batch often belong to one organization. The
 * combined call begins after the last of them, so a strongly consistent read is strongly consistent for each. Results are not cached.
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
