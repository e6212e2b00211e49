import { Alert, Box, Button, SpaceBetween } from '@cloudscape-design/components';
import { Component, type ComponentType, lazy, type ReactNode, Suspense, useState } from 'react';
import { describeProblem, mayRetry } from './problem.ts';
import { Status } from './status.tsx';
import type { LoadState } from './use-load.ts';

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
    if (error instanceof NotFetched) return <Missing />;
    return <Broken onTryAgain={() => this.setState({ error: undefined })} />;
  }
}

/**
 * Returns a part of the page that is loaded when it is first shown. When loading fails, the rest of the page still works.
 * @param load an `import()` of a module whose default export is the part
 */
export function fetched<Props extends object>(
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

/** Placeholder for a part that is loading. */
export function Loading({ what }: { readonly what: string }) {
  return (
    <Box padding="l" textAlign="center">
      <Status type="loading">Loading {what}</Status>
    </Box>
  );
}

/** Stands in the place of data that is loading, or could not be loaded, and says why. @param props.children further buttons */
export function NotLoaded(props: { readonly loaded: LoadState; readonly what: string; readonly children?: ReactNode }) {
  const { error, reload } = props.loaded;
  return (
    <div role="status">
      {error === undefined ? (
        <Loading what={props.what} />
      ) : (
        <Alert
          type="error"
          header={
            <Box variant="h1" fontSize="heading-s">
              The dashboard could not load {props.what}
            </Box>
          }
          action={
            <SpaceBetween direction="horizontal" size="xs">
              {mayRetry(error) && <Button onClick={reload}>Try again</Button>}
              {props.children}
            </SpaceBetween>
          }
        >
          {describeProblem(error)}
        </Alert>
      )}
    </div>
  );
}

function Broken({ onTryAgain }: { readonly onTryAgain: () => void }) {
  return (
    <Alert
      type="error"
      header="This part of the page failed"
      action={
        <Button formAction="none" onClick={onTryAgain}>
          Try again
        </Button>
      }
    >
      This is a fault of the dashboard. Try again, or reload the page. If it fails again, tell the operator what you
      did. Your input is kept in this tab.
    </Alert>
  );
}

/** Reloads the page to try again, because a browser does not load a module again after a failure. */
function Missing() {
  const [trying, setTrying] = useState(false);
  const tryAgain = async () => {
    setTrying(true);
    // Checks the connection first. Without one, the browser would replace this page with its own error page.
    const there = await fetch('/dashboard/config.json', { cache: 'no-store' }).catch(() => undefined);
    if (there?.ok === true) window.location.reload();
    setTrying(false);
  };
  return (
    <Alert
      type="error"
      header="This part of the page could not be loaded"
      action={
        <Button formAction="none" loading={trying} loadingText="Trying again" onClick={tryAgain}>
          Try again
        </Button>
      }
    >
      Either there is no connection, or the dashboard has been updated. Your input is kept in this tab.
    </Alert>
  );
}
