/** The configuration that the stack serves next to the page. */
export type Config = { readonly issuer: string; readonly client_id: string; readonly scope: string };

/** Loads the configuration. @throws Error when it does not exist */
export async function loadConfig(): Promise<Config> {
  const response = await fetch('/dashboard/config.json');
  if (!response.ok) throw new Error('The dashboard is not configured.');
  return response.json();
}
