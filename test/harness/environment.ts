/** After each test of the file, the environment variables are as they were before the first one. */
export function restoreEnvironmentAfterEach(): void {
  const before = { ...process.env };
  afterEach(() => {
    for (const name of Object.keys(process.env)) if (!(name in before)) delete process.env[name];
    Object.assign(process.env, before);
  });
}
