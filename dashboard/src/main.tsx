import './style.css';
import { createRoot, type Root } from 'react-dom/client';
import { App } from './app.tsx';
import { followLinks, ROOT } from './navigation.ts';
import { allowTranslation } from './parts/allow-translation.ts';
import { Boundary, Failed } from './parts/loading.tsx';
import { dashboardApi } from './session/api-client.ts';
import { loadConfig, loginProblem, openLoginSession } from './session/session.ts';

async function start(root: Root): Promise<void> {
  try {
    const session = await openLoginSession(await loadConfig());
    // There is no session yet, and the browser goes to the login.
    if (session === undefined) return;
    followLinks();
    root.render(
      <Boundary>
        <App api={dashboardApi(session)} session={session} />
      </Boundary>,
    );
  } catch (error) {
    root.render(
      <main>
        <Failed header="The login failed" onTryAgain={() => window.location.assign(ROOT)}>
          {isStorageBlocked()
            ? `Your browser blocks cookies and site data of ${window.location.host}, which the login needs. Allow them in the settings of the browser, and try again.`
            : loginProblem(error)}
        </Failed>
      </main>,
    );
  }
}

function isStorageBlocked(): boolean {
  try {
    window.sessionStorage.getItem('');
    return false;
  } catch {
    return true;
  }
}

allowTranslation();
const element = document.getElementById('root');
if (element !== null) void start(createRoot(element));
