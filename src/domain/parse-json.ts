/**
 * Parses JSON into `unknown`, so that a schema must validate the result. Returns undefined, which is no JSON value, for text that is not JSON.
 *
 * A number stays as it was written until somebody computes with it: one that JavaScript would write otherwise, such as 12345678901234567890,
 * 1e400 or 1.0, becomes an object that JSON.stringify writes as the same text. Of several members with one name, the last one counts. Takes
 * a time that is linear in the length of the text, for any depth.
 */
export function parseJson(text: string): unknown {
  let parsedValue: unknown;
  try {
    parsedValue = JSON.parse(text);
  } catch {
    return undefined;
  }
  return MAY_HOLD_UNUSUAL_NUMBER.some((beginning) => beginning.test(text)) || hasEscapedName(text)
    ? readExactly(text)
    : parsedValue;
}

/**
 * Whether a text may hold a number that JavaScript writes otherwise: of 16 digits, with six zeros after the point or minus zero, then with an
 * exponent or a last decimal of zero. Each may also match in a string, which costs time and does not change the result.
 */
const MAY_HOLD_UNUSUAL_NUMBER = [
  /(?:^|[[:,\s])(?:-?[\d.]{16}|-?0\.0{6}|-0(?:[^.\d]|$))/,
  /(?:^|[[:,])\s*-?\d+(?:\.\d*(?:0(?:\D|$)|\d[eE])|[eE])/,
];

/**
 * Returns whether a name is written with an escape. JSON.parse of V8 13 and 14 can read such a name as another one: as a name with a
 * backslash that an object with the same earlier members had before (https://github.com/nodejs/node/issues/63785). That object may have
 * been another tenant's.
 */
function hasEscapedName(text: string): boolean {
  if (!text.includes('\\')) return false;
  let start = text.indexOf('"');
  while (start !== -1) {
    const end = endOfString(text, start);
    let nextPosition = end;
    while (isSpace(text.charCodeAt(nextPosition))) nextPosition++;
    if (text.charCodeAt(nextPosition) === COLON && text.slice(start, end).includes('\\')) return true;
    start = text.indexOf('"', nextPosition);
  }
  return false;
}

/** An object or a list whose end is not read yet. */
type OpenValue = { readonly members: Record<string, unknown> | unknown[]; name: string | undefined };

/** Reads text that JSON.parse has accepted, so its commas and colons are skipped. Does not recurse, because others choose the depth. */
function readExactly(text: string): unknown {
  const root: unknown[] = [];
  const enclosingValues: OpenValue[] = [];
  let openValue: OpenValue = { members: root, name: undefined };
  const addMember = (value: unknown) => {
    const { members, name = '' } = openValue;
    if (Array.isArray(members)) members.push(value);
    // An assignment to this name would set the prototype.
    else if (name === '__proto__') Object.defineProperty(members, name, { ...OWN_PROPERTY, value });
    else members[name] = value;
    openValue.name = undefined;
  };
  for (let position = 0; position < text.length; ) {
    const start = position++;
    switch (text.charCodeAt(start)) {
      case TAB:
      case LINE_FEED:
      case RETURN:
      case SPACE:
      case COMMA:
      case COLON:
        break;
      case OBJECT:
      case LIST: {
        const members = text.charCodeAt(start) === OBJECT ? {} : [];
        addMember(members);
        enclosingValues.push(openValue);
        openValue = { members, name: undefined };
        break;
      }
      case END_OF_OBJECT:
      case END_OF_LIST:
        openValue = enclosingValues.pop() ?? openValue;
        break;
      case QUOTE: {
        position = endOfString(text, start);
        const string = stringOf(text.slice(start, position));
        if (openValue.name === undefined && !Array.isArray(openValue.members)) openValue.name = string;
        else addMember(string);
        break;
      }
      default:
        while (isLiteral(text.charCodeAt(position))) position++;
        addMember(literalOf(text.slice(start, position)));
    }
  }
  return root[0];
}

const [TAB, LINE_FEED, RETURN, SPACE, QUOTE, COMMA, COLON] = [9, 10, 13, 32, 34, 44, 58];
const [LIST, BACKSLASH, END_OF_LIST, OBJECT, END_OF_OBJECT] = [91, 92, 93, 123, 125];
const [PLUS, CAPITAL_E, SMALL_A, SMALL_Z] = [43, 69, 97, 122];
const OWN_PROPERTY = { writable: true, enumerable: true, configurable: true };

/** Returns whether a character goes on a number, true, false or null: `+`, `-`, `.`, a digit or a letter. */
const isLiteral = (code: number) =>
  (code > COMMA && code < COLON) || code === PLUS || code === CAPITAL_E || (code >= SMALL_A && code <= SMALL_Z);

const isSpace = (code: number) => code === SPACE || code === LINE_FEED || code === RETURN || code === TAB;

const stringOf = (text: string): string => (text.includes('\\') ? JSON.parse(text) : text.slice(1, -1));

function literalOf(text: string): unknown {
  if (text === 'true' || text === 'false') return text === 'true';
  if (text === 'null') return null;
  const number = Number(text);
  return String(number) === text ? number : JSON.rawJSON(text);
}

/** Returns the position after the closing quotation mark. @param start position of the opening one */
function endOfString(text: string, start: number): number {
  let at = text.indexOf('"', start + 1);
  while (isEscaped(text, at)) at = text.indexOf('"', at + 1);
  return at + 1;
}

/** Returns whether an odd number of backslashes stands before a quotation mark. */
function isEscaped(text: string, quote: number): boolean {
  let first = quote;
  while (text.charCodeAt(first - 1) === BACKSLASH) first--;
  return (quote - first) % 2 === 1;
}
