import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type CommandLine, commandLine } from '../../../test/support/command-line.ts'

let line: CommandLine
beforeEach(async () => {
  line = await commandLine()
})
afterEach(() => line.close())

describe('weir pipeline', () => {
  const ID = '0d5c8f3e-5f0f-4d0e-9a53-1f6f1f6b7a11'
  const pipeline = {
    id: ID,
    title: 'Main',
    published_at: '2026-01-01T00:00:00.000Z',
    has_changes: false,
    processing_status: 'enabled',
  }
  const nodes: Record<string, unknown[]> = {
    source: [
      {
        id: 's',
        type: 'log-analysis-ingestion',
        title: null,
        user_config: {},
        outputs: [{ id: 's', label: 'Default' }],
      },
    ],
    transform: [
      {
        id: 't',
        type: 'throttle',
        title: 'Calm',
        user_config: { limit: 1 },
        inputs: ['r.ab12'],
        outputs: [{ id: 't', label: 'Default' }],
      },
      {
        id: 'r',
        type: 'route',
        title: null,
        user_config: {},
        inputs: ['s'],
        outputs: [
          { id: 'r._unmatched', label: 'Unmatched' },
          { id: 'r.ab12', label: 'errors' },
        ],
      },
    ],
    sink: [{ id: 'k', type: 'blackhole', title: null, user_config: {}, inputs: ['t', 'r._unmatched'] }],
  }

  beforeEach(() => {
    line.reply = ({ url, method }) => {
      const [, , , id, kind] = url.pathname.split('/')
      if (!id)
        return {
          body: {
            data: [pipeline, { ...pipeline, id: `${ID.slice(0, -1)}2`, title: 'Draft', published_at: null }],
          },
        }
      if (id !== ID) return { status: 404, body: { code: 'ENOTFOUND', message: 'gone', error: 'gone' } }
      if (method === 'POST') return { body: { data: pipeline } }
      return { body: { data: kind ? nodes[kind] : pipeline } }
    }
  })

  test('list shows deployed and other pipelines', async () => {
    const { out } = await line.run(['pipeline', 'list'])
    expect(out).toMatch(new RegExp(`^${ID}  Main   runs   2026-01-01T00:00:00.000Z$`, 'm'))
    expect(out).toMatch(/Draft {2}draft {2}-$/m)
  })

  test('show lists the nodes in the order of the events, with the inputs of each', async () => {
    const { out } = await line.run(['pipeline', 'show', 'Main'])
    const rows = out
      .split('\n')
      .slice(4, 8)
      .map(row => row.split(/ {2,}/).slice(0, 4))
    expect(rows).toEqual([
      ['log-analysis-ingestion', 'source', 'log-analysis-ingestion', '-'],
      ['route', 'transform', 'route', 'log-analysis-ingestion'],
      ['Calm', 'transform', 'throttle', 'route → errors'],
      ['blackhole', 'sink', 'blackhole', 'Calm, route → Unmatched'],
    ])
  })

  test('show --json contains the pipeline and its nodes', async () => {
    const { out } = await line.run(['pipeline', 'show', ID, '--json'])
    expect(JSON.parse(out)).toEqual({
      pipeline,
      sources: nodes.source,
      transforms: nodes.transform,
      sinks: nodes.sink,
    })
  })

  test('show reports a server that does not list nodes', async () => {
    const answer = line.reply
    line.reply = request =>
      request.url.pathname.endsWith('/source')
        ? { status: 405, body: { status: 405, code: 'EMETHODNOTALLOWED', message: 'no' } }
        : answer(request)
    const { code, err } = await line.run(['pipeline', 'show', ID])
    expect([code, err]).toEqual([2, 'weir: This server does not list the nodes of a pipeline.\n'])
  })

  test('publish reports its success', async () => {
    const { code, out } = await line.run(['pipeline', 'publish', ID, '--allow-unconnected'])
    expect(code).toBe(0)
    expect(out).toBe('Published Main at 2026-01-01T00:00:00.000Z.\n')
    expect(line.service.requests[0]).toMatchObject({ method: 'POST', body: '{}' })
    expect(line.service.requests[0]?.url.searchParams.get('allow_unconnected_edges')).toBe('true')
  })

  test('publish without changes is a success and says so', async () => {
    const answer = line.reply
    line.reply = request =>
      request.method === 'POST'
        ? { status: 409, body: { status: 409, code: 'ENOCHANGES', message: 'no changes' } }
        : answer(request)
    const { code, out } = await line.run(['pipeline', 'publish', ID])
    expect(code).toBe(0)
    expect(out).toContain('Nothing to publish: Main has not changed')
  })

  test('publish that is refused names the findings and their places', async () => {
    line.reply = () => ({
      status: 400,
      body: {
        status: 400,
        code: 'EVALIDATION',
        message: 'not valid',
        errors: [{ instancePath: '/inputs/0', message: 'must exist' }],
      },
    })
    const { code, err } = await line.run(['pipeline', 'publish', ID])
    expect(code).toBe(2)
    expect(err).toContain('not valid (/inputs/0 must exist)')
  })

  test('an id or title that matches none, or two, is reported', async () => {
    expect((await line.run(['pipeline', 'show', 'Nope'])).err).toContain('There is no pipeline "Nope"')
    expect((await line.run(['pipeline', 'show', ID.slice(0, 8)])).err).toContain('can be any of')
  })
})
