import { readdirSync, statSync, truncateSync } from 'node:fs'
import { join } from 'node:path'
import { CONFIG_TOPIC } from '../../schemas/log/topics.ts'
import type { Dice } from '../support/dice.ts'
import type { RunningWeir } from '../support/running-weir.ts'
import type { Fault } from './fault.ts'
import { acceptLoss, command } from './operator.ts'
import { restarted } from './restart.ts'

const COMMAND = /log accept-loss --topic config --partition 0 --from (\d+) --to \d+/
const KEYS = '/v1/config/keys'

/**
 * After a stop or a kill the configuration log ends before a key was made, and perhaps before another was deleted. An
 * operator accepts that, and deletes again what works again.
 */
export function configurationFault(dice: Dice): Fault {
  const signal = dice.chance(0.5) ? 'SIGKILL' : 'SIGTERM'
  const losesDeletion = dice.chance(0.6)
  return {
    family: 'config',
    label: `configuration ends early after ${signal}`,
    waitMs: 50 + dice.below(1_000),
    async inject(site) {
      const { weir } = site
      const deleted = await newKey(weir)
      const [before] = [sizeOf(newestFile(weir))]
      await deleteKey(weir, deleted.id)
      const between = sizeOf(newestFile(weir))
      const made = await newKey(weir)
      const odd: string[] = []
      if (await opens(weir, deleted.key)) odd.push('a deleted key works')
      if (!(await opens(weir, made.key))) odd.push('a new key does not work')
      await weir.end(signal)
      truncateSync(newestFile(weir), losesDeletion ? before : between)
      const what = `the deletion of a key is ${losesDeletion ? '' : 'not '}lost, and a new key is`
      odd.push(...(await acceptedAtStart(weir)))
      if (!weir.running) await weir.start()
      if ((await opens(weir, deleted.key)) !== losesDeletion)
        odd.push(
          `a key whose deletion is ${losesDeletion ? '' : 'not '}lost ${losesDeletion ? 'does not work' : 'works'}`,
        )
      if (await opens(weir, made.key)) odd.push('a key works whose making is lost')
      if (losesDeletion) await deleteKey(weir, deleted.id)
      if (await opens(weir, deleted.key)) odd.push('a key works that was deleted again')
      await weir.end('SIGKILL')
      return { ...restarted(site, what), odd }
    },
  }
}

/** Starts the program, which must refuse until the printed command has been run. @returns sentences about other outcomes */
async function acceptedAtStart(weir: RunningWeir): Promise<string[]> {
  const { length } = weir.output
  const started = await weir.start().then(
    () => true,
    () => false,
  )
  if (started) return ['a configuration that ends early is not noticed']
  const printed = COMMAND.exec(weir.output.slice(length))
  if (printed === null) return [`a start is refused with ${weir.output.slice(length)}`]
  const odd = await acceptLoss(weir, printed[0].split(' '))
  await weir.start()
  const { out } = await command(weir, ['audit', '--kind', 'accepted-loss', '--json'])
  if (!out.includes(`"from":${printed[1]}`)) odd.push(`the audit has no accepted loss from ${printed[1]} on`)
  return odd
}

function newestFile({ directory }: RunningWeir): string {
  const folder = join(directory, 'log', CONFIG_TOPIC, '0')
  const names = readdirSync(folder).filter(name => name.endsWith('.segment'))
  return join(folder, names.sort().at(-1) as string)
}

function sizeOf(path: string): number {
  return statSync(path).size
}

function newKey(weir: RunningWeir): Promise<{ readonly id: string; readonly key: string }> {
  return weir.send('POST', `${KEYS}?type=ingestion`, { name: 'lent' })
}

async function deleteKey({ credentials }: RunningWeir, id: string): Promise<void> {
  const headers = { authorization: `Token ${credentials.accessToken}` }
  const response = await fetch(`${credentials.apiUrl}${KEYS}/${id}`, { method: 'DELETE', headers })
  if (!response.ok) throw new Error(`a key is not deleted: ${response.status} ${await response.text()}`)
}

/** Whether a key is accepted. The body is not: nothing is stored. */
async function opens({ credentials }: RunningWeir, key: string): Promise<boolean> {
  const { status } = await fetch(`${credentials.ingestUrl}/logs/ingest?hostname=probe`, {
    method: 'POST',
    headers: { apikey: key, 'content-type': 'application/json' },
    body: '{}',
  })
  return status !== 401
}
