import './style.css';
import { createRoot, type Root } from 'react-dom/client';
import { App } from './app.tsx';
import { Failure } from './failure.tsx';
import { followLinks } from './navigation.ts';
import { Boundary } from './parts/boundary.tsx';
import { dashboardApi } from './session/api.ts';
import { loadConfig } from './session/config.ts';
import { openSession } from './session/session.ts';

async function start(root: Root): Promise<void> {
  try {
    const session = await openSession(await loadConfig());
    if (session === undefined) return;
    followLinks();
    root.render(
      <Boundary>
        <App api={dashboardApi(session)} session={session} />
      </Boundary>,
    );
  } catch {
    root.render(<Failure />);
  }
}

const element = document.getElementById('root');
if (element !== null) void start(createRoot(element));
