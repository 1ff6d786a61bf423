import { defineKind } from '../kind.ts'

/** The Kafka cluster that gets a copy of an account's lines. Key: the short id of the account. */
export interface Stream {
  readonly account: string
  /** host:port. */
  readonly brokers: readonly string[]
  readonly topic: string
  readonly user: string
  readonly password: string
}

export const streams = defineKind<Stream>('stream', {
  account: ({ account }) => account,
  isUserSized: true,
  sealed: ['password'],
})
