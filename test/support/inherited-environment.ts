/** Environment of this process without settings of the program: a test states all of those that it needs. */
export function inheritedEnvironment(): Record<string, string> {
  const inherited = Object.entries(process.env).filter(
    ([name]) => !/^(WEIR_|KAFKA_|CLICKHOUSE_|SCHEMA_REGISTRY_)/.test(name),
  )
  return Object.fromEntries(inherited) as Record<string, string>
}
