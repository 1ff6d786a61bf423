import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../schemas/json.ts'
import { CATALOGUE } from './catalogue.ts'
import { checkOptions, type NodeSettings } from './contract/node-declaration.ts'

const EXPLICIT = 'Explicit field selection'
const PASS_THROUGH = 'Message pass-through'

function check(type: string, config: JsonObject, settings: NodeSettings = {}) {
  const destination = CATALOGUE.declarationOf('sink', type)
  if (destination === undefined) throw new RangeError(type)
  return checkOptions(destination, config, { typeAsSent: type, previous: undefined, settings })
}

function stored(type: string, config: JsonObject, settings?: NodeSettings): JsonObject {
  const checked = check(type, config, settings)
  if (!('stored' in checked)) throw new Error(JSON.stringify(checked))
  return checked.stored
}

function problems(config: JsonObject, settings?: NodeSettings): readonly string[] {
  const checked = check('mezmo', config, settings)
  if (!('problems' in checked)) throw new Error('nothing was found')
  return checked.problems.map(({ instancePath, message }) => `${instancePath} ${message}`)
}

test('types are found by their canonical id and by every alias', () => {
  expect(
    ['log-analysis', 'mezmo', 'log-store', 'blackhole'].map(
      type => CATALOGUE.declarationOf('sink', type)?.type,
    ),
  ).toEqual(['log-analysis', 'log-analysis', 'log-analysis', 'blackhole'])
  expect(CATALOGUE.declarationOf('sink', 'nowhere')).toBeUndefined()
})

test('a blackhole has one option and its default', () => {
  expect(stored('blackhole', {})).toEqual({ ack_enabled: true })
  expect(stored('blackhole', { ack_enabled: false })).toEqual({ ack_enabled: false })
  expect(check('blackhole', { nope: 1 })).toMatchObject({ problems: [{ instancePath: '' }] })
})

describe('the stored options of a log-analysis destination', () => {
  test.each(['mezmo', 'log-analysis', 'log-store'])(
    'of type %s: the listed defaults and nothing else',
    type => {
      expect(stored(type, {})).toEqual({
        ack_enabled: true,
        use_ingestion_key: false,
        query: { hostname: type },
        message: { scheme: EXPLICIT },
      })
    },
  )

  test('a client gets its options back as it sent them', () => {
    const sent = {
      mezmo_host: 'logs.example.com',
      use_ingestion_key: true,
      ingestion_key: 'key',
      ack_enabled: false,
      query: {
        hostname: '{{ .host }}',
        tags: ['a', '{{metadata.query.app}}'],
        ip: '{{metadata.query.ip}}',
        mac: 'm',
      },
      message: {
        scheme: EXPLICIT,
        line: '{{ .line }}',
        meta_field: 'metadata._meta',
        timestamp_field: 'timestamp',
        app: '{{.app}}',
        file: '{{.file}}',
        env: 'staging',
      },
    }
    expect(stored('mezmo', sent)).toEqual(sent)
  })

  test('an empty query gets its hostname, and an empty list of tags stays', () => {
    expect(stored('mezmo', { query: {} }).query).toEqual({ hostname: 'mezmo' })
    expect(stored('mezmo', { query: { tags: [] } }).query).toEqual({ hostname: 'mezmo', tags: [] })
  })

  test('a sent key is used', () => {
    expect(stored('mezmo', { ingestion_key: 'k' })).toMatchObject({
      ingestion_key: 'k',
      use_ingestion_key: true,
    })
    expect(stored('mezmo', {})).not.toHaveProperty('ingestion_key')
  })

  test("this installation's own host is filled in under the spelling of the type", () => {
    expect(stored('mezmo', {}, { ownHost: 'in.example' })).toMatchObject({ mezmo_host: 'in.example' })
    expect(stored('log-analysis', {}, { ownHost: 'in.example' })).toMatchObject({ host: 'in.example' })
    expect(stored('log-analysis', { mezmo_host: 'a.b' }, { ownHost: 'in.example' })).not.toHaveProperty(
      'host',
    )
  })

  test('the sent options are not changed for the caller', () => {
    const sent = { query: {} }
    stored('mezmo', sent)
    expect(sent).toEqual({ query: {} })
  })

  test.each([
    'logs.example.com',
    'http://localhost:8080',
    'https://logs.example.com/',
    '127.0.0.1:80',
    '[::1]:8080',
    'weir',
  ])('host %s is accepted', host => {
    expect(stored('mezmo', { mezmo_host: host })).toMatchObject({ mezmo_host: host })
    expect(stored('log-analysis', { host })).toMatchObject({ host })
  })
})

