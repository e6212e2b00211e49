import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { missingProgram } from '../../harness/programs.ts';
import { installReceiver } from '../packages/receiver/packed-receiver.ts';
import { describeRecipe, PHP_COPIES, PYTHON_COPIES, STORES } from './recipes.ts';

const cache = resolve(import.meta.dirname, '../../../node_modules/.cache/recipes');
const python = join(cache, 'python/bin/python');
const noPython = missingProgram('Python with venv');
const PIP = ['flask==3.1.3', 'django==5.2.19', 'fastapi==0.165.0', 'uvicorn==0.54.0'];
const NPM = ['next@16.4.6', 'react@19.3.1', 'react-dom@19.3.1'];

const run = (command: string, words: readonly string[], cwd: string, env = process.env): void => {
  // A registry that goes silent would stop the run without an end.
  execFileSync(command, words, { cwd, env, stdio: 'inherit', timeout: 300_000, killSignal: 'SIGKILL' });
};

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

/** Symfony of Debian, with a kernel that has the route. */
const KERNEL = `<?php
require '/usr/share/php/Symfony/Bundle/FrameworkBundle/autoload.php';
require 'ActionsController.php';
use Symfony\\Bundle\\FrameworkBundle\\FrameworkBundle;
use Symfony\\Bundle\\FrameworkBundle\\Kernel\\MicroKernelTrait;
use Symfony\\Component\\DependencyInjection\\Loader\\Configurator\\ContainerConfigurator;
use Symfony\\Component\\HttpFoundation\\Request;
use Symfony\\Component\\HttpKernel\\Kernel;
use Symfony\\Component\\Routing\\Loader\\Configurator\\RoutingConfigurator;
final class ReceiverKernel extends Kernel {
    use MicroKernelTrait;
    public function registerBundles(): iterable { return [new FrameworkBundle()]; }
    public function getProjectDir(): string { return __DIR__; }
    protected function configureContainer(ContainerConfigurator $container): void {
        $container->extension('framework', ['secret' => 'of a test']);
        $container->services()->set(App\\Controller\\ActionsController::class)->public();
    }
    protected function configureRoutes(RoutingConfigurator $routes): void {
        $routes->add('actions', '/actions')->controller(App\\Controller\\ActionsController::class);
    }
}
(new ReceiverKernel('prod', false))->handle(Request::createFromGlobals())->send();
`;
describeRecipe({
  name: 'Symfony',
  heading: 'Symfony',
  missing: missingProgram('Symfony'),
  file: 'ActionsController.php',
  files: { 'store.php': STORES['store.php'], 'kernel.php': KERNEL },
  copies: PHP_COPIES,
  start: 'php -d display_errors=0 -S 127.0.0.1:$PORT kernel.php',
});

const WORDPRESS = join(cache, 'wordpress');
const WP_CONFIG = `<?php
foreach (['NAME', 'USER', 'PASSWORD', 'HOST', 'CHARSET', 'COLLATE'] as $name) define("DB_$name", '');
// Without it, WordPress leads every visitor of an empty database to its installation.
define('WP_INSTALLING', true);
define('ABSPATH', __DIR__ . '/');
$table_prefix = 'wp_';
require_once ABSPATH . 'wp-settings.php';
`;
const EMPTY_DATABASE = `<?php
$wpdb = new class('', '', '', '') extends wpdb {
    public function db_connect($allow_bail = true) { return $this->ready = true; }
    public function query($query) { $this->last_result = []; return 0; }
    public function _real_escape($data) { return addslashes($data); }
    public function db_version() { return '8.0'; }
};
`;
describeRecipe({
  name: 'WordPress',
  heading: 'WordPress',
  missing: missingProgram('WordPress'),
  file: 'wp-content/mu-plugins/actions.php',
  files: {
    'wp-content/mu-plugins/store.php': STORES['store.php'],
    'wp-content/db.php': EMPTY_DATABASE,
    'wp-config.php': WP_CONFIG,
  },
  copies: { 'wp-content/mu-plugins/verify.php': PHP_COPIES['verify.php'] },
  prepare: (folder) => {
    if (!existsSync(WORDPRESS)) {
      mkdirSync(cache, { recursive: true });
      run('bash', ['-c', 'apt-get download wordpress && dpkg-deb -x wordpress_*.deb wordpress'], cache);
    }
    if (existsSync(join(folder, 'index.php'))) return;
    cpSync(join(WORDPRESS, 'usr/share/wordpress'), folder, { recursive: true, force: false });
  },
  start: 'php -d display_errors=0 -S 127.0.0.1:$PORT index.php',
});

/** What `rails new --api` writes, as far as it decides about a request. */
const RACKUP = `require "action_controller/railtie"
require_relative "receive_action"
class Receiver < Rails::Application
  config.eager_load = false
  config.hosts << "127.0.0.1"
  config.secret_key_base = "of a test"
  config.logger = Logger.new(nil)
end
Rails.application.initialize!
Rails.application.routes.draw { match "/actions", to: RECEIVE_ACTION, via: :all }
run Rails.application
`;
describeRecipe({
  name: 'Rails',
  heading: 'Rails',
  missing: missingProgram('Rails'),
  file: 'receive_action.rb',
  files: { 'store.rb': STORES['store.rb'], 'config.ru': RACKUP },
  copies: { 'verify.rb': 'examples/receivers/ruby/verify.rb' },
  start: 'puma --quiet --environment production --bind tcp://127.0.0.1:$PORT config.ru',
});

const POM = `<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <parent>
    <groupId>org.springframework.boot</groupId>
    <artifactId>spring-boot-starter-parent</artifactId>
    <version>3.5.7</version>
    <relativePath/>
  </parent>
  <groupId>example</groupId>
  <artifactId>receiver</artifactId>
  <version>1</version>
  <properties><java.version>17</java.version></properties>
  <dependencies>
    <dependency><groupId>org.springframework.boot</groupId><artifactId>spring-boot-starter-web</artifactId></dependency>
  </dependencies>
  <build>
    <plugins><plugin><groupId>org.springframework.boot</groupId><artifactId>spring-boot-maven-plugin</artifactId></plugin></plugins>
  </build>
</project>
`;
const APPLICATION = `package actions;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;

@SpringBootApplication
public class Application {
  public static void main(String[] words) {
    SpringApplication.run(Application.class, words);
  }
}
`;
const SOURCES = 'src/main/java/actions';
describeRecipe({
  name: 'Spring',
  heading: 'Spring',
  missing: missingProgram('Maven'),
  file: `${SOURCES}/ActionsController.java`,
  files: {
    'pom.xml': POM,
    [`${SOURCES}/Application.java`]: APPLICATION,
    [`${SOURCES}/Store.java`]: STORES['Store.java'],
  },
  copies: { [`${SOURCES}/ActionVerifier.java`]: 'examples/receivers/java/ActionVerifier.java' },
  prepare: (folder) => run('mvn', ['--quiet', '--batch-mode', 'package'], folder),
  start: 'java -jar target/receiver-1.jar --server.address=127.0.0.1 --server.port=$PORT',
});
