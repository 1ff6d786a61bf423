import { execFileSync } from 'node:child_process'
import { expect, test } from 'vitest'

const MODULE = new URL('./program-logger.ts', import.meta.url).href
const SECRETS = { authorization: 'Token sts_1', apikey: 'key-2', servicekey: 'key-3', cookie: 'session-4' }

test.each(['programLogger', 'threadLogger'])('the credentials of a request are not logged by %s', logger => {
  const headers = { ...SECRETS, host: 'weir.example' }
  const script = `
    import { ${logger} } from '${MODULE}'
    const logger = await ${logger}('info')
    logger.info({ req: { headers: ${JSON.stringify(headers)} } }, 'a request')`
  const out = execFileSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' })
  const masked = Object.fromEntries(Object.keys(SECRETS).map(name => [name, '[Redacted]']))
  expect(JSON.parse(out)).toMatchObject({
    msg: 'a request',
    req: { headers: { ...masked, host: 'weir.example' } },
  })
})
