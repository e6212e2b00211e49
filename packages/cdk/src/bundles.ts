import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { FunctionName } from '../../../src/deployment/outputs.ts';

/**
 * What lib/bundles.ts makes, as build.ts put it into the package: it replaces that file there, so the package contains neither esbuild nor a way to
 * replace a module of a function.
 */

/** The version in package.json, which build.ts inserts. */
declare const PACKAGE_VERSION: string;

/** Folder of the package's files. In an app that is itself bundled, this module is elsewhere, and Node finds the package from where the app runs. */
const dist =
  typeof __dirname === 'string' && existsSync(join(__dirname, 'functions'))
    ? __dirname
    : dirname(createRequire(join(process.cwd(), 'app.js')).resolve('@va-wave/cdk'));

export const NOTICES: string = join(dist, 'THIRD-PARTY-NOTICES.md');
export const PAGES = 'node_modules/@va-wave/cdk/dist/docs';
export const VERSION: string = PACKAGE_VERSION;
export const functionFolder = (name: FunctionName): string => join(dist, 'functions', name);
export const bundleWidget = () => JSON.parse(readFileSync(join(dist, 'widget.json'), 'utf8'));
export const widgetFolder = (): string => join(dist, 'widget');
export const dashboardFolder = (): string => join(dist, 'dashboard');
