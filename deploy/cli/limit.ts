import { InvalidArgumentError } from 'commander'

/** Reads the value of `--limit`. */
export function readLimit(text: string): number {
  if (!/^[1-9]\d*$/.test(text)) throw new InvalidArgumentError('It must be a number from 1.')
  return Number(text)
}
