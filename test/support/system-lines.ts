import { type Dice, newDice } from './dice.ts'

/**
 * Lines in the forms of eight systems, from a seed. They have the punctuation, the levels and the line ends that parsers of
 * lines meet in such logs. Golden bytes stand on these lines: they must not change.
 */

/** Draws one line. @param number counts the lines of the system */
type SystemLine = (dice: Dice, number: number) => string

const MONTHS = ['Jan', 'Jun', 'Sep', 'Dec']
const DAYS = ['Sun', 'Mon', 'Thu']
const USERS = ['root', 'admin', 'oracle', 'test', 'guest', '']
const PACKAGES = ['KB2533623', 'KB2758857', 'KB3149090']

const SYSTEMS: Readonly<Record<string, SystemLine>> = {
  Apache: (dice, number) => {
    const day = `${dice.pick(DAYS)} ${dice.pick(MONTHS)} ${two(1 + (number % 28))}`
    const time = `[${day} ${clock(number)} 2005]`
    // The files of this server end their lines in two ways.
    const end = dice.pick(['', '', '\r', '\r\r'])
    const text = dice.pick([
      `[notice] jk2_init() Found child ${dice.below(32_768)} in scoreboard slot ${dice.below(12)}`,
      '[notice] workerEnv.init() ok /etc/httpd/conf/workers2.properties',
      `[error] mod_jk child workerEnv in error state ${dice.below(10)}`,
      `[error] [client ${address(dice)}] Directory index forbidden by rule: /var/www/html/`,
      `[error] [client ${address(dice)}] File does not exist: /var/www/html/_vti_bin/"owssvr.dll"`,
      `[warn] child process ${dice.below(32_768)} still did not exit, sending a SIGTERM`,
    ])
    return `${time} ${text}${end}`
  },
  HDFS: (dice, number) => {
    const block = `blk_${dice.pick(['', '-'])}${digits(dice, 18)}`
    const [level, text] = dice.pick([
      [
        'INFO',
        `dfs.DataNode$PacketResponder: PacketResponder ${dice.below(3)} for block ${block} terminating`,
      ],
      [
        'INFO',
        `dfs.DataNode$PacketResponder: Received block ${block} of size 67108864 from /${address(dice)}`,
      ],
      [
        'INFO',
        `dfs.FSNamesystem: BLOCK* NameSystem.addStoredBlock: blockMap updated: ${socket(dice)} is added to ${block} size ${digits(dice, 8)}`,
      ],
      [
        'INFO',
        `dfs.DataNode$DataXceiver: Receiving block ${block} src: /${socket(dice)} dest: /${socket(dice)}`,
      ],
      [
        'WARN',
        `dfs.DataNode$DataXceiver: ${socket(dice)}:Got exception while serving ${block} to /${address(dice)}:`,
      ],
      ['FATAL', 'dfs.NameNode: java.io.IOException: Not enough space left on /hadoop/dfs/name'],
    ] as const)
    return `0811${two(9 + (number % 3))} ${clock(number).replaceAll(':', '')} ${dice.below(30_000)} ${level} ${text}`
  },
  Linux: (dice, number) => {
    const text = dice.pick([
      `sshd(pam_unix)[${dice.below(32_768)}]: authentication failure; logname= uid=0 euid=0 tty=NODEVssh ruser= rhost=${address(dice)}  user=${dice.pick(USERS)}`,
      `sshd(pam_unix)[${dice.below(32_768)}]: check pass; user unknown`,
      `ftpd[${dice.below(32_768)}]: connection from ${address(dice)} () at ${dice.pick(DAYS)} Jul  9 ${clock(number)} 2005 `,
      `kernel: CPU 0 irqstacks, hard=02345000 soft=02344000`,
      'kernel: audit(1122475266.4294965305:0): initialized',
      'kernel: hda: dma_intr: status=0x51 { DriveReady SeekComplete Error }',
      `su(pam_unix)[${dice.below(32_768)}]: session opened for user news by (uid=0)`,
      'logrotate: ALERT exited abnormally with [1]',
    ])
    return `${dice.pick(MONTHS)} ${String(1 + (number % 28)).padStart(2)} ${clock(number)} combo ${text}`
  },
  OpenSSH: (dice, number) => {
    const user = dice.pick(USERS)
    const text = dice.pick([
      `Failed password for invalid user ${user} from ${address(dice)} port ${dice.below(65_536)} ssh2`,
      `input_userauth_request: invalid user ${user} [preauth]`,
      `reverse mapping checking getaddrinfo for host-${digits(dice, 4)}.example.net [${address(dice)}] failed - POSSIBLE BREAK-IN ATTEMPT!`,
      `Received disconnect from ${address(dice)}: 11: Bye Bye [preauth]`,
      `error: Received disconnect from ${address(dice)}: 3: com.jcraft.jsch.JSchException: Auth fail [preauth]`,
      `fatal: Write failed: Connection reset by peer [preauth]`,
      'PAM service(sshd) ignoring max retries; 6 > 3',
    ])
    return `Dec 10 ${clock(number)} LabSZ sshd[${dice.below(32_768)}]: ${text}`
  },
  OpenStack: (dice, number) => {
    const request = `[req-${uuid(dice)} ${dice.chance(0.3) ? '- -' : `${hex(dice, 32)} ${hex(dice, 32)}`} - - -]`
    const instance = `[instance: ${uuid(dice)}]`
    const [program, level, text] = dice.pick([
      [
        'nova.osapi_compute.wsgi.server',
        'INFO',
        `${request} ${address(dice)} "GET /v2/${hex(dice, 32)}/servers/detail HTTP/1.1" status: 200 len: ${digits(dice, 4)} time: 0.${digits(dice, 7)}`,
      ],
      ['nova.compute.manager', 'INFO', `${request} ${instance} VM Paused (Lifecycle Event)`],
      [
        'nova.compute.claims',
        'INFO',
        `${request} ${instance} Total memory: 64172 MB, used: ${dice.below(64_172)}.00 MB`,
      ],
      [
        'nova.virt.libvirt.imagecache',
        'WARNING',
        `${request} Unknown base file: /var/lib/nova/instances/_base/${hex(dice, 40)}`,
      ],
      [
        'nova.scheduler.client.report',
        'ERROR',
        `${request} Unable to update: {"resource":{"vcpus":${dice.below(16)},"ids":["${uuid(dice)}"]},"code":409}`,
      ],
    ] as const)
    return `nova-api.log.1.2017-05-16_13:53:08 2017-05-16 ${clock(number)}.${digits(dice, 3)} ${dice.below(30_000)} ${level} ${program} ${text}`
  },
  Spark: (dice, number) => {
    const task = `${dice.below(40)}.0 in stage ${dice.below(30)}.0 (TID ${dice.below(2000)})`
    const [level, text] = dice.pick([
      ['INFO', `executor.Executor: Finished task ${task}. ${digits(dice, 4)} bytes result sent to driver`],
      ['INFO', `executor.Executor: Running task ${task}`],
      ['INFO', `storage.BlockManager: Found block rdd_${dice.below(50)}_${dice.below(50)} locally`],
      [
        'INFO',
        `python.PythonRunner: Times: total = ${dice.below(90)}, boot = -${dice.below(200)}, init = 142, finish = 0`,
      ],
      [
        'ERROR',
        `executor.Executor: Exception in task ${task}\njava.io.IOException: No space left\n\tat a.B.c(B.scala:7)`,
      ],
      ['INFO', 'util.Utils: Successfully started service {driver}'],
    ] as const)
    return `17/06/09 ${clock(number)} ${level} ${text}`
  },
  Windows: (dice, number) => {
    const [program, text] = dice.pick([
      ['CBS', 'Warning: Unrecognized packageExtended attribute.'],
      ['CBS', `Session: 30546354_${digits(dice, 10)} initialized by client WindowsUpdateAgent.`],
      ['CBS', 'Failed to get next element [HRESULT = 0x800f080d - CBS_E_MANIFEST_INVALID_ITEM]'],
      [
        'CBS',
        `Read out cached package applicability for package: Package_for_${dice.pick(PACKAGES)}~31bf3856ad364e35~amd64~~6.1.1.${dice.below(9)}, ApplicableState: 112, CurrentState:112`,
      ],
      [
        'CSI',
        `${hex(dice, 8)} [SR] Repairing file \\SystemRoot\\WinSxS\\"wcp.dll" of {${hex(dice, 8)}, 6.1.7601}`,
      ],
      [
        'CSI',
        `${hex(dice, 8)}@2016/9/28:${clock(number)}.${digits(dice, 3)} WcpInitialize (wcp.dll version 0.0.0.6) called`,
      ],
    ] as const)
    const level = dice.pick(['Info ', 'Info ', 'Error'])
    return `2016-09-28 ${clock(number)}, ${level}                 ${program}    ${text}`
  },
  Zookeeper: (dice, number) => {
    const peer = `QuorumPeer[myid=${1 + dice.below(3)}]/0:0:0:0:0:0:0:0:2181`
    const [level, text] = dice.pick([
      ['WARN ', `[RecvWorker:${digits(dice, 12)}:QuorumCnxManager$RecvWorker@765] - Interrupting SendWorker`],
      [
        'INFO ',
        `[CommitProcessor:3:ZooKeeperServer@595] - Established session 0x${hex(dice, 15)} for client /${socket(dice)}`,
      ],
      [
        'WARN ',
        `[${peer}:QuorumCnxManager@368] - Cannot open channel to 3 at election address /${socket(dice)}`,
      ],
      ['INFO ', `[${peer}:FastLeaderElection@774] - Notification time out: 60000`],
      [
        'ERROR',
        `[${peer}:ZooKeeperServer@1] - Unexpected exception causing shutdown while sock still open\r`,
      ],
    ] as const)
    return `2015-07-29 ${clock(number)},${digits(dice, 3)} - ${level} ${text}`
  },
}

