import Alert from '@cloudscape-design/components/alert';
import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import Skeleton from '@cloudscape-design/components/skeleton';
import SpaceBetween from '@cloudscape-design/components/space-between';
import { Component, type ComponentType, lazy, type ReactNode, Suspense, useState } from 'react';

/** A file of the page that could not be fetched: there is no connection, or the dashboard was deployed anew. */
class NotFetched extends Error {
  override readonly name = 'NotFetched';
}

type BoundaryProps = { readonly children: ReactNode; readonly onTryAgain?: () => void };

/** Keeps a failure to the part of the page in which it happens, and offers a way on. */
export class Boundary extends Component<BoundaryProps, { readonly error: unknown }> {
  override readonly state: { readonly error: unknown } = { error: undefined };

  static getDerivedStateFromError(error: unknown) {
    return { error };
  }

  override render() {
    const { error } = this.state;
    if (error === undefined) return this.props.children;
    const tryAgain = () => {
      this.props.onTryAgain?.();
      this.setState({ error: undefined });
    };
    return <Failed fetched={!(error instanceof NotFetched)} onTryAgain={tryAgain} />;
  }
}

/**
 * A part of the page that is fetched when it is shown first. One that cannot be fetched leaves the rest of the page as it is.
 * @param load an `import()` of a module whose default is the part
 */
export function fetched<Props extends object>(
  load: () => Promise<{ readonly default: ComponentType<Props> }>,
): ComponentType<Props> {
  const attempt = () =>
    lazy(() =>
      load().catch((cause: unknown) => {
        throw new NotFetched('A part of the page could not be fetched', { cause });
      }),
    );
  // React remembers a failed attempt for good, so that each one is a component of its own.
  let latest = attempt();
  return function Fetched(props: Props) {
    const [Part, setPart] = useState(() => latest);
    const tryAgain = () => {
      latest = attempt();
      setPart(() => latest);
    };
    return (
      <Boundary onTryAgain={tryAgain}>
        <Suspense fallback={<Loading what="this part of the page" />}>
          <Part {...props} />
        </Suspense>
      </Boundary>
    );
  };
}

/** Where something will be in a moment. */
export function Loading({ what }: { readonly what: string }) {
  return (
    <div role="status" aria-label={`Loading ${what}`}>
      <SpaceBetween size="m">
        <Skeleton variant="text-heading-xl" width="40%" />
        <Skeleton height="120px" />
        <Skeleton height="120px" />
      </SpaceBetween>
    </div>
  );
}

function Failed({ fetched: shown, onTryAgain }: { readonly fetched: boolean; readonly onTryAgain: () => void }) {
  return (
    <Alert
      type="error"
      header={shown ? 'This part of the page failed' : 'This part of the page could not be loaded'}
      action={
        <SpaceBetween direction="horizontal" size="xs">
          <Button formAction="none" onClick={() => window.location.reload()}>
            Reload the page
          </Button>
          <Button formAction="none" onClick={onTryAgain}>
            Try again
          </Button>
        </SpaceBetween>
      }
    >
      <Box color="inherit">
        {shown
          ? 'It is a fault of the dashboard. If it comes again, tell the operator what you did.'
          : 'You may be offline, or the dashboard has been updated: then reload the page.'}{' '}
        What you typed is kept in this tab.
      </Box>
    </Alert>
  );
}
