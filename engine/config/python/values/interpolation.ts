/** OmegaConf's references to other values, as of 2.3: `${model.name}`, `${..name}`, `${oc.env:NAME,default}`, also within a text. */
import { writtenText } from './operators.ts'
import type { Value } from './values.ts'

const reference = /\$\{([^${}]{1,200})\}/g
const MAX_REFERENCES = 10

/** The text with its references resolved; `value` if one is known only at run time. */
export function interpolated(
  text: string,
  value: Value,
  path: readonly string[],
  find: (keys: readonly string[]) => Value | undefined,
): Value {
  const found = [...text.matchAll(reference)].slice(0, MAX_REFERENCES + 1)
  if (found.length === 0 || found.length > MAX_REFERENCES) return value
  const [only] = found
  if (only !== undefined && only[0] === text) return referred(only[1] ?? '', value, path, find) ?? value
  let joined = text
  for (const [written, name = ''] of found) {
    const part = referred(name, value, path, find)
    const said = part && writtenText(part)
    if (said === undefined) return value
    joined = joined.replace(written, () => said)
  }
  if (joined.includes('${')) return value
  const { module, from, to, remarks } = value
  return { module, from, to, remarks, kind: 'text', text: joined }
}

function referred(
  name: string,
  value: Value,
  path: readonly string[],
  find: (keys: readonly string[]) => Value | undefined,
): Value | undefined {
  const [, variable, given] = /^oc\.env:\s*([A-Za-z_]\w*)\s*(?:,([\s\S]*))?$/.exec(name) ?? []
  if (variable !== undefined) {
    const fallback = given?.trim()
    if (fallback === undefined || /^(?:null|\?\?\?)$/.test(fallback)) return undefined
    const { module, from, to, remarks } = value
    const text = fallback.replace(/^(['"])(.*)\1$/, '$2')
    const remark = `${text} is used unless the environment variable ${variable} is set.`
    // What stands in the environment is text, and so is its default.
    return { module, from, to, remarks: [...remarks, remark], kind: 'text', text }
  }
  const [, dots = '', keys = ''] = /^(\.*)([A-Za-z_][\w-]*(?:\.[\w-]+)*)$/.exec(name) ?? []
  if (keys === '') return undefined
  // One dot is the mapping that the text stands in, each further one the mapping around that.
  const above = dots === '' ? [] : path.slice(0, Math.max(0, path.length - dots.length))
  const target = find([...above, ...keys.split('.')])
  return target?.kind === 'open' ? undefined : target
}
