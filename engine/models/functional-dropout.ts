/** `nn.functional.dropout`, which stays where TRL disables every layer of dropout: an option of `ops.dropout`. */
export const functionalDropout = { isFunctional: true } as const
