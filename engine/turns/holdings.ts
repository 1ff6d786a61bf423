/** Amounts of something, such as places or bytes, by holder. */
export class Holdings {
  readonly #held = new Map<string, number>()

  of(holder: string): number {
    return this.#held.get(holder) ?? 0
  }

  /** @param amount negative: gives it back */
  add(holder: string, amount: number): void {
    const held = this.of(holder) + amount
    if (held > 0) this.#held.set(holder, held)
    else this.#held.delete(holder)
  }
}
