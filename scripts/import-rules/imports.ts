import { isBuiltin } from 'node:module';
import { posix } from 'node:path';
import { type Argument, type Expression, parseSync, Visitor } from 'oxc-parser';

/** One import in a file. */
export type Import = {
  readonly line: number;
  /** Path from the root, name of the package, or `node:` and the name of the module. Undefined when it is computed. */
  readonly target: string | undefined;
  readonly kind: 'file' | 'package' | 'node' | 'url' | 'computed';
  /** Imports types only, so that nothing of it exists at run time. */
  readonly isType: boolean;
  /** The imported names, as the other module exports them. `*` means all of them. */
  readonly names: readonly string[];
};

/** A parsed source file. */
export type Source = {
  readonly path: string;
  readonly text: string;
  readonly program: ReturnType<typeof parseSync>['program'];
  readonly imports: readonly Import[];
};

/**
 * Lists the imports of a file: import and export statements, `import()`, `import('…')` in types, `require`, and
 * `process.getBuiltinModule`.
 *
 * @param path from the root of the repository
 * @param aliases package.json's `imports`, such as `#network-rule`
 * @throws Error when the text is not valid TypeScript or JavaScript
 */
export function readSource(path: string, text: string, aliases: Readonly<Record<string, string>>): Source {
  const { program, module, errors } = parseSync(path, text);
  const [error] = errors;
  if (error !== undefined) throw new Error(`${path}: ${error.message}`);
  const imports: Import[] = [];
  const add = (specifier: string | undefined, at: number, isType: boolean, names: readonly string[]) => {
    const line = text.slice(0, at).split('\n').length;
    imports.push({ line, isType, names, ...resolve(path, specifier, aliases) });
  };

  for (const { moduleRequest, entries, start } of module.staticImports) {
    const isType = entries.length > 0 && entries.every((entry) => entry.isType);
    const values = entries.filter((entry) => isType || !entry.isType);
    add(
      moduleRequest.value,
      start,
      isType,
      values.map(({ importName }) => importName.name ?? (importName.kind === 'Default' ? 'default' : '*')),
    );
  }
  for (const { entries } of module.staticExports) {
    for (const { moduleRequest, importName, isType, start } of entries) {
      if (moduleRequest !== null) add(moduleRequest.value, start, isType, [importName.name ?? '*']);
    }
  }
  const addCall = (argument: Argument | Expression | undefined, at: number) => add(literal(argument), at, false, ['*']);
  new Visitor({
    ImportExpression: ({ source, start }) => addCall(source, start),
    TSImportType: ({ source, start }) => add(source.value, start, true, ['*']),
    CallExpression: ({ callee, arguments: [first], start }) => {
      const name = callee.type === 'MemberExpression' && !callee.computed ? callee.property.name : undefined;
      const isRequire = callee.type === 'Identifier' && callee.name === 'require';
      if (isRequire || name === 'getBuiltinModule') addCall(first, start);
    },
  }).visit(program);
  return { path, text, program, imports };
}

function literal(node: Argument | Expression | undefined): string | undefined {
  if (node?.type === 'Literal' && typeof node.value === 'string') return node.value;
  if (node?.type === 'TemplateLiteral' && node.expressions.length === 0)
    return node.quasis[0]?.value.cooked ?? undefined;
  return undefined;
}

function resolve(
  path: string,
  specifier: string | undefined,
  aliases: Readonly<Record<string, string>>,
): Pick<Import, 'kind' | 'target'> {
  if (specifier === undefined) return { kind: 'computed', target: undefined };
  const alias = aliases[specifier];
  if (alias !== undefined) return { kind: 'file', target: posix.normalize(alias) };
  if (/^\.{1,2}(\/|$)/.test(specifier)) {
    return { kind: 'file', target: posix.join(posix.dirname(path), decodeURI(specifier).replace(/[?#].*/, '')) };
  }
  if (isBuiltin(specifier)) return { kind: 'node', target: specifier.replace(/^(?!node:)/, 'node:') };
  if (/^(\/|[a-z][a-z+.-]*:)/i.test(specifier)) return { kind: 'url', target: specifier };
  return { kind: 'package', target: specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/') };
}
