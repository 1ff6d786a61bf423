/** Folder of modules that Node has compiled. */
export const COMPILED: string = new URL('../../node_modules/.cache/weir-tests', import.meta.url).pathname

/**
 * Present environment for a script that a test starts: Node keeps its compiled modules for the next start, which takes a
 * third of the time. The program itself does so without it, in a place of its own.
 */
export function compiledOnce(): NodeJS.ProcessEnv {
  return { ...process.env, NODE_COMPILE_CACHE: COMPILED }
}
