import { type Draw, drawFor } from './draw.ts'

/** Program with forms of its messages. A word in braces stands for a value of VALUES. */
interface Program {
  readonly app: string
  readonly forms: readonly string[]
}

/**
 * Eight programs whose messages are as long, as varied and as repetitive as those of public collections of system logs.
 * Three of ten forms name an address; one message in eight holds a number of 18 or 19 digits, one in 75 a backslash.
 */
const PROGRAMS: readonly Program[] = [
  {
    app: 'blocks',
    forms: [
      '{date} {clock} {id} INFO store.NameTable: BLOCK* NameTable.addReplica: replica map changed: {address}:50010 now holds blk_{block} of {size} bytes',
      '{date} {clock} {id} INFO store.DataNode$Receiver: Receiving block blk_{block} from /{address}:{port} to /{address}:50010 of rack {small}',
      '{date} {clock} {id} INFO store.DataNode$Responder: Responder {digit} of block blk_{block} ends, all packets are acknowledged',
      '{date} {clock} {id} INFO store.DataNode: Received block blk_{block} of {size} bytes from /{address}, written to volume {digit}',
      '{date} {clock} {id} WARN store.DataNode$Sender: {address}:50010: exception while block blk_{block} was sent to /{address}',
      '{date} {clock} {small} INFO store.DataSet: Deleting block blk_{block}, file /data/store/current/dir{small}/blk_{block}',
    ],
  },
  {
    app: 'system',
    forms: [
      'Nov {day} {clock} rack sshd(pam)[{id}]: authentication failed; user= uid=0 tty=none remote=host-{id}.example.net user=root',
      'Nov {day} {clock} rack ftpd[{id}]: connection from {address} opened at Sat Nov {day} {clock} 2026',
      'Nov {day} {clock} rack su(pam)[{id}]: session closed for user {user}, opened by (uid=0) on tty{digit}',
      'Nov {day} {clock} rack sshd(pam)[{id}]: authentication failed; user= uid=0 tty=none remote={address} user={user}',
      'Nov {day} {clock} rack kernel: audit({number}.{ms}:0): initialized, {small} rules were read from the store',
    ],
  },
  {
    app: 'compute',
    forms: [
      'compute.log.1 2026-11-{day} {clock}.{ms} {id} INFO compute.disk.image_cache [req-{uuid} - - - - -] Base files in use: /var/lib/compute/instances/_base/{hex40}',
      'compute.log.1 2026-11-{day} {clock}.{ms} {id} INFO compute.manager [req-{uuid} {hex32} {hex32} - - -] [instance: {uuid}] Instance was started after {small} s',
      'api.log.1 2026-11-{day} {clock}.{ms} {id} INFO compute.api.server [req-{uuid} {hex32} {hex32} - - -] {address} "GET /v2/{hex32}/servers/detail HTTP/1.1" status: 200 len: {number}',
      'api.log.1 2026-11-{day} {clock}.{ms} {id} INFO compute.api.events [req-{uuid} {hex32} {hex32} - - -] Event network-plugged:{uuid} for instance {uuid}',
    ],
  },
  {
    app: 'login',
    forms: [
      'Nov {day} {clock} gate sshd[{id}]: pam(sshd:auth): authentication failed; user= uid=0 euid=0 tty=ssh remote={address} user={user}',
      'Nov {day} {clock} gate sshd[{id}]: Wrong password for {user} from {address} port {port} ssh2',
      'Nov {day} {clock} gate sshd[{id}]: Disconnected by {address}: 11: Good bye [before authentication]',
      'Nov {day} {clock} gate sshd[{id}]: reverse lookup of host-{id}.example.org [{address}] gives another address: possible attempt to break in',
      'Nov {day} {clock} gate sshd[{id}]: Unknown user {user} from {address}',
    ],
  },
  {
    app: 'web',
    forms: [
      '[Sat Nov {day} {clock} 2026] [error] [client {address}] Listing of a folder is forbidden: /srv/www/html/',
      '[Sat Nov {day} {clock} 2026] [notice] worker.init() read its settings, /etc/web/workers.conf',
      '[Sat Nov {day} {clock} 2026] [error] mod_work child is in error state {digit}',
      '[Sat Nov {day} {clock} 2026] [notice] work_init() found child {id} in scoreboard slot {small}',
    ],
  },
  {
    app: 'quorum',
    forms: [
      '2026-11-{day} {clock},{ms} - WARN  [Receiver:{number}:Quorum$Receiver@{id}] - Connection to member {digit} is broken, my id is {digit}, error =',
      '2026-11-{day} {clock},{ms} - INFO  [Acceptor.Factory:0.0.0.0/0.0.0.0:2181:Server@{id}] - Client wants to renew session 0x{hex14} at /{address}:{port}',
      '2026-11-{day} {clock},{ms} - INFO  [/{address}:3888:Quorum$Listener@{id}] - Accepted a connection request of /{address}:{port}',
      '2026-11-{day} {clock},{ms} - WARN  [Acceptor.Factory:0.0.0.0/0.0.0.0:2181:Server@{id}] - Client {address}:{port} speaks an older version; it goes if the server becomes read-only',
      '2026-11-{day} {clock},{ms} - WARN  [Sender:{number}:Quorum$Sender@{id}] - Interrupted while the queue was empty',
    ],
  },
  {
    app: 'jobs',
    forms: [
      '26/11/{day} {clock} INFO work.Executor: Task {small}.0 in stage {small}.0 has begun (task id {id})',
      '26/11/{day} {clock} INFO work.Executor: Task {small}.0 in stage {small}.0 has ended (task id {id}), {id} bytes of result sent to the driver',
      '26/11/{day} {clock} INFO share.Variables: Reading of shared variable {small} took {small} ms',
      '26/11/{day} {clock} INFO store.MemoryStore: Block shared_{small} is kept in memory (estimated size {digit}.{digit} KB, free {ms}.{digit} KB)',
      '26/11/{day} {clock} INFO python.Runner: Times: all = {ms}, start = {small}, open = {small}, end = {digit}',
    ],
  },
  {
    app: 'updates',
    forms: [
      '2026-11-{day} {clock}, Info                  SVC    Session: {id}_{number} was opened by client UpdateAgent.',
      '2026-11-{day} {clock}, Info                  SVC    Cached applicability of package Package_for_{number}~amd64~~6.1.1.0 was read, state: {small}, current state: {small}',
      '2026-11-{day} {clock}, Info                  SVC    Warning: A package extension has an unknown attribute.',
      '2026-11-{day} {clock}, Info                  SVC    Applicability of package Package_{small}_for_{number}~amd64~~6.1.1.{digit} is evaluated again, as its parent has changed to state {small}',
      '2026-11-{day} {clock}, Info                  SVC    Session: {id}_{number} has ended, package was installed by client UpdateAgent.',
      '2026-11-{day} {clock}, Info                  SVC    Package Package_for_{number}~amd64~~6.1.1.{digit} is not applicable, state: {small}, parent: none',
      '2026-11-{day} {clock}, Info                  SVC    The store of components was opened read-only, {small} transactions wait for it',
      '2026-11-{day} {clock}, Info                  SVC    Scavenging of the component store has ended after {ms} ms, {small} versions were removed, {small} remain',
      String.raw`2026-11-{day} {clock}, Info                  SVC    Queued {digit} files of report {id} with pattern "C:\System\services\*.rpt", flags: 0x{digit}`,
    ],
  },
]

