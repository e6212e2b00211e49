/** Returns what puts the environment variables back as they are now. The bundle of a function reads those of the whole process. */
export function keptEnvironment(): () => void {
  const before = { ...process.env };
  return () => {
    for (const name of Object.keys(process.env)) if (!(name in before)) delete process.env[name];
    Object.assign(process.env, before);
  };
}

/** After each test of the file, the environment variables are as they were before the first one. */
export function restoreEnvironmentAfterEach(): void {
  afterEach(keptEnvironment());
}
