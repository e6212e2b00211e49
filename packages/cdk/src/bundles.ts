import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FunctionName } from '../../../src/deployment/outputs.ts';

/**
 * What lib/bundles.ts makes, as build.ts put it into the package: it replaces that file there, so the package contains neither esbuild nor a way to
 * replace a module of a function.
 */

export const NOTICES: string = join(__dirname, 'THIRD-PARTY-NOTICES.md');
export const VERSION: string = JSON.parse(readFileSync(join(__dirname, '../package.json'), 'utf8')).version;
export const functionFolder = (name: FunctionName): string => join(__dirname, 'functions', name);
export const bundleWidget = () => JSON.parse(readFileSync(join(__dirname, 'widget.json'), 'utf8'));
export const widgetFolder = (): string => join(__dirname, 'widget');
export const dashboardFolder = (): string => join(__dirname, 'dashboard');
