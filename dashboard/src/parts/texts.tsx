import {
  Box,
  Container,
  CopyToClipboard,
  Header,
  Link,
  SpaceBetween,
  StatusIndicator,
  type StatusIndicatorProps,
} from '@cloudscape-design/components';
import { createElement, Fragment, type ReactNode } from 'react';
import { EVENT_CATALOG, type EventName } from '../../../src/contract/events.ts';
import type { HELP_PAGES } from '../help-pages.ts';

const COPIED = { copySuccessText: 'Copied', copyErrorText: 'Copying failed; select the text instead' };

/** Shows an id in its line with a button that copies it. @param label names the id, such as `Site ID` */
export function CopiedId({ label, id }: { readonly label: string; readonly id: string }) {
  return (
    <span className="copied-id">
      <CopyToClipboard {...COPIED} variant="inline" textToCopy={id} copyButtonAriaLabel={`Copy the ${label} ${id}`} />
    </span>
  );
}

/** A text of a user in its own direction. A line breaks it between words, then after the dots of an address, and else anywhere. */
export const BreakableText = ({ text }: { readonly text: string }): ReactNode => {
  const parts = text.split(/(?<=[@./])/).flatMap((part, index) => [index > 0 && createElement('wbr'), part]);
  return createElement('bdi', { className: 'anywhere' }, ...parts);
};

/** A sentence with texts of a user, which cannot turn the words around them into another direction. */
export const isolatedTexts = (words: TemplateStringsArray, ...texts: readonly string[]): ReactNode =>
  createElement(
    Fragment,
    null,
    ...words.flatMap((part, index) => [
      part,
      index < texts.length && createElement(BreakableText, { text: texts[index] ?? '' }),
    ]),
  );

export function Code(props: { readonly label: string; readonly text: string; readonly wrap?: boolean }) {
  const { label, text, wrap = false } = props;
  return (
    <div className={wrap ? 'code wrap' : 'code'}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: text that is wider than the page scrolls, and a keyboard must reach it */}
      <section aria-label={label} tabIndex={0}>
        <pre>
          <code>{text}</code>
        </pre>
      </section>
      <CopyToClipboard {...COPIED} copyButtonText="Copy" copyButtonAriaLabel={`Copy: ${label}`} textToCopy={text} />
    </div>
  );
}

/** Shows a command of the operator's command line, below what it is for. @param props.does what it does, for screen readers */
export function OperatorCommand(props: {
  readonly does: string;
  readonly command: string;
  readonly children?: ReactNode;
}) {
  return (
    <SpaceBetween size="xxs">
      {props.children && <Box color="inherit">{props.children}</Box>}
      <Code wrap label={`Command that ${props.does}`} text={`npx --no-install va-wave ${props.command}`} />
    </SpaceBetween>
  );
}

/** A link to a page of the help, which opens in a new tab so that no input is lost. @param about what the document explains */
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

type StatusProps = { readonly type: NonNullable<StatusIndicatorProps['type']>; readonly children: ReactNode };

/** Shows a status that is a sentence. Lines break between words; those of Cloudscape's component break within words. */
export function Status({ type, children }: StatusProps) {
  return (
    <StatusIndicator type={type}>
      <span className="anywhere">{children}</span>
    </StatusIndicator>
  );
}

// To make one takes longer than to show a row, and a list has thousands.
const DATE = new Intl.DateTimeFormat('en', { dateStyle: 'medium' });
const DATE_AND_TIME = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'short' });

/** Shows a time in the user's time zone. @param at ISO 8601 */
export function Time({ at, dateOnly = false }: { readonly at: string; readonly dateOnly?: boolean }) {
  return (
    <time dateTime={at} title={at}>
      {(dateOnly ? DATE : DATE_AND_TIME).format(new Date(at))}
    </time>
  );
}

/** A titled part of a screen, whose parts are below each other. */
export function Panel(props: {
  readonly title: string;
  readonly description?: string | undefined;
  readonly help?: ReactNode;
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}) {
  const header = (
    <Header variant="h2" description={props.description} info={props.help} actions={props.actions}>
      {props.title}
    </Header>
  );
  return (
    <Container header={header}>
      <SpaceBetween size="l">{props.children}</SpaceBetween>
    </Container>
  );
}

/** Returns what follows the name of a reserved event. */
export const notYetFiring = (name: EventName) => (EVENT_CATALOG[name].reserved ? ' (not yet firing)' : '');
