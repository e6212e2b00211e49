import { Alert, Box, Button, Flashbar, type FlashbarProps, Link, SpaceBetween } from '@cloudscape-design/components';
import { I18nProvider } from '@cloudscape-design/components/i18n';
import messages from '@cloudscape-design/components/i18n/messages/all.en';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { DASHBOARD_OPERATIONS } from '../../src/contract/dashboard-operations.ts';
import { navigate, paths, placeOf, useAddress, usePathname } from './navigation.ts';
import { nameAmong, ScreenContext } from './parts/context.ts';
import { Confirm, type Secret, SessionEndedDialog, ShownOnce, useLeaveGuard } from './parts/dialogs.tsx';
import { discardUnsaved, type Unsaved, useUnsaved } from './parts/form.ts';
import { Failed, lazyPart, NotLoaded, useLoad } from './parts/loading.tsx';
import { TopBar } from './parts/top-bar.tsx';
import type { Api } from './session/api-client.ts';
import { describeProblem, isSessionEnd, NO_CONNECTION } from './session/problems.ts';
import type { LoginSession } from './session/session.ts';

const Assistants = lazyPart(() => import('./screens/assistants.tsx'));
const Assistant = lazyPart(() => import('./screens/assistant.tsx'));
const Members = lazyPart(() => import('./screens/members.tsx'));
const AuditTrail = lazyPart(() => import('./screens/audit-trail.tsx'));

/** How long a success is shown. An error is shown until it is dismissed, the user leaves the screen, or something succeeds. */
const SUCCESS_SHOWN_MS = 8000;

type Flash = FlashbarProps.MessageDefinition & { readonly pathname: string };

