import { registerHooks } from 'node:module'
import { BUNDLE_ENTRY, BUNDLE_FOLDER } from '../../deploy/bin/program-bundle.mjs'
import type { Patch } from './guards.ts'

/** The module that the program starts with if it has no bundle. */
const PROGRAM = new URL('../../deploy/cli/program.ts', import.meta.url).href

/**
 * Modules that are loaded from now on are patched. A bundle contains no module that could be, so the program runs its
 * sources.
 *
 * @returns a check that every patch has been applied
 */
export function switchOff(patches: readonly Patch[]): () => void {
  const open = new Set(patches)
  registerHooks({
    resolve: (specifier, context, nextResolve) =>
      nextResolve(specifier.endsWith(`/${BUNDLE_FOLDER}/${BUNDLE_ENTRY}`) ? PROGRAM : specifier, context),
    load(url, context, nextLoad) {
      const loaded = nextLoad(url, context)
      const own = patches.filter(({ file }) => url.endsWith(`/${file}`))
      if (own.length === 0) return loaded
      let source = String(loaded.source)
      for (const patch of own) {
        source = patched(source, patch)
        open.delete(patch)
      }
      return { ...loaded, source }
    },
  })
  return () => {
    for (const { file } of open) throw new Error(`${file} was never loaded`)
  }
}

/** @throws Error if the text of the patch is not in the source exactly once */
export function patched(source: string, { file, find, replace }: Patch): string {
  const parts = source.split(find)
  if (parts.length !== 2)
    throw new Error(`"${find.trim()}" stands ${parts.length - 1} times in ${file}: where is the guard now?`)
  return parts.join(replace)
}
