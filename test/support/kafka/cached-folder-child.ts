import { appendFileSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { cachedFolder } from './cached-folder.ts'

/**
 * usage: node cached-folder-child.ts NOTES. Requests a folder, notes its creation in NOTES/makings, and prints its
 * content.
 */
const [notes = ''] = process.argv.slice(2)
const folder = await cachedFolder('things', async making => {
  appendFileSync(join(notes, 'makings'), 'made\n')
  writeFileSync(join(making, 'first'), '')
  await setTimeout(300) // Time for the others to come and see half of it, if they could.
  writeFileSync(join(making, 'second'), '')
})
console.log(`found ${readdirSync(folder).sort().join(' ')}`)
