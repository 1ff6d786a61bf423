import { Seal } from '../../engine/configuration/seal.ts'
import type { Entropy } from '../../engine/entropy/entropy.ts'

const SECRET_KEY = Buffer.alloc(32, 1)

/** Opens each text once, because the processes of a world read the same few texts repeatedly. */
export class RememberingSeal extends Seal {
  /** Texts in clear, by place and sealed text. */
  readonly opened: Map<string, string>

  constructor(entropy: Entropy, opened: ReadonlyMap<string, string> = new Map()) {
    super(SECRET_KEY, entropy)
    this.opened = new Map(opened)
  }

  override open(sealed: string, place: string): string {
    const name = `${place} ${sealed}`
    const text = this.opened.get(name) ?? super.open(sealed, place)
    this.opened.set(name, text)
    return text
  }
}
