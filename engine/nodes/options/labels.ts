import Type from 'typebox'

/** Names with their values, in the order sent. */
export function labels(options: { readonly description: string; readonly minItems?: number }) {
  return Type.Array(
    Type.Object(
      {
        label_name: Type.String({ minLength: 1, description: 'Name of the label' }),
        label_value: Type.String({ minLength: 1, description: 'Value of the label' }),
      },
      { additionalProperties: false },
    ),
    options,
  )
}