/** Names of the systems. */
export const SYSTEM_NAMES = Object.keys(SYSTEMS)

/** @returns the same lines for the same arguments */
export function systemLines(system: string, count: number, seed = 1): string[] {
  const dice = newDice(seed * 1000 + SYSTEM_NAMES.indexOf(system))
  return Array.from({ length: count }, (_, number) => (SYSTEMS[system] as SystemLine)(dice, number))
}

function two(number: number): string {
  return String(number).padStart(2, '0')
}

/** The time of day, some minutes later with each line. */
function clock(number: number): string {
  const seconds = number * 397
  return [Math.floor(seconds / 3600) % 24, Math.floor(seconds / 60) % 60, seconds % 60].map(two).join(':')
}

function address(dice: Dice): string {
  return `10.${dice.below(256)}.${dice.below(256)}.${dice.below(256)}`
}

function socket(dice: Dice): string {
  return `${address(dice)}:${dice.below(65_536)}`
}

function digits(dice: Dice, count: number): string {
  return Array.from({ length: count }, () => dice.below(10)).join('')
}

function hex(dice: Dice, count: number): string {
  return Array.from({ length: count }, () => dice.below(16).toString(16)).join('')
}

function uuid(dice: Dice): string {
  return [8, 4, 4, 4, 12].map(count => hex(dice, count)).join('-')
}
