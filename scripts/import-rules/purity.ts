import { Visitor } from 'oxc-parser';
import type { Source } from './imports.ts';

/** The globals that pure code may use. Their results depend on their arguments only. */
const PURE_GLOBALS = new Set(
  [
    'Object Array Boolean Number String Symbol BigInt RegExp Map Set WeakMap WeakSet JSON Promise Iterator',
    'Error AggregateError RangeError SyntaxError TypeError URIError undefined NaN Infinity',
    'ArrayBuffer DataView Uint8Array Uint16Array Uint32Array Int8Array Int16Array Int32Array Float64Array',
    'parseFloat parseInt isFinite isNaN encodeURI encodeURIComponent decodeURI decodeURIComponent',
    'Buffer TextDecoder TextEncoder URL URLSearchParams structuredClone',
  ].flatMap((names) => names.split(' ')),
);

const NODE_GLOBALS = new Set([
  ...Object.getOwnPropertyNames(globalThis),
  ...['require', 'module', 'exports', '__dirname', '__filename', 'Temporal', 'window', 'self', 'document'],
]);

/** The members of these globals that pure code may use. The other members read the clock or a source of randomness. */
const PURE_MEMBERS: Readonly<Record<string, (member: string) => boolean>> = {
  Date: (member) => member === 'parse' || member === 'UTC',
  Math: (member) => member !== 'random',
};

/** An expression that reads the clock, randomness, the process or the network without an argument for it. */
export type Impurity = { readonly line: number; readonly what: string };

/**
 * Lists the impure expressions of a file. A name of one of Node's globals counts wherever it is used as a value, even if the file
 * declares that name itself. The check therefore needs no analysis of scopes.
 */
export function impurities({ program, text }: Source): readonly Impurity[] {
  const found: Impurity[] = [];
  const pure = new Set<object>();
  const named = ({ key, computed }: { readonly key: object; readonly computed: boolean }) => computed || pure.add(key);
  const say = (start: number, what: string) => found.push({ line: text.slice(0, start).split('\n').length, what });
  new Visitor({
    // A visitor visits the outer expression first. An expression that is judged as a whole is not judged again by its name.
    NewExpression: ({ callee, arguments: args, start }) => {
      if (callee.type !== 'Identifier' || callee.name !== 'Date') return;
      pure.add(callee);
      if (args[0] === undefined || args[0].type === 'SpreadElement') say(start, 'new Date() without a time');
    },
    MemberExpression: (node) => {
      const { object } = node;
      if (!node.computed) pure.add(node.property);
      if (object.type !== 'Identifier') return;
      const isPure = PURE_MEMBERS[object.name];
      if (isPure === undefined) return;
      pure.add(object);
      if (node.computed || !isPure(node.property.name)) {
        say(node.start, `${object.name}.${node.computed ? '[…]' : node.property.name}`);
      }
    },
    Property: named,
    MethodDefinition: named,
    PropertyDefinition: named,
    TSPropertySignature: named,
    TSMethodSignature: named,
    ImportSpecifier: ({ imported }) => pure.add(imported),
    ExportSpecifier: ({ exported }) => pure.add(exported),
    TSModuleDeclaration: ({ id }) => pure.add(id),
    TSTypeReference: ({ typeName }) => pure.add(typeName),
    MetaProperty: ({ start }) => say(start, 'import.meta'),
    Identifier: (node) => {
      if (pure.has(node)) return;
      if (NODE_GLOBALS.has(node.name) && !PURE_GLOBALS.has(node.name)) say(node.start, node.name);
    },
  }).visit(program);
  return found;
}
