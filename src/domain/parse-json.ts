/** Parses JSON into `unknown`, so that a schema must validate the result. @throws SyntaxError, which quotes the text */
export function parseJson(text: string): unknown {
  return withEscapedNames(text, JSON.parse(text), (literal) => JSON.parse(literal));
}

/** Returns what `parse` makes of a text; undefined, which is no JSON value, for text that is not JSON. */
export function jsonOrUndefined(text: string, parse = parseJson): unknown {
  try {
    return parse(text);
  } catch {
    return undefined;
  }
}

/** Matches a number that a double may not represent exactly: with 16 digits or more, with an exponent, or minus zero. */
const UNUSUAL = String.raw`-?(?:\d+(?:\.\d+)?[eE]|[\d.]{16})|-0(?:\.0+)?(?=[\s,\]}]|$)`;
const UNUSUAL_NUMBER = new RegExp(`^(?:${UNUSUAL})`);
/** May also match inside a string. That costs time and does not change the result. */
const MAY_HOLD_UNUSUAL = new RegExp(String.raw`(?:^|[[:,])\s*(?:${UNUSUAL})`);

/**
 * Parses JSON like JSON.parse, but keeps the text of a number that a double may not represent exactly, such as 12345678901234567890
 * or 1e400: it becomes an object that JSON.stringify writes as the same text. Use it for data that is passed on and not inspected.
 *
 * A text with such a number takes six times as long as with JSON.parse, and one with an escape in a name four times. A text that is nested in
 * thousands of levels is parsed like JSON.parse does, so that a caller can refuse it by name (EVENT_DATA_MAX_LEVELS).
 *
 * @throws SyntaxError
 */
export function parseExactly(text: string): unknown {
  return withEscapedNames(text, parsedExactly(text), (literal) =>
    UNUSUAL_NUMBER.test(literal) ? JSON.rawJSON(literal) : JSON.parse(literal),
  );
}

function parsedExactly(text: string): unknown {
  if (!MAY_HOLD_UNUSUAL.test(text)) return JSON.parse(text);
  try {
    return JSON.parse(text, exactNumber);
  } catch (error) {
    // JSON.parse with a function overflows the stack, and without one it does not.
    if (!(error instanceof RangeError)) throw error;
    return JSON.parse(text);
  }
}

/** @param context Node passes it, but TypeScript's type of a reviver does not have it yet */
function exactNumber(_: string, value: unknown, context?: { readonly source?: string }): unknown {
  const source = context?.source ?? '';
  return typeof value === 'number' && UNUSUAL_NUMBER.test(source) ? JSON.rawJSON(source) : value;
}

/**
 * Reads valid JSON of which a name is written with an escape. JSON.parse of V8 13 and 14 can read such a name as another one: as a name
 * with a backslash that an object with the same earlier members had before (https://github.com/nodejs/node/issues/63785). That object may
 * have been another tenant's. Every other text is left to JSON.parse.
 * @param parsed what JSON.parse made of the text; also the result for a text that is nested in thousands of levels
 * @param literal reads a string, a number, true, false or null
 */
function withEscapedNames(text: string, parsed: unknown, literal: (text: string) => unknown): unknown {
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
