/** Version of this program, from package.json. */
declare const __WEIR_VERSION__: string
