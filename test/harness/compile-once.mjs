import vm from 'node:vm';

/**
 * Makes V8 compile a module once per process. Jest evaluates the modules of each suite in a new context, and V8 would compile the same
 * text again for each of them, which takes half of the time of a small suite. Only compiled code is shared, and no state.
 * This replaces two functions of `node:vm`, because jest has no setting for it.
 */

const { compileFunction, SourceTextModule } = vm;

/** The latest script of each CommonJS module. A script belongs to no context, so every suite runs the same one. */
const scripts = new Map();

vm.compileFunction = (code, parameters = [], options = {}) => {
  const { filename, importModuleDynamically, parsingContext } = options;
  // Only the first characters of a file may be a line for the shell.
  if (filename === undefined || parsingContext === undefined || code.startsWith('#!')) {
    return compileFunction(code, parameters, options);
  }
  const head = `(function (${parameters.join(', ')}) {`;
  let known = scripts.get(filename);
  if (known?.code !== code || known.head !== head) {
    known = compiled(filename, head, code);
    scripts.set(filename, known);
  }
  // Suites run one after another in a process, so an import() in this module belongs to the suite that compiled it last.
  known.importing = importModuleDynamically;
  return known.script.runInContext(parsingContext);
};

function compiled(filename, head, code) {
  const module = { head, code };
  module.script = new vm.Script(`${head}${code}\n})`, {
    filename,
    columnOffset: -head.length,
    importModuleDynamically: (...request) => module.importing(...request),
  });
  return module;
}

/** The latest code cache of each ES module. V8 binds an ES module to its context, so only a copy of the code can be shared. */
const caches = new Map();

vm.SourceTextModule = new Proxy(SourceTextModule, {
  construct(Module, [code, options = {}]) {
    const { identifier } = options;
    const known = caches.get(identifier);
    if (known?.code === code) {
      try {
        return new Module(code, { ...options, cachedData: known.cachedData });
      } catch (error) {
        // V8 refuses its caches after a suite has changed one of V8's flags.
        if (error.code !== 'ERR_VM_MODULE_CACHED_DATA_REJECTED') throw error;
      }
    }
    const module = new Module(code, options);
    if (identifier !== undefined) caches.set(identifier, { code, cachedData: module.createCachedData() });
    return module;
  },
});
