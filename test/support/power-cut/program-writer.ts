import { statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { countedLines, eventually } from '../exported-lines.ts'
import { startProgram } from '../program.ts'
import { RunningWeir } from '../running-weir.ts'
import { PROGRAM_SETTINGS, type PromisedByProgram } from './promised.ts'

/**
 * Uses the program as people do, over two starts: lines, a pipeline, a file that is followed. After each step it prints
 * as JSON the data that must exist from then on.
 *
 * usage: node program-writer.ts FOLDER
 */
const [root = ''] = process.argv.slice(2)
const REQUESTS = 12
const LINES = 100
/** A log of this program has segments of 1 MiB: some are filled. */
const LINE_CHARACTERS = 2000

const weir = RunningWeir.prepare(PROGRAM_SETTINGS, join(root, 'data'))
let promised: PromisedByProgram = { step: 'ready', accessToken: '', lines: 0, pipelines: [], shippedBytes: 0 }
const promise = (more: Partial<PromisedByProgram>) => {
  promised = { ...promised, ...more }
  console.log(JSON.stringify(promised))
}

await weir.start()
promise({ accessToken: weir.credentials.accessToken })
const { data } = await weir.send<{ data: { id: string } }>('POST', '/v3/pipeline', { title: 'Calm' })
promise({ step: 'pipeline', pipelines: [data.id] })
for (let request = 0; request < REQUESTS; request++) await sendLines(request)
promise({ step: 'sent', lines: REQUESTS * LINES })
await eventually(
  () => countedLines(weir),
  lines => lines === REQUESTS * LINES,
)
promise({ step: 'stored' })
await weir.end('SIGTERM')
promise({ step: 'stopped' })

await weir.start()
promise({ step: 'started again' })
const followed = join(root, 'followed.log')
writeFileSync(followed, Array.from({ length: LINES }, (_, number) => `followed ${number}\n`).join(''))
const shipping = startProgram(['ship', '--follow', followed], weir.environment)
await eventually(
  () => countedLines(weir),
  lines => lines === (REQUESTS + 1) * LINES,
)
shipping.process.kill('SIGTERM')
await shipping.ended
promise({ step: 'shipped', lines: (REQUESTS + 1) * LINES, shippedBytes: statSync(followed).size })
await weir.end('SIGTERM')
promise({ step: 'ended' })

async function sendLines(request: number): Promise<void> {
  const { ingestUrl, ingestionKey } = weir.credentials
  const lines = Array.from({ length: LINES }, (_, number) => ({
    line: `line ${request * LINES + number} `.padEnd(LINE_CHARACTERS, 'x'),
    app: 'sent',
  }))
  const response = await fetch(`${ingestUrl}/logs/ingest?hostname=web-1`, {
    method: 'POST',
    headers: { apikey: ingestionKey, 'content-type': 'application/json' },
    body: JSON.stringify({ lines }),
  })
  if (response.status !== 200) throw new Error(`${response.status} ${await response.text()}`)
}
