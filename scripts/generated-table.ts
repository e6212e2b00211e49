/** Returns a page with this Markdown table in the place of the one with the same head. @throws Error when the page has no such table */
export function withTable(page: string, table: string): string {
  const lines = page.split('\n');
  const [head = ''] = table.split('\n');
  const start = lines.indexOf(head);
  if (start === -1) throw new Error(`The page has no table ${head}`);
  const end = lines.findIndex((line, index) => index > start && !line.startsWith('|'));
  return [...lines.slice(0, start), table, ...lines.slice(end)].join('\n');
}