/** Shows the frame of every screen: the user, the organization, and messages about results and failures. */
export function App(props: { readonly api: Api; readonly session: LoginSession }) {
  const { session } = props;
  const pathname = usePathname();
  const place = placeOf(pathname);
  const [flashes, setFlashes] = useState<readonly Flash[]>([]);
  const [isSessionOver, setEnded] = useState(false);
  const [secret, setSecret] = useState<Secret>();
  const [loggingOut, setLoggingOut] = useState(false);
  const [isLeaving, setLeaving] = useState(false);
  const [discardedForm, setDiscarding] = useState<Unsaved>();
  const address = useAddress();

  const showMessage = (type: 'success' | 'error', content: ReactNode) => {
    const id = crypto.randomUUID();
    const { pathname } = window.location;
    const dismiss = () => setFlashes((all) => all.filter((flash) => flash.id !== id));
    const dismissal = { dismissible: true, dismissLabel: 'Dismiss message', onDismiss: dismiss } as const;
    // A success shows that the reason of an error, such as a lost connection, is gone.
    const stays = (other: Flash) => other.content !== content && (type === 'error' || other.type !== 'error');
    // The end of `main` has room for three messages (style.css).
    setFlashes((all) => [{ id, pathname, type, content, ...dismissal }, ...all.filter(stays)].slice(0, 3));
    if (type === 'success') setTimeout(dismiss, SUCCESS_SHOWN_MS);
  };
  const report = (error: unknown) => {
    if (!isSessionEnd(error)) showMessage('error', describeProblem(error));
  };
  const api: Api = async (operation, ids, input) => {
    // What succeeded before says nothing of this change, which may fail.
    if (DASHBOARD_OPERATIONS[operation].method !== 'GET') {
      setFlashes((all) => all.filter(({ type }) => type === 'error'));
    }
    try {
      const answer = await props.api(operation, ids, input);
      setFlashes((all) => all.filter(({ content }) => content !== NO_CONNECTION));
      return answer;
    } catch (error) {
      // The page asks for a new login (SessionEndedDialog), and keeps the input.
      if (isSessionEnd(error)) setEnded(true);
      throw error;
    }
  };
  const loadedMe = useLoad('me', () => api('me', {}, {}));
  const me = loadedMe.value;
  const unsavedForms = useUnsaved(me?.sub);
  // The tab keeps the input over a login, but not when it is closed.
  useLeaveGuard(unsavedForms.length > 0 && !isLeaving);
  const unsavedElsewhere = unsavedForms.filter(({ path }) => path !== address);
  useEffect(() => void session.whenEnded.then(() => setEnded(true)), [session]);
  // The Back button can return from the login to this page as it was, with `leaving` set.
  useEffect(() => window.addEventListener('pageshow', () => setLeaving(false)), []);
  // A message disappears when the user leaves its screen.
  useEffect(() => setFlashes((all) => all.filter((flash) => flash.pathname === pathname)), [pathname]);

  // Screen readers continue at the new screen. A tab of an assistant keeps the focus, so that the arrow keys reach the next one.
  const screen = [place.org, place.screen, place.site, place.action].join('/');
  const lastScreen = useRef(screen);
  useEffect(() => {
    if (lastScreen.current === screen) return;
    lastScreen.current = screen;
    document.getElementById('main')?.focus({ preventScroll: true });
  }, [screen]);

  const Screen = { assistants: Assistants, members: Members, audit: AuditTrail }[place.screen];
  const organizations = me?.organizations ?? [];
  const organization = organizations.find(({ org_id }) => place.org === undefined || org_id === place.org);
  const isUnknown = organization === undefined && !me?.unreadable.some(({ org_id }) => org_id === place.org);
  /** Returns the title of a form, with its organization when that is another one. */
  const titleOf = ({ title, path }: Unsaved) => {
    const owner = organizations.find(({ org_id }) => path.startsWith(paths.organization(org_id)));
    return owner === undefined || owner === organization ? title : `${title} in ${nameAmong(owner, organizations)}`;
  };
  const isAdmin = organization?.role === 'admin';
  const notify = (text: ReactNode) => showMessage('success', text);

  /** Runs a login or a logout, which leaves the page: meanwhile the browser does not ask about input that is not saved. */
  const leave = (work: () => Promise<void>) => {
    setLeaving(true);
    work().catch((failure: unknown) => {
      setLeaving(false);
      report(failure);
    });
  };
  const logOut = () => leave(() => session.logout().then(() => unsavedForms.forEach(discardUnsaved)));

  // After the end of a session, also of one that another tab has ended, the page shows nothing of it.
  if (isSessionOver) {
    const offline = flashes.some(({ content }) => content === NO_CONNECTION);
    // A logout here ends the session before the browser has left the page.
    return isLeaving ? null : <SessionEndedDialog offline={offline} onLogin={() => leave(session.login)} />;
  }
  return (
    <I18nProvider locale="en" messages={[messages]}>
      <a className="skip-link" href="#main">
        Skip to the content
      </a>
      <TopBar
        me={me}
        organization={organization}
        onLogout={() => (unsavedForms.length > 0 ? setLoggingOut(true) : logOut())}
      />
      <main id="main" tabIndex={-1}>
        <SpaceBetween size="m">
          {me === undefined && <NotLoaded loadedData={loadedMe} what="your organizations" />}
          {me !== undefined && me.unreadable.length > 0 && (
            <Alert type="error" header="Not every organization can be shown">
              The service cannot read {me.unreadable.map(({ org_id }) => org_id).join(', ')}. Contact the operator.
            </Alert>
          )}
          {me?.organizations.length === 0 && me.unreadable.length === 0 && (
            <Alert type="info" header="You are logged in, but you are not a member of an organization yet">
              Ask the operator of this service to add you. The id of your login is <Box variant="code">{me.sub}</Box>.
            </Alert>
          )}
          {isUnknown && organizations.length > 0 && (
            <Failed
              header="This organization does not exist, or you are not a member of it"
              onTryAgain={undefined}
              further={organizations.map((one) => (
                <Button key={one.org_id} onClick={() => navigate(paths.organization(one.org_id))}>
                  Open {nameAmong(one, organizations)}
                </Button>
              ))}
            >
              Check the link, or ask the operator to add you to the organization.
            </Failed>
          )}
          {organization?.suspended === true && (
            <Alert type="error" header="The organization is suspended">
              Its widgets appear on no page, and the service sends none of its requests. Contact the operator.
            </Alert>
          )}
          {unsavedElsewhere.length > 0 && (
            <Alert type="info" header="Your input in these forms is not saved">
              <SpaceBetween size="xxs">
                {unsavedElsewhere.map((form) => (
                  <span key={form.storageKey}>
                    <Link href={form.path}>{titleOf(form)}</Link>{' '}
                    <Button
                      variant="inline-icon"
                      iconName="close"
                      ariaLabel={`Discard the input of ${titleOf(form)}`}
                      onClick={() => setDiscarding(form)}
                    />
                  </span>
                ))}
              </SpaceBetween>
            </Alert>
          )}
          {me && organization && (
            <ScreenContext value={{ api, sub: me.sub, organization, isAdmin, notify, showSecret: setSecret, report }}>
              {place.site === undefined ? (
                <Screen key={organization.org_id} />
              ) : (
                <Assistant key={place.site} site={place.site} place={place} />
              )}
            </ScreenContext>
          )}
        </SpaceBetween>
        <div className="messages">
          <Flashbar items={flashes} />
        </div>
      </main>
      {secret !== undefined && <ShownOnce secret={secret} onClose={() => setSecret(undefined)} />}
      {loggingOut && (
        <Confirm
          header="Log out and discard what is not saved?"
          confirm="Log out"
          busy={isLeaving}
          onConfirm={logOut}
          onCancel={() => setLoggingOut(false)}
        >
          {unsavedForms.map(titleOf).join('; ')}
        </Confirm>
      )}
      {discardedForm !== undefined && (
        <Confirm
          header="Discard your changes?"
          confirm="Discard changes"
          onConfirm={() => {
            discardUnsaved(discardedForm);
            setDiscarding(undefined);
          }}
          onCancel={() => setDiscarding(undefined)}
        >
          What you typed in {titleOf(discardedForm)} is not saved.
        </Confirm>
      )}
    </I18nProvider>
  );
}
