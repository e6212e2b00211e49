import { expressionProblems } from '../../../scripts/linear-expressions.ts';

const problemsOf = (path: string, text: string) => expressionProblems(new Map([[path, text]]));

describe('the check of regular expressions', () => {
  test.each([
    ['src/a.ts', 'const header = /^([\\w-]+)[ \\t]*:[ \\t]*(.*?)[ \\t]*$/;'],
    ['src/a.ts', 'const isJson = (type: string) => /^\\s*[^;]*[/+]json/i.test(type);'],
    ['packages/receiver/src/a.ts', "text.replace(/\\s+$/g, '')"],
    ['dashboard/src/a.tsx', "const View = () => <p title={name.replace(/-+$/, '')}>{name}</p>;"],
    ['widget/a.ts', "new RegExp('(a+)+$')"],
    ['cli/a.ts', `const WORDS = String.raw\`(?:\\w+ ?)*\`; const line = RegExp(\`^\${WORDS}:\`, "u");`],
    ['lambdas/a/handler.ts', `const created = (text: string) => new RegExp(\`^\${text}$\`);`],
    ['examples/node/a.mjs', 'name.match(/(\\d+)\\.(\\d+)$/)'],
    ['examples/python/a.py', 'if re.search(r"\\s*=\\s*$", header):'],
    ['examples/python/a.py', "form = re.compile('(?P<words>(\\\\w+ ?)*):')"],
    ['src/a.ts', 'const lookBehind = /(?<!x)a+b/;'],
    ['examples/php/a.php', "preg_match('/(a+)+$/D', $header);"],
    ['examples/ruby/a.rb', 'header.match(/\\A(\\w+ ?)*:/)'],
    ['examples/java/A.java', 'Pattern.compile("(\\\\w+ ?)*:")'],
    ['examples/perl/a.pl', 'print 1;'],
  ])('finds one of %s: %s', (path, text) => {
    expect(problemsOf(path, text)).toHaveLength(1);
  });

  test.each([
    ['src/a.ts', `const MAX = 64; const id = new RegExp(\`^[\\\\w-]{1,\${MAX}}$\`);`],
    ['src/a.ts', 'const words = /[^a-z0-9]+/g;'],
    ['examples/python/a.py', 're.fullmatch("[0-9]{1,12}", t)'],
    ['examples/php/a.php', "preg_match('/^t=([0-9]{1,12})$/D', $t);"],
    ['examples/ruby/a.rb', 't, v1 = header.match(/\\At=([0-9]{1,12})\\z/)'],
    ['examples/java/A.java', 'secret.replaceAll("[\\"\\\\s]", "")'],
    ['examples/go/a.go', 'regexp.MustCompile(`(a+)+$`)'],
  ])('lets stand one of %s: %s', (path, text) => {
    expect(problemsOf(path, text)).toEqual([]);
  });
});
