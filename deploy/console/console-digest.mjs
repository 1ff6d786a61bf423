// Plain JavaScript: `npm ci` may run it on any Node.
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Files outside the room that take part in its build. */
const OTHERS = ['package.json', 'package-lock.json']

/**
 * Digest of everything that a build of the console depends on.
 *
 * @param {string} root folder of the project
 * @returns {string | undefined} hexadecimal; undefined where the sources are not installed, as in an image
 */
export function consoleDigest(root) {
  const folder = join(root, 'console')
  if (!existsSync(join(folder, 'index.html'))) return undefined
  const own = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(entry =>
      join(entry.parentPath ?? entry.path, entry.name)
        .slice(root.length)
        .replace(/^[/\\]/, ''),
    )
    .filter(path => !/^console[/\\]\.?dist|\.test\.tsx?$/.test(path))
  const hash = createHash('sha256')
  for (const path of [...OTHERS, ...own].sort()) {
    const content = existsSync(join(root, path)) ? readFileSync(join(root, path)) : ''
    hash.update(`${path}\0${content.length}\0`).update(content)
  }
  return hash.digest('hex')
}
