import { execFileSync } from 'node:child_process';

/** Returns an object as Node reads it from JSON after a similar one. */
function readAfterSimilar() {
  const similar = JSON.parse(JSON.stringify({ first: 1, 'x\\': 2 }));
  return { similar, body: JSON.parse(JSON.stringify({ first: 1, 'x"': 3 })) };
}

// When this fails, Node reads such names itself: remove this test, parseJson of packages/receiver and hasEscapedName of src/domain/parse-json.ts.
test('JSON.parse of Node still reads a name with an escape as another one', () => {
  // In a process that has read nothing else: after many other names, V8 expects none.
  const script = `process.stdout.write(JSON.stringify((${readAfterSimilar})().body))`;
  expect(execFileSync(process.execPath, ['-e', script], { encoding: 'utf8' })).not.toBe('{"first":1,"x\\"":3}');
});
