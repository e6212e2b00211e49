import { stripTypeScriptTypes } from 'node:module';

/** A jest transformer that replaces types by spaces, so that line and column numbers are the same as in the source. */
export default {
  process: (source) => ({ code: stripTypeScriptTypes(source) }),
};
