/** Paths whose beginning only a run can tell, while their end stands in the file. */

const afterVariable = /^\$(?:\{\w+\}|\w+)((?:\/[\w.-]+)+)\/?$/
const inText = /^f?(["'])\{[^{}"']{1,60}\}((?:\/[\w.-]+)+)\/?\1$/
const joined = /^(?:os\.path\.join|posixpath\.join|Path)\([^()]{1,60},\s*(["'])([\w./-]+)\1\s*\)$/

/** The end of such a path, as a launcher or Python writes it: `$MODELS/Qwen2.5-7B`, `os.path.join(root, "Qwen2.5-7B")`. */
export function endOfPath(written: string): string | undefined {
  const end = afterVariable.exec(written)?.[1] ?? inText.exec(written)?.[2]
  if (end !== undefined) return end
  const [, , last] = joined.exec(written) ?? []
  return last && `/${last}`
}
