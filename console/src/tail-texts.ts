/** Sentences of live tails. */
export const TAIL_TEXT = {
  live: 'Live',
  pause: 'Pause',
  goOn: 'Go on',
  clear: 'Clear',
  tailStates: {
    connecting: 'Connecting',
    open: 'Live',
    paused: 'Paused',
    lost: 'Lost',
    refused: 'Refused',
    asleep: 'Ended',
  },
  tailLost: (time: string) => `Lost at ${time}, trying again`,
  tailAbout: 'Lines as they are accepted, before pipelines change or drop them.',
  tailReceived: (count: string) => (count === '1' ? '1 line' : `${count} lines`),
  tailNotSent: (count: string) => `${count} not sent`,
  tailSince: (time: string, query: string) =>
    query.trim() === '' ? `Live since ${time}` : `Live since ${time}: ${query}`,
  tailGap: ({ dropped, thinned, notFiltered }: Readonly<Record<string, string>>) =>
    [
      ...(thinned === '0'
        ? []
        : [`${thinned} lines were left out, because there were too many in a second.`]),
      ...(dropped === '0' ? [] : [`${dropped} lines could not be sent.`]),
      ...(notFiltered === '0' ? [] : [`Of these, ${notFiltered} were not compared with the query.`]),
    ].join(' '),
  tailCounted: (count: string) => `${count} lines came meanwhile and are not shown here.`,
  tailBack: (lost: string, back: string) =>
    `The connection was lost at ${lost} and is back since ${back}. No line is missing.`,
  tailBroken: (lost: string, back: string) =>
    `The connection was lost at ${lost} and is back since ${back}. Lines between may be missing.`,
  tailBehind: (count: string) => `Not following, ${count} new lines`,
  tailPaused: (count: string) => `Paused, ${count} new lines`,
  tailLog: 'Lines of the live tail',
  tailSpoken: (count: string, errors: string) =>
    `${count} new ${count === '1' ? 'line' : 'lines'}, ${errors} ${errors === '1' ? 'error' : 'errors'}`,
  tailWaiting: 'Waiting for lines',
  tailWaitingWhy: 'Lines that match appear here as soon as they are accepted.',
  tailAsleep: 'The tail ended, because the tab was hidden for ten minutes',
} as const
