import { execFileSync } from 'node:child_process';

test('npm installs the tools of a deployment where the environment names production and omits what is for development', () => {
  const listed = execFileSync('npm', ['ls', '--json', 'aws-cdk', 'aws-cdk-lib', 'esbuild'], {
    env: { ...process.env, NODE_ENV: 'production', npm_config_omit: 'dev' },
    encoding: 'utf8',
  });
  expect(Object.keys(JSON.parse(listed).dependencies)).toEqual(
    expect.arrayContaining(['aws-cdk', 'aws-cdk-lib', 'esbuild']),
  );
});
