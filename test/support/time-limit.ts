import { beforeEach } from 'vitest'

// A run of campaigns on a slow machine ends in time: tests that would begin after this moment (UNIX seconds) are skipped. The
// longest files begin first.
const until = process.env.WEIR_CAMPAIGNS_UNTIL
if (until !== undefined)
  beforeEach(({ skip }) => {
    if (Date.now() >= Number(until) * 1_000) skip('WEIR_CAMPAIGNS_UNTIL is over')
  })
