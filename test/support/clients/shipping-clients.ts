import { BrowserClient } from './browser-client.ts'
import { CollectorPlugin } from './collector-plugin.ts'
import { CompiledClient } from './compiled-client.ts'
import { HostAgent } from './host-agent.ts'
import { NodeLogger } from './node-logger.ts'
import { PythonHandler } from './python-handler.ts'
import { RubyHandler } from './ruby-handler.ts'
import { ScriptClient } from './script-client.ts'
import type { ClientOptions, ShippingClient } from './shipping-client.ts'
import { TagRepeatingClient } from './tag-repeating-client.ts'

/** Origin of the page that the browser client is part of. */
export const PAGE = 'https://shop.example.org'
/** Meta of every line. */
export const META = { user: { id: 7 }, text: 'grüße' }
const META_TEXT = JSON.stringify(META)
/** The meta as Python writes it: with blanks, and only ASCII. */
const PYTHON_META_TEXT = '{"user": {"id": 7}, "text": "gr\\u00fc\\u00dfe"}'

export interface ClientKind {
  readonly name: string
  readonly newClient: (options: ClientOptions) => ShippingClient
  readonly hostname: string
  /** Members of its lines in addition to the common ones. */
  readonly members: Readonly<Record<string, unknown>>
}

/** Every client that ships lines, in all of its ways. */
export const SHIPPING_CLIENTS: readonly ClientKind[] = [
  {
    name: 'the Node.js logger',
    newClient: options => new NodeLogger(options),
    hostname: 'node-1',
    members: { _tag: ['prod', 'eu'], _mac: 'c0:ff:ee:c0:ff:ee', _ip: '10.0.0.1', _meta: META_TEXT },
  },
  {
    name: 'the Node.js logger of older releases, with index meta',
    newClient: options => new NodeLogger({ ...options, isOlder: true, indexMeta: true }),
    hostname: 'node-2.example.org',
    members: { _tag: ['prod', 'eu'], _mac: 'c0:ff:ee:c0:ff:ee', _ip: '10.0.0.1', _meta: META },
  },
  {
    name: 'the Python handler',
    newClient: options => new PythonHandler({ ...options, timestamps: 'milliseconds' }),
    hostname: 'python 1',
    members: { _ip: '10.0.0.1', _meta: PYTHON_META_TEXT },
  },
  {
    name: 'the Python handler with its times in seconds',
    newClient: options => new PythonHandler({ ...options, timestamps: 'seconds' }),
    hostname: 'python-2',
    members: { _ip: '10.0.0.1', _meta: PYTHON_META_TEXT },
  },
  {
    name: 'the host agent',
    newClient: options => new HostAgent(options),
    hostname: 'a-very-long-name.'.repeat(20),
    members: { _tag: ['agent'], _file: '/var/log/shop', _meta: META },
  },
  {
    name: 'the collector plugin in C',
    newClient: options => new CollectorPlugin({ ...options, language: 'C' }),
    hostname: 'collector-c',
    members: { _tag: ['collected'], _env: 'production', _meta: META },
  },
  {
    name: 'the collector plugin in Ruby',
    newClient: options => new CollectorPlugin({ ...options, language: 'Ruby' }),
    hostname: 'collector-ruby',
    members: { _tag: ['collected'], _env: 'production', _meta: META },
  },
  {
    name: 'the Ruby handler',
    newClient: options => new RubyHandler(options),
    hostname: 'ruby-100%',
    members: { _tag: ['ruby', 'handler'], _meta: META },
  },
  {
    name: 'the browser client',
    newClient: options => new BrowserClient({ ...options, pageOrigin: PAGE }),
    hostname: 'shop.example.org',
    members: { _meta: META },
  },
  {
    name: 'the client that has its key in the password',
    newClient: options => new ScriptClient(options),
    hostname: 'script-1',
    members: { _meta: META_TEXT },
  },
  {
    name: 'the client that has everything in the body',
    newClient: options => new CompiledClient(options),
    hostname: 'compiled-1',
    members: { _tag: ['compiled', 'prod'], _mac: 'C0-FF-EE-C0-FF-EE', _ip: '10.0.0.1', _meta: META },
  },
  {
    name: 'the client that repeats tags',
    newClient: options => new TagRepeatingClient(options),
    hostname: 'tags-1',
    members: { _tag: ['first', 'second', 'third'], _meta: META },
  },
]

/** The one that gives up on a 503. */
export const RUBY_HANDLER = 'the Ruby handler'
/** Clients that never drop a line. */
export const PLUGINS = ['the collector plugin in C', 'the collector plugin in Ruby']
export const WAITING_ON_429 = [
  'the Python handler',
  'the Python handler with its times in seconds',
  'the host agent',
  ...PLUGINS,
]
