import { compiledPatterns } from '../../../src/domain/actions/compiled-patterns.ts';

test('a recently used pattern is compiled once', () => {
  const made: string[] = [];
  const compiled = compiledPatterns(2, (pattern) => {
    made.push(pattern);
    return { pattern };
  });
  expect(compiled('a')).toBe(compiled('a'));
  compiled('b');
  compiled('a');
  compiled('c');
  expect(compiled('a')).toEqual({ pattern: 'a' });
  expect(made).toEqual(['a', 'b', 'c']);
  compiled('b');
  expect(made).toEqual(['a', 'b', 'c', 'b']);
});

test('a pattern that cannot be compiled is not cached', () => {
  let tries = 0;
  const compiled = compiledPatterns(2, () => {
    tries += 1;
    throw new SyntaxError('no');
  });
  expect(() => compiled('(')).toThrow(SyntaxError);
  expect(() => compiled('(')).toThrow(SyntaxError);
  expect(tries).toBe(2);
});
