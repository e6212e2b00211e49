import { setFlagsFromString } from 'node:v8';
import { compileFunction, createContext, SourceTextModule } from 'node:vm';

/** The modules of two suites: the same file, evaluated in two contexts. */
const filename = '/a/module.cjs';
const evaluated = (code: string, importModuleDynamically = (specifier: string): unknown => specifier) => {
  const parsingContext = createContext({ loads: 0 });
  // @types/node allows only modules as the result of import().
  const options: object = { filename, parsingContext, importModuleDynamically };
  const module = { exports: {} as Record<string, unknown> };
  compileFunction(code, ['module'], options)(module);
  return { exports: module.exports, parsingContext };
};

test('a module of two suites has a state of its own in each', () => {
  const code = 'globalThis.loads += 1; module.exports.list = []; module.exports.loads = () => globalThis.loads;';
  const [one, other] = [evaluated(code), evaluated(code)];
  expect(one.exports.list).not.toBe(other.exports.list);
  expect([one, other].map(({ parsingContext }) => parsingContext.loads)).toEqual([1, 1]);
});

test('a module whose text has changed is compiled again', () => {
  expect(evaluated('module.exports.answer = 1').exports.answer).toBe(1);
  expect(evaluated('module.exports.answer = 2').exports.answer).toBe(2);
});

test('an error names the line and the column of the module', () => {
  const [, line] = String(evaluated('module.exports.stack = new Error("here").stack').exports.stack).split('\n');
  expect(line).toContain(`${filename}:1:24`);
});

test('an import() asks the suite that evaluated the module last', async () => {
  const asked: string[] = [];
  const importing = (suite: string) => (specifier: string) => {
    asked.push(`${suite}: ${specifier}`);
    return Promise.reject(new Error('There is no such module'));
  };
  const code = 'module.exports.load = () => import("./other.mjs")';
  for (const suite of ['first', 'second']) {
    const { exports } = evaluated(code, importing(suite));
    if (typeof exports.load === 'function') await Promise.resolve(exports.load()).catch(() => undefined);
  }
  expect(asked).toEqual(['first: ./other.mjs', 'second: ./other.mjs']);
});

/** Evaluates an ES module of one file in a new context. @returns how often that context has evaluated it */
async function loads(): Promise<unknown> {
  const context = createContext({ loads: 0 });
  const module = new SourceTextModule('globalThis.loads += 1;', { identifier: '/a/module.mjs', context });
  await module.link(() => Promise.reject(new Error('It imports nothing')));
  await module.evaluate();
  return context.loads;
}

test('an ES module is evaluated in each context', async () => {
  expect([await loads(), await loads()]).toEqual([1, 1]);
});

test('an ES module is compiled again after a suite has changed a flag of V8', async () => {
  expect(await loads()).toBe(1);
  setFlagsFromString('--expose-gc');
  try {
    expect([await loads(), await loads()]).toEqual([1, 1]);
  } finally {
    setFlagsFromString('--no-expose-gc');
  }
});