const VALUES: Readonly<Record<string, (draw: Draw) => string>> = {
  address: draw => draw.pick(ADDRESSES),
  block: draw => (draw.percent(50) ? '-' : '') + draw.digits(18 + draw.below(2)),
  clock: draw => `${draw.pick(['07', '19', '20'])}:${two(draw, 60)}:${two(draw, 60)}`,
  date: draw => `26112${draw.below(4)}`,
  day: draw => `2${draw.below(4)}`,
  digit: draw => String(draw.below(10)),
  hex14: draw => draw.hex(14),
  hex32: draw => draw.pick(PROJECTS),
  hex40: draw => draw.pick(IMAGES),
  id: draw => String(24_000 + draw.below(2_500)),
  ms: draw => draw.digits(3),
  number: draw => `3054${draw.digits(4)}`,
  port: draw => draw.digits(5),
  size: draw => draw.pick(['67108864', '67108864', '3549864']),
  small: draw => String(draw.below(60)),
  user: draw => draw.pick(['root', 'root', 'admin', 'guest', 'oracle', 'test']),
  uuid: draw => `${draw.hex(8)}-${draw.hex(4)}-4${draw.hex(3)}-a${draw.hex(3)}-${draw.hex(12)}`,
}

const valuesOf = (count: number, value: (draw: Draw) => string) =>
  Array.from({ length: count }, (_, index) => value(drawFor(count, index)))
/** Few identifiers that stand in many messages. */
const PROJECTS = valuesOf(4, draw => draw.hex(32))
const IMAGES = valuesOf(5, draw => draw.hex(40))
const ADDRESSES = valuesOf(300, draw => `10.25${draw.below(2)}.${draw.below(110)}.${draw.below(250)}`)

function two(draw: Draw, limit: number): string {
  return String(draw.below(limit)).padStart(2, '0')
}

export interface Message {
  readonly app: string
  readonly text: string
}

/** Messages of a service repeat after a while: so many differ. */
const STOCK = 16_000
/** Writers cut long messages. */
const MOST_CHARACTERS = 190

/** The stock of messages from which all lines of a seed are taken. */
export function messagesOf(seed: number): readonly Message[] {
  return Array.from({ length: STOCK }, (_, number) => {
    const draw = drawFor(seed ^ 0x5eed, number)
    const { app, forms } = PROGRAMS[number % PROGRAMS.length] as Program
    const text = draw.pick(forms).replace(/\{(\w+)\}/g, (_, name: string) => drawnValue(name, draw))
    return { app, text: text.slice(0, MOST_CHARACTERS) }
  })
}

function drawnValue(name: string, draw: Draw): string {
  const value = VALUES[name]
  if (value === undefined) throw new Error(`a message names {${name}}, which has no values`)
  return value(draw)
}

export const APPS: readonly string[] = PROGRAMS.map(({ app }) => app)
