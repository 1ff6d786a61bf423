import { switchOff } from '../../simulation/switched-off.ts'

/**
 * Loaded into the measured program before the program itself (`--import`): searches leave the engine's query condition
 * cache alone. It remembers the granules without a match, so that a repeated condition is not a search. Nobody's first
 * search has it.
 */
switchOff([
  {
    file: 'engine/store/embedded-connection.ts',
    find: 'const answers = { output_format_json_quote_64bit_integers: 1 }',
    replace: 'const answers = { output_format_json_quote_64bit_integers: 1, use_query_condition_cache: 0 }',
  },
])
