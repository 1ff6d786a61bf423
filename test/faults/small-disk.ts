import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Ingestion needs 256 MB of free disk, and the log and the store some more. */
const SIZE_BYTES = 768 * 1024 ** 2
const ATTEMPTS = 20

/** A file system of its own in memory, whose size is changed while it is used. Needs the right to mount. */
export class SmallDisk {
  readonly path: string

  private constructor(path: string) {
    this.path = path
  }

  /** @returns undefined where mounting is not allowed */
  static mount(): SmallDisk | undefined {
    const path = mkdtempSync(join(tmpdir(), 'weir-disk-'))
    try {
      run('mount', ['-t', 'tmpfs', '-o', `size=${SIZE_BYTES}`, 'tmpfs', path])
      return new SmallDisk(path)
    } catch {
      rmSync(path, { recursive: true })
      return undefined
    }
  }

  get dataFolder(): string {
    return join(this.path, 'data')
  }

  get usedBytes(): number {
    const { blocks, bfree, bsize } = statfsSync(this.path)
    return (blocks - bfree) * bsize
  }

  /** Leaves that many bytes free. */
  squeeze(freeBytes: number): void {
    for (let attempt = 1; ; attempt++) {
      try {
        this.#resize(this.usedBytes + freeBytes)
        return
      } catch (error) {
        if (attempt === ATTEMPTS) throw error // Files are written faster than this can look.
      }
    }
  }

  release(): void {
    this.#resize(SIZE_BYTES)
  }

  unmount(): void {
    run('umount', [this.path])
    rmSync(this.path, { recursive: true })
  }

  #resize(bytes: number): void {
    run('mount', ['-o', `remount,size=${bytes}`, this.path])
  }
}

function run(program: string, args: readonly string[]): void {
  execFileSync(program, args, { stdio: 'pipe' })
}
