import { EVENT_NAMES, type EventName } from '../../contract/events.ts';

/** The most characters that a mistyped name differs by: `form.submit` differs from `form.submitted` by three. */
const MOST_CHANGES = 3;

/** Returns the name of the catalog that a wrong name most likely stands for; undefined when none is close. */
export function closestEvent(wrong: string): EventName | undefined {
  let closest: EventName | undefined;
  let fewest = MOST_CHANGES + 1;
  for (const name of EVENT_NAMES) {
    // A difference in length needs as many changes, so that long texts cost nothing.
    if (Math.abs(name.length - wrong.length) >= fewest) continue;
    const changes = changesBetween(wrong, name);
    if (changes < fewest) [closest, fewest] = [name, changes];
  }
  return closest;
}

/** Returns the number of characters to insert, delete or replace (Levenshtein's distance). */
function changesBetween(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (const [index, character] of [...from].entries()) {
    const next = [index + 1];
    for (const [column, other] of [...to].entries()) {
      const replaced = (row[column] ?? 0) + (character === other ? 0 : 1);
      next.push(Math.min(replaced, (row[column + 1] ?? 0) + 1, (next[column] ?? 0) + 1));
    }
    row = next;
  }
  return row[to.length] ?? 0;
}
