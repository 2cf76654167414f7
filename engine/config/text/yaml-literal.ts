/** Values as YAML writes them on one line. */
export type Value = boolean | number | string | readonly Value[] | { readonly [key: string]: Value }

/** Words that YAML 1.1 takes for something else than text. */
const reserved = /^(?:y|n|yes|no|true|false|on|off|null|~|[-+.\d].*)$/i

/** Text is quoted only where YAML would take it for something else; lists and mappings are in flow style. */
export function yamlLiteral(value: Value): string {
  if (typeof value === 'string') return plainOrQuoted(value)
  if (Array.isArray(value)) return `[${value.map(yamlLiteral).join(', ')}]`
  if (typeof value === 'object') {
    return `{${Object.entries(value)
      .map(([key, inner]) => `${key}: ${yamlLiteral(inner)}`)
      .join(', ')}}`
  }
  return String(value)
}

function plainOrQuoted(text: string): string {
  return /^[A-Za-z_][\w./ -]*$/.test(text) && !reserved.test(text) ? text : JSON.stringify(text)
}
