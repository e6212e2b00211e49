/** What the stack says of itself, beside the page. */
export type Config = { readonly issuer: string; readonly client_id: string; readonly scope: string };

/** @throws when the page is served without its configuration */
export async function loadConfig(): Promise<Config> {
  const response = await fetch('/dashboard/config.json');
  if (!response.ok) throw new Error('The dashboard is not configured.');
  return response.json();
}
