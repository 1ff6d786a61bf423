import { defineParser, objectOf } from './define-parser.ts'
import { queryOf } from './query-string.ts'

/** A URL. A port that its scheme has by default is null, and names of hosts are in ASCII. */
export const url = defineParser({
  id: 'parse_url',
  compile: () => text => {
    if (!URL.canParse(text)) return undefined
    const parsed = new URL(text)
    const query = queryOf(parsed.search)
    if (query === undefined) return undefined
    return objectOf([
      ['scheme', parsed.protocol.slice(0, -1)],
      ['username', parsed.username],
      ['password', parsed.password],
      ['host', asciiHost(parsed.hostname)],
      ['port', parsed.port === '' ? null : Number(parsed.port)],
      ['path', parsed.pathname],
      ['query', query],
      ['fragment', parsed.hash === '' ? null : parsed.hash.slice(1)],
    ])
  },
  examples: [
    {
      text: 'https://ada:pw@Bäcker.example:443/a/b?x=1&x=2#top',
      value: {
        scheme: 'https',
        username: 'ada',
        password: 'pw',
        host: 'xn--bcker-gra.example',
        port: null,
        path: '/a/b',
        query: { x: ['1', '2'] },
        fragment: 'top',
      },
    },
    {
      text: 'redis://Cache:6379/0',
      value: {
        scheme: 'redis',
        username: '',
        password: '',
        host: 'cache',
        port: 6379,
        path: '/0',
        query: {},
        fragment: null,
      },
    },
    { text: '/only/a/path' },
  ],
})

/** The standard leaves names of hosts as they are where it does not know the scheme. */
function asciiHost(host: string): string {
  const known = `http://${host}` // Escapes of other characters are read, too.
  return URL.canParse(known) ? new URL(known).hostname : host.toLowerCase()
}
