import Type from 'typebox'

/**
 * An option of every push source. No default is stored, because clients compare what comes back with what they sent
 * (pipeline API, section 1.5 and appendix B).
 */
export const captureMetadata = {
  capture_metadata: Type.Optional(
    Type.Boolean({
      description:
        'Whether headers and query of a request become metadata of its events; they do unless this is false',
    }),
  ),
}
