import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type CommandLine, commandLine } from '../../../test/support/command-line.ts'
import { SHELLS } from './scripts.ts'

let line: CommandLine
beforeEach(async () => {
  line = await commandLine()
  line.reply = ({ url }) => {
    if (url.pathname === '/v3/pipeline')
      return { body: { data: [pipeline('Shop: main'), pipeline('Audit')] } }
    if (url.pathname === '/v1/config/retention-rules') return { body: [{ id: 'r-1', name: 'audit' }] }
    if (url.pathname === '/v3/pipeline/gateway-route')
      return { body: { data: [{ id: 'g-1', title: 'doors' }] } }
    if (url.pathname === '/v1/config/tokens') return { body: [{ id: 't-1', name: 'deployer' }] }
    return {
      body: {
        results: [
          { name: 'nginx', total_bytes: 1 },
          { name: 'node', total_bytes: 1 },
        ],
      },
    }
  }
})
afterEach(() => line.close())
const pipeline = (title: string) => ({ id: `id of ${title}`, title })

async function complete(...words: string[]): Promise<string[]> {
  const { code, out, err } = await line.run(['complete', '--', ...words])
  expect([code, err]).toEqual([0, ''])
  return out.split('\n').filter(each => each !== '')
}
const words = async (...line: string[]) => (await complete(...line)).map(each => each.split('\t')[0])

describe('the words that may follow', () => {
  test('are commands, with their summaries, without hidden ones', async () => {
    expect(await complete('sea')).toEqual(['search\tfind stored lines'])
    expect(await words('')).toEqual(expect.arrayContaining(['search', 'pipeline', 'doctor', 'all', 'help']))
    expect(await words('')).not.toContain('complete')
    expect(await words('pipeline', 'pu')).toEqual(['publish'])
    expect(await words('context', '')).toEqual(expect.arrayContaining(['add', 'use', 'list', 'remove']))
  })

  test('are options of the command and of all commands, and their values', async () => {
    expect(await words('search', '--l')).toEqual(['--limit', '--level'])
    expect(await words('search', '--ut')).toEqual(['--utc'])
    expect(await words('search', 'error', '--prefer', '')).toEqual(['head', 'tail'])
    expect(await words('pipeline', 'list', '-o', 'c')).toEqual(['csv'])
    expect(await words('pipeline', 'list', '--output=y')).toEqual(['--output=yaml'])
    expect(await words('usage', '')).toEqual(['apps', 'tags', 'hosts'])
  })

  test('are names from the server: pipelines, tokens and applications', async () => {
    expect(await complete('pipeline', 'show', '')).toEqual([
      'Shop: main\tid of Shop: main',
      'Audit\tid of Audit',
    ])
    expect(await words('pipeline', 'errors', '--from', '1h', 'Sh')).toEqual(['Shop: main'])
    expect(await words('token', 'revoke', 'd')).toEqual(['deployer'])
    expect(await words('rule', 'retention', 'get', '')).toEqual(['audit'])
    expect(await words('gateway', 'delete', '')).toEqual(['doors'])
    expect(await words('gateway', 'key', 'create', '')).toEqual(['doors'])
    expect(await words('search', '--app', 'ng')).toEqual(['nginx'])
    expect(await words('usage', 'apps', 'no')).toEqual(['node'])
  })

  test('are none after a complete line, for files, and when the server does not answer', async () => {
    expect(await words('pipeline', 'apply', '')).toEqual([])
    expect(await words('pipeline', 'show', 'Audit', '')).toEqual([])
    expect(await words('search', '--', '-')).toEqual([])
    line.reply = () => ({ status: 503, body: {} })
    expect(await words('pipeline', 'show', '')).toEqual([])
  })
})

test.each(SHELLS)('the script of %s is printed', async shell => {
  const { code, out } = await line.run(['completion', shell])
  expect([code, out]).toEqual([0, expect.stringContaining('weir complete -- ')])
})