describe('a log-analysis destination is refused', () => {
  test.each<[string, JsonObject, string[]]>([
    ['an unknown member', { nope: 1 }, ["must NOT have additional properties: 'nope'"]],
    [
      'an unknown member of query',
      { query: { nope: 1 } },
      ["/query must NOT have additional properties: 'nope'"],
    ],
    [
      'an unknown member of message',
      { message: { scheme: EXPLICIT, level: 'x' } },
      ["/message must NOT have additional properties: 'level'"],
    ],
    [
      'both spellings of the host',
      { host: 'a', mezmo_host: 'a' },
      ['/mezmo_host must NOT be sent together with host'],
    ],
    ['a host that is none', { mezmo_host: 'not a host' }, ['/mezmo_host must be a valid host name']],
    ['a host with a path', { host: 'https://a.b/logs' }, ['/host must be a valid host name']],
    ['an empty host', { mezmo_host: '' }, ['/mezmo_host must NOT have fewer than 1 characters']],
    ['a flag without a key', { use_ingestion_key: true }, [" must have required property 'ingestion_key'"]],
    [
      'a key against the flag',
      { use_ingestion_key: false, ingestion_key: 'k' },
      ['/ingestion_key must NOT be sent'],
    ],
    ['an empty key', { ingestion_key: '' }, ['/ingestion_key must NOT have fewer than 1 characters']],
    ['a null key', { ingestion_key: null }, ['/ingestion_key must be string']],
    ['a null query', { query: null }, ['/query must be object']],
    ['a number as text', { ack_enabled: 'true' }, ['/ack_enabled must be boolean']],
    [
      'an empty hostname',
      { query: { hostname: '' } },
      ['/query/hostname must NOT have fewer than 1 characters'],
    ],
    ['an empty tag', { query: { tags: ['a', ''] } }, ['/query/tags/1 must NOT have fewer than 1 characters']],
    ['a text as tags', { query: { tags: 'a' } }, ['/query/tags must be array']],
    [
      'a template without an end',
      { query: { hostname: '{{.a' } },
      ['/query/hostname must be a valid template'],
    ],
    [
      'a template without a path',
      { query: { tags: ['{{nope}}'] } },
      ['/query/tags/0 Must be a valid data access syntax'],
    ],
    [
      'an ip that is too long',
      { query: { ip: 'x'.repeat(513) } },
      ['/query/ip must NOT have more than 512 characters'],
    ],
    ['a message without a scheme', { message: {} }, ["/message must have required property 'scheme'"]],
    [
      'another scheme',
      { message: { scheme: 'explicit' } },
      ['/message/scheme must be equal to one of the allowed values'],
    ],
    [
      'a bad path for meta',
      { message: { scheme: EXPLICIT, meta_field: 'not-a-path' } },
      ['/message/meta_field Must be a valid data access syntax'],
    ],
    [
      'a bad path for the timestamp',
      { message: { scheme: EXPLICIT, timestamp_field: '..a' } },
      ['/message/timestamp_field Must be a valid data access syntax'],
    ],
    [
      'a bad path for the line',
      { message: { scheme: EXPLICIT, line: '.a b' } },
      ['/message/line Must be a valid data access syntax'],
    ],
    [
      'a line that is too long',
      { message: { scheme: EXPLICIT, line: 'x'.repeat(1025) } },
      ['/message/line must NOT have more than 1024 characters'],
    ],
    [
      'options beside pass-through',
      { message: { scheme: PASS_THROUGH, app: 'x' } },
      ['/message/app must NOT be sent when scheme is'],
    ],
  ])('%s', (_what, config, expected) => {
    const found = problems(config)
    expect(found).toHaveLength(expected.length)
    for (const [index, text] of expected.entries()) expect(found[index]?.trim()).toContain(text.trim())
  })

  test('all findings are reported at once, those of the schema and the others', () => {
    expect(
      problems({ nope: 1, query: { hostname: '{{' }, message: { scheme: 'x', app: '{{x}}' } }),
    ).toHaveLength(4)
  })

  test('limits hold to the character', () => {
    const config = { query: { ip: 'x'.repeat(512) }, message: { scheme: EXPLICIT, line: 'x'.repeat(1024) } }
    expect(stored('mezmo', config)).toMatchObject(config)
  })

  test('a host that the operator does not allow', () => {
    const settings = { installationHosts: /^[a-z]+\.example\.com$/ }
    expect(problems({ mezmo_host: 'logs.other.com' }, settings)).toEqual([
      '/mezmo_host must match pattern "^[a-z]+\\.example\\.com$"',
    ])
    expect(stored('mezmo', { mezmo_host: 'logs.example.com' }, settings)).toBeDefined()
    expect(stored('mezmo', {}, settings)).toBeDefined()
  })
})

test('partitions receive a node for another installation under a type of its own, without host and key', () => {
  const query = { hostname: 'h' }
  const user_config = { mezmo_host: 'logs.other.com', ingestion_key: 'key', query }
  const sink = { id: 's', kind: 'sink' as const, type: 'mezmo', title: null, inputs: [], user_config }
  const document = { id: 'p', accountId: 'a', title: '', revision: 1, nodes: [sink] }
  const received = (elsewhere?: string[]) => CATALOGUE.foldDocumentOf(document, elsewhere).nodes[0]
  expect(received(['s'])).toEqual({ ...sink, type: 'log-analysis-elsewhere', user_config: { query } })
  expect(received()).toEqual({ ...sink, user_config: { query } })
  expect(CATALOGUE.goesElsewhere(sink, { isOwnHost: () => false })).toBe(true)
  expect(CATALOGUE.goesElsewhere(sink, { isOwnHost: () => true })).toBe(false)
  expect(CATALOGUE.declarationOf('sink', 'log-analysis-elsewhere')).toBeUndefined()
})

test('the message about a destination of another installation, or account, is a sentence', () => {
  const site = {
    isOwnHost: (host: string) => host === 'https://IN.example:443/',
    isForeignKey: (key: string) => key === 'foreign',
    notPublished: 'the sink x is kept',
  }
  const found = (config: JsonObject) =>
    CATALOGUE.destinationOf('mezmo')
      ?.publishProblems?.(config, site)
      .map(({ instancePath, message }) => `${instancePath} ${message}`)
  expect(found({})).toEqual([])
  expect(found({ host: 'https://IN.example:443/', ingestion_key: 'own' })).toEqual([])
  expect(found({ mezmo_host: 'https://LOGS.other.com:443/' })).toEqual([
    " must have required property 'ingestion_key', the key of the other installation",
  ])
  expect(found({ mezmo_host: 'logs.other.com', ingestion_key: 'of the other one' })).toEqual([])
  expect(found({ ingestion_key: 'foreign' })).toEqual([
    '/ingestion_key must be an ingestion key of this account: delivery to another account is not part of this version, so the sink x is kept',
  ])
})
