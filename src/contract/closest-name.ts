/** Returns the name that was likely meant, if any. @param most the most characters to insert, delete or replace */
export function closestName<Name extends string>(wrong: string, names: readonly Name[], most: number) {
  let closest: Name | undefined;
  let fewest = most + 1;
  for (const name of names) {
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
