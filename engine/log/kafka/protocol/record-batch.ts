/**
 * A record batch of format 2, as a topic keeps it; numbers are big-endian:
 *
 * | at | bytes | what |
 * |---|---|---|
 * | 0 | 8 | offset of the first record; the broker sets it |
 * | 8 | 4 | bytes that follow this field |
 * | 12 | 4 | epoch of the leader; the broker sets it |
 * | 16 | 1 | format |
 * | 17 | 4 | CRC-32C of everything that follows |
 * | 21 | 2 | attributes: compression, kind of the times |
 * | 23 | 4 | offset of the last record, less that of the first |
 * | 27 | 8 | time from which the times of the records count, UNIX ms |
 * | 35 | 8 | highest time, UNIX ms; the time of all records where the broker sets it |
 * | 43 | 14 | id, epoch and sequence of an idempotent producer, which Weir does not use |
 * | 57 | 4 | number of records |
 * | 61 | … | the records, compressed as a whole |
 *
 * A record has, with numbers as in `varint.ts`: its length, attributes (one byte), time and offset as differences, length of
 * the key (-1: none) and key, length of the value and value, and the number of its headers. A header has the length of
 * its name, name, length of its value, and value.
 */
export const LENGTH_AT = 8
export const LEADER_EPOCH_AT = 12
export const FORMAT_AT = 16
export const CRC_AT = 17
export const ATTRIBUTES_AT = 21
export const LAST_OFFSET_AT = 23
export const TIME_AT = 27
export const MAX_TIME_AT = 35
export const PRODUCER_ID_AT = 43
export const PRODUCER_EPOCH_AT = 51
export const PRODUCER_SEQUENCE_AT = 53
export const COUNT_AT = 57
export const RECORDS_AT = 61
export const FORMAT = 2

/** Bits of the attributes. */
export const COMPRESSION_BITS = 7
export const BROKER_TIME_BIT = 8

/** Headers of a record: its producer id and sequence, and the end of the partition that its writer knew. */
export const PRODUCER_HEADER = 'p'.charCodeAt(0)
export const SEQUENCE_HEADER = 's'.charCodeAt(0)
export const KNOWN_END_HEADER = 'e'.charCodeAt(0)
export const SEQUENCE_BYTES = 4
export const OFFSET_BYTES = 8
