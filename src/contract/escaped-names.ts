/**
 * Reads valid JSON of which a name is written with an escape. JSON.parse of V8 13 and 14 can read such a name as another one: as a name
 * with a backslash that an object with the same earlier members had before (https://github.com/nodejs/node/issues/63785). That object may
 * have been another tenant's. Every other text is left to JSON.parse.
 * @param parsed what JSON.parse made of the text; also the result for a text that is nested in thousands of levels
 * @param literal reads a string, a number, true, false or null
 */
export function withEscapedNames(text: string, parsed: unknown, literal: (text: string) => unknown): unknown {
  if (!hasEscapedName(text)) return parsed;
  try {
    return read(text, literal);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return parsed;
  }
}

function hasEscapedName(text: string): boolean {
  if (!text.includes('\\')) return false;
  let start = text.indexOf('"');
  while (start !== -1) {
    const end = endOfString(text, start);
    if (text[endOfSpace(text, end)] === ':' && text.slice(start, end).includes('\\')) return true;
    start = text.indexOf('"', end);
  }
  return false;
}

function read(text: string, literal: (text: string) => unknown): unknown {
  let at = 0;
  const next = () => {
    at = endOfSpace(text, at);
    return text[at];
  };
  const cut = (end: number) => {
    const part = text.slice(at, end);
    at = end;
    return part;
  };
  const string = () => String(literal(cut(endOfString(text, at))));
  const all = <Part>(end: string, part: () => Part): Part[] => {
    const parts: Part[] = [];
    at++;
    while (next() !== end) {
      if (text[at] === ',') at++;
      parts.push(part());
    }
    at++;
    return parts;
  };
  const member = (): [string, unknown] => {
    next();
    const name = string();
    next();
    at++;
    return [name, value()];
  };
  const value = (): unknown => {
    const first = next();
    if (first === '{') return Object.fromEntries(all('}', member));
    if (first === '[') return all(']', value);
    if (first === '"') return string();
    return literal(cut(endOf(/[^\s,\]}]*/y, text, at)));
  };
  return value();
}

function endOfString(text: string, start: number): number {
  let at = start + 1;
  while (text[at] !== '"') at += text[at] === '\\' ? 2 : 1;
  return at + 1;
}

const endOfSpace = (text: string, start: number) => endOf(/\s*/y, text, start);

function endOf(part: RegExp, text: string, start: number): number {
  part.lastIndex = start;
  part.test(text);
  return part.lastIndex;
}
