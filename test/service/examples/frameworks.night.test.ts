import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { installReceiver } from '../packages/receiver/packed-receiver.ts';
import { describeRecipe, PYTHON_COPIES, STORES } from './recipes.ts';
import { missingUnless } from './where-installed.ts';

const cache = resolve(import.meta.dirname, '../../../node_modules/.cache/recipes');
const python = join(cache, 'python/bin/python');
const noPython = missingUnless('Python with venv', ['python3', '-m', 'venv', '--help']);
const PIP = ['flask==3.1.3', 'django==5.2.19', 'fastapi==0.165.0', 'uvicorn==0.54.0'];
const NPM = ['next@16.4.6', 'react@19.3.1', 'react-dom@19.3.1'];

const run = (command: string, words: readonly string[], cwd: string, env = process.env) =>
  execFileSync(command, words, { cwd, env, stdio: 'inherit' });

/** Installs the Python frameworks once into the folder of caches. */
function installPython(): void {
  if (existsSync(python)) return;
  mkdirSync(cache, { recursive: true });
  run('python3', ['-m', 'venv', 'python'], cache);
  run(python, ['-m', 'pip', 'install', '--quiet', ...PIP], cache);
}

const PYTHON = { missing: noPython, file: 'receiver.py', copies: PYTHON_COPIES, prepare: installPython };
const files = { 'store.py': STORES['store.py'] };

describeRecipe({
  ...PYTHON,
  name: 'Flask',
  heading: 'Flask',
  files,
  start: `${python} -B -m flask --app receiver run --port $PORT`,
});

describeRecipe({
  ...PYTHON,
  name: 'FastAPI',
  heading: 'FastAPI',
  files,
  start: `${python} -B -m uvicorn receiver:app --port $PORT`,
});

/** What `django-admin startproject` writes, as far as it decides about a request. */
const SETTINGS = `SECRET_KEY = "of a test"
ALLOWED_HOSTS = ["127.0.0.1"]
ROOT_URLCONF = "urls"
MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
]
`;
const URLS = `from django.urls import path
import views
urlpatterns = [path("actions", views.actions)]
`;
describeRecipe({
  ...PYTHON,
  name: 'Django',
  heading: 'Django',
  file: 'views.py',
  files: { ...files, 'settings.py': SETTINGS, 'urls.py': URLS },
  start: `${python} -B -m django runserver 127.0.0.1:$PORT --noreload --pythonpath . --settings settings`,
});

const PAGE = `export default function Layout({ children }) { return <html lang="en"><body>{children}</body></html>; }
`;
describeRecipe({
  name: 'Next.js',
  heading: 'Next.js',
  file: 'app/actions/route.js',
  files: { 'app/actions/store.js': STORES['store.js'], 'app/layout.js': PAGE, 'package.json': '{"private":true}' },
  prepare: async (folder) => {
    run('npm', ['install', '--no-audit', '--no-fund', ...NPM], folder);
    await installReceiver(folder);
    // Without the secret, as in the build of an image.
    const { SIGNING_SECRET: _, ...environment } = process.env;
    run('npx', ['next', 'build'], folder, { ...environment, NEXT_TELEMETRY_DISABLED: '1' });
  },
  start: 'node node_modules/next/dist/bin/next start -H 127.0.0.1 -p $PORT',
  only: 'POST',
});
