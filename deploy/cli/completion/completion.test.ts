import { execFile, spawnSync } from 'node:child_process'
import { chmod, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
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

describe('the scripts', () => {
  test.each(SHELLS)('of %s is printed, and valid where the shell is there', async shell => {
    const { code, out } = await line.run(['completion', shell])
    expect([code, out]).toEqual([0, expect.stringContaining('weir complete -- ')])
    const checked = spawnSync(shell, ['-n'], { input: out, encoding: 'utf8' })
    if (checked.error === undefined) expect([checked.status, checked.stderr]).toEqual([0, ''])
  })

  test('of bash completes words with blanks and quotes, and leaves files to bash', async () => {
    const folder = join(line.folder, 'bin')
    await mkdir(folder)
    await writeFile(
      join(folder, 'weir'),
      '#!/bin/sh\necho "$*" >> "$0.calls"\n[ "$4" = show ] && printf "Shop: main\\tan id\\nIt\'s\\tanother\\n"\nexit 0\n',
    )
    await chmod(join(folder, 'weir'), 0o755)
    const { out } = await line.run(['completion', 'bash'])
    const script = `${out}
COMP_WORDS=(weir pipeline show ''); COMP_CWORD=3; _weir; printf '%s|' "\${COMPREPLY[@]}"; echo
COMP_WORDS=(weir pipeline apply ''); COMP_CWORD=3; _weir; echo "\${#COMPREPLY[@]}"
cat "${folder}/weir.calls"`
    const { stdout } = await promisify(execFile)('bash', ['-c', script], {
      env: { PATH: `${folder}:${process.env.PATH}` },
    })
    expect(stdout.split('\n')).toEqual([
      "Shop:\\ main|It\\'s|",
      '0',
      'complete -- pipeline show ',
      'complete -- pipeline apply ',
      '',
    ])
  })
})
