import { CrowdedFront } from './crowded-front.ts'
import { REQUESTS_OF_CROWD } from './drawn-crowd.ts'

/** Sends crowds from seed 1 on, and ends with code 1 at the first one that shows a fault. Its argument is the number of crowds. */
const seeds = Number(process.argv[2])
const front = await CrowdedFront.open()
for (let seed = 1; seed <= seeds; seed++) await front.try(seed, REQUESTS_OF_CROWD)
await front.close()
