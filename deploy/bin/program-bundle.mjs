// Plain JavaScript: `npm ci` may run it on any Node.
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Folder of the bundle in that of the project. */
export const BUNDLE_FOLDER = 'deploy/dist'
/** Names the sources of the bundle, with their digest. */
export const BUNDLE_RECORD = 'built.json'
/** Module of the bundle that exports what `deploy/cli/program.ts` exports. */
export const BUNDLE_ENTRY = 'program.mjs'

/**
 * Digest of files by path and content.
 *
 * @param {string} root folder of the project
 * @param {readonly string[]} paths within the project
 * @returns {string | undefined} hexadecimal; undefined if one of them cannot be read
 */
export function sourcesDigest(root, paths) {
  const hash = createHash('sha256')
  try {
    for (const path of paths) {
      const content = readFileSync(join(root, path))
      hash.update(`${path}\0${content.length}\0`).update(content)
    }
  } catch {
    return undefined
  }
  return hash.digest('hex')
}

/**
 * Returns the path of the program as a bundle, which loads in less time than its many modules. Undefined if there is no
 * bundle of exactly the present sources, as after a change without `npm ci`.
 *
 * @param {string} root folder of the project
 * @returns {string | undefined}
 */
export function freshBundle(root) {
  try {
    const folder = join(root, BUNDLE_FOLDER)
    const { sources, digest } = JSON.parse(readFileSync(join(folder, BUNDLE_RECORD), 'utf8'))
    const isFresh = digest !== undefined && digest === sourcesDigest(root, sources)
    return isFresh ? join(folder, BUNDLE_ENTRY) : undefined
  } catch {
    return undefined
  }
}
