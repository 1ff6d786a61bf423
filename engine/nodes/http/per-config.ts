/** Remembers the result of compiling options, as long as the options are in use. */
export function perConfig<Config extends object, Compiled>(
  compile: (config: Config) => Compiled,
): (config: Config) => Compiled {
  const known = new WeakMap<Config, Compiled>()
  return config => {
    let compiled = known.get(config)
    if (compiled === undefined) {
      compiled = compile(config)
      known.set(config, compiled)
    }
    return compiled
  }
}
