import { App } from 'aws-cdk-lib';
import { Platform } from './platform.mjs';

new Platform(new App(), 'Platform');
