import { cachedFolder, foundFolder } from '../kafka/cached-folder.ts'
import type { ForeignProgram } from './counterpart.ts'
import { FOREIGN_PROGRAMS } from './counterparts.ts'

const SAY_AGAIN_MS = 30_000

/**
 * usage: npm run counterparts [NAME...]. Puts the programs of counterparts into the cache, one after the other; those that are
 * there already stay as they are. Without names: all.
 */
const chosen = chosenOf(process.argv.slice(2))
for (const counterpart of chosen) await prepare(counterpart)

/** Exits when a name is unknown. */
function chosenOf(names: readonly string[]): readonly ForeignProgram[] {
  const unknown = names.filter(name => !FOREIGN_PROGRAMS.some(each => each.name === name))
  if (unknown.length === 0)
    return FOREIGN_PROGRAMS.filter(({ name }) => names.length === 0 || names.includes(name))
  const known = FOREIGN_PROGRAMS.map(({ name }) => name).join(', ')
  console.error(`There is no counterpart ${unknown.join(', ')}. There are: ${known}.`)
  process.exit(1)
}

/** A counterpart that cannot be made does not keep the others away. */
async function prepare({ name, product, folder, make }: ForeignProgram): Promise<void> {
  if (foundFolder(folder) !== undefined) return console.log(`${name}: ${product} is there`)
  console.log(`${name}: preparing ${product}`)
  const startedMs = performance.now()
  const seconds = () => Math.round((performance.now() - startedMs) / 1_000)
  const saying = setInterval(() => console.log(`${name}: still preparing, ${seconds()} s`), SAY_AGAIN_MS)
  try {
    const path = await cachedFolder(folder, make)
    console.log(`${name}: ready after ${seconds()} s, in ${path}`)
  } catch (error) {
    process.exitCode = 1
    console.error(`${name}: failed after ${seconds()} s: ${(error as Error).message}`)
  } finally {
    clearInterval(saying)
  }
}
