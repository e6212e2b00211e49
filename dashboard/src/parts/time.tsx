/** Shows a time in the user's time zone. @param at ISO 8601 */
export function Time({ at, dateOnly = false }: { readonly at: string; readonly dateOnly?: boolean }) {
  const text = new Intl.DateTimeFormat('en', { dateStyle: 'medium', ...(!dateOnly && { timeStyle: 'short' }) });
  return (
    <time dateTime={at} title={at}>
      {text.format(new Date(at))}
    </time>
  );
}
