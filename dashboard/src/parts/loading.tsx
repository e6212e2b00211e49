import { Alert, Box, Button, SpaceBetween } from '@cloudscape-design/components';
import { Component, type ComponentType, lazy, type ReactNode, Suspense, useEffect, useState } from 'react';
import { ROOT } from '../navigation.ts';
import { describeProblem, isSessionEnd, mayRetry, REQUEST_TIMEOUT_MS } from '../session/problems.ts';
import { Status } from './texts.tsx';

/** Why data could not be loaded, if so, and how it is loaded again. */
type LoadState = { readonly error?: unknown; readonly reload: () => void };

/** Data that is loaded. It is loading while it has neither a value nor an error. */
export type Loaded<T> = LoadState & {
  readonly value: T | undefined;
  /** Changes the loaded value without another request, as after a save whose answer has the new one. */
  readonly change: (next: (last: T) => T) => void;
};

/** Loads data when the screen opens. `key` identifies the data; another key loads again. */
export function useLoad<T>(key: string, load: () => Promise<T>): Loaded<T> {
  const [state, setState] = useState<{ key: string; value?: T; error?: unknown }>({ key });
  const [reloads, setReloads] = useState(0);

  // biome-ignore lint/correctness/useExhaustiveDependencies: key and reloads decide when to load again; the functions are new in every render
  useEffect(() => {
    let isGone = false;
    load().then(
      (value) => {
        if (!isGone) setState({ key, value });
      },
      (error: unknown) => {
        // The frame asks for a login, after which the page loads again.
        if (!isGone && !isSessionEnd(error)) setState({ key, error });
      },
    );
    return () => {
      isGone = true;
    };
  }, [key, reloads]);

  const reload = () => {
    setState(({ error: _, ...last }) => last);
    setReloads((count) => count + 1);
  };
  const change = (next: (last: T) => T) =>
    setState((last) => (last.key === key && last.value !== undefined ? { ...last, value: next(last.value) } : last));
  return { value: undefined, ...(state.key === key && state), reload, change };
}

/** Stands in the place of data that is loading, or could not be loaded, and says why. @param props.children further buttons */
export function NotLoaded(props: {
  readonly loadedData: LoadState;
  readonly what: string;
  readonly children?: ReactNode;
}) {
  const { error, reload } = props.loadedData;
  return (
    <div role="status">
      {error === undefined ? (
        <Loading what={props.what} />
      ) : (
        <Failed
          header={`The dashboard could not load ${props.what}`}
          onTryAgain={mayRetry(error) ? reload : undefined}
          further={props.children}
        >
          {describeProblem(error)}
        </Failed>
      )}
    </div>
  );
}

/** Says that a list is not whole. @param props.of plural noun */
export function Unreadable(props: { readonly count: number; readonly of: string }) {
  if (props.count === 0) return null;
  return (
    <Alert type="error" header={`Not all ${props.of} can be shown`}>
      The service cannot read {props.count} of the {props.of}. Contact the operator.
    </Alert>
  );
}

function Loading({ what }: { readonly what: string }) {
  return (
    <Box padding="l" textAlign="center">
      <Status type="loading">Loading {what}</Status>
    </Box>
  );
}

/** The error for a file of the page that could not be loaded: there is no connection, or a new version was deployed. */
class NotFetched extends Error {
  override readonly name = 'NotFetched';
}

type BoundaryProps = { readonly children: ReactNode };

/** Limits a failure to the part of the page in which it happens, and lets the user try again. */
export class Boundary extends Component<BoundaryProps, { readonly error: unknown }> {
  override readonly state: { readonly error: unknown } = { error: undefined };

  static getDerivedStateFromError(error: unknown) {
    return { error };
  }

  override render() {
    const { error } = this.state;
    if (error === undefined) return this.props.children;
    if (error instanceof NotFetched) {
      return (
        <Failed header="This part of the page could not be loaded" onTryAgain={reloadPage}>
          Either there is no connection, or the dashboard has been updated. Your input is kept in this tab.
        </Failed>
      );
    }
    return (
      <Failed header="This part of the page failed" onTryAgain={() => this.setState({ error: undefined })}>
        This is a fault of the dashboard. Try again, or reload the page. If it fails again, tell the operator what you
        did. Your input is kept in this tab.
      </Failed>
    );
  }
}

/** A part of the page that is loaded when it is first shown. When that fails, the rest of the page still works. */
export function lazyPart<Props extends object>(
  load: () => Promise<{ readonly default: ComponentType<Props> }>,
): ComponentType<Props> {
  const Part = lazy(() =>
    load().catch((cause: unknown) => {
      throw new NotFetched('A part of the page could not be fetched', { cause });
    }),
  );
  return function Fetched(props: Props) {
    return (
      <Boundary>
        <Suspense fallback={<Loading what="this part of the page" />}>
          <Part {...props} />
        </Suspense>
      </Boundary>
    );
  };
}

/** Reloads the page to try again, because a browser does not load a module again after a failure. */
async function reloadPage(): Promise<void> {
  // Checks the connection first. Without one, the browser would replace this page with its own error page.
  const request = { cache: 'no-store', signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS) } as const;
  const there = await fetch(`${ROOT}config.json`, request).catch(() => undefined);
  if (there?.ok !== true) return;
  // The tab keeps the input, so the browser need not ask.
  const allow = (event: BeforeUnloadEvent) => event.stopImmediatePropagation();
  window.addEventListener('beforeunload', allow, { capture: true, once: true });
  window.location.reload();
}

/** Says in the place of a part of the page why it is not there. @param props.onTryAgain nothing when that cannot help */
export function Failed(props: {
  readonly header: string;
  readonly onTryAgain: (() => void | Promise<void>) | undefined;
  readonly further?: ReactNode;
  readonly children: ReactNode;
}) {
  const { onTryAgain } = props;
  const [isTrying, setTrying] = useState(false);
  const tryAgain = async () => {
    setTrying(true);
    await onTryAgain?.();
    setTrying(false);
  };
  const title = (
    <Box variant="h1" fontSize="heading-s">
      {props.header}
    </Box>
  );
  const buttons = (
    <SpaceBetween direction="horizontal" size="xs">
      {onTryAgain && (
        <Button formAction="none" loading={isTrying} loadingText="Trying again" onClick={tryAgain}>
          Try again
        </Button>
      )}
      {props.further}
    </SpaceBetween>
  );
  return (
    <Alert type="error" header={title} action={buttons}>
      {props.children}
    </Alert>
  );
}
