import Alert from '@cloudscape-design/components/alert';
import Button from '@cloudscape-design/components/button';
import Skeleton from '@cloudscape-design/components/skeleton';
import SpaceBetween from '@cloudscape-design/components/space-between';
import { Component, type ComponentType, lazy, type ReactNode, Suspense, useState } from 'react';

/** A file of the page that could not be fetched: there is no connection, or the dashboard was deployed anew. */
class NotFetched extends Error {
  override readonly name = 'NotFetched';
}

type BoundaryProps = { readonly children: ReactNode };

/** Keeps a failure to the part of the page in which it happens, and offers a way on. */
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
 * A part of the page that is fetched when it is shown first. One that cannot be fetched leaves the rest of the page as it is.
 * @param load an `import()` of a module whose default is the part
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
      It is a fault of the dashboard. Try again, or reload the page; if it comes again, tell the operator what you did.
      What you typed is kept in this tab.
    </Alert>
  );
}

/** A browser does not fetch a module a second time that it could not fetch once, so that only a new page helps. */
function Missing() {
  const [trying, setTrying] = useState(false);
  const tryAgain = async () => {
    setTrying(true);
    // Without a connection the browser would put a page of its own in this one's place.
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
      Either there is no connection, or the dashboard has been updated. What you typed is kept in this tab.
    </Alert>
  );
}
