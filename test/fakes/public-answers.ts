import type { PublicAnswer } from '../../src/contract/public-operations.ts';
import { SITE_ID } from './configuration.ts';

/** What the service answers to a backend and to a widget without forms. */
export const SESSION: PublicAnswer<'createSession'> = {
  success: true,
  session_token: 'DontTellThisToken',
  site_id: SITE_ID,
  expires_at: '2026-01-31T12:15:00+00:00',
  expires_in_seconds: 900,
};
export const INIT: PublicAnswer<'initWidget'> = {
  success: true,
  site_id: SITE_ID,
  session_id: 'session-1',
  visitor_id: 'visitor-1',
  conversation_id: null,
  forms: [],
};
