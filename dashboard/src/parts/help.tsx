import { Link } from '@cloudscape-design/components';
import type { HELP_PAGES } from './help-pages.ts';

/** A link to a document, which opens in a new tab so that no input is lost. @param about what the document explains */
export function Help(props: {
  readonly page: (typeof HELP_PAGES)[number];
  readonly about: string;
  readonly text?: string;
}) {
  const { page, about, text = 'Help' } = props;
  return (
    <Link
      external
      variant="info"
      href={`/dashboard/help/${page}.html`}
      ariaLabel={`${text}: ${about}`}
      externalIconAriaLabel="Opens in a new tab"
    >
      {text}
    </Link>
  );
}
