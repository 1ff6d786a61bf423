import { testSeeds } from './tested-seeds.ts'

testSeeds(2_000, 4)
