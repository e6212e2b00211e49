import { stripTypeScriptTypes } from 'node:module';

/** A jest transformer that removes types in place, so that line and column numbers stay those of the source. */
export default {
  process: (source) => ({ code: stripTypeScriptTypes(source) }),
};
