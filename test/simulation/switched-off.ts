import { registerHooks } from 'node:module'
import type { Patch } from './guards.ts'

/** Modules that are loaded from now on are patched. @returns a check that every patch has been applied */
export function switchOff(patches: readonly Patch[]): () => void {
  const open = new Set(patches)
  registerHooks({
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

function patched(source: string, { file, find, replace }: Patch): string {
  const parts = source.split(find)
  if (parts.length !== 2)
    throw new Error(`"${find.trim()}" stands ${parts.length - 1} times in ${file}: where is the guard now?`)
  return parts.join(replace)
}
