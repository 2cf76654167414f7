/** How a shell script counts the GPUs of a list: `$(echo $DEVICES | tr ',' '\n' | wc -l)`. */
const list = String.raw`(?:echo|printf\s+['"]?%s(?:\\n)?['"]?)\s+"?\$(?:\{(\w+)\}|(\w+))"?`
const counters = [
  String.raw`tr\s+(?:-s\s+)?['"]?,['"]?\s+(?:['"]?\\n['"]?|['"] ['"])\s*\|\s*wc\s+-[lw]`,
  String.raw`awk\s+-F\s*['"]?,['"]?\s+['"]\{\s*print\s+NF;?\s*\}['"]`,
]
const counting = new RegExp(String.raw`^(?:\$\(|${'`'})\s*${list}\s*\|\s*(?:${counters.join('|')})\s*(?:\)|${'`'})$`)

/** The name of the variable whose parts, between commas, a command substitution counts; undefined for any other one. */
export function countedList(substitution: string): string | undefined {
  const [, braced, plain] = counting.exec(substitution) ?? []
  return braced ?? plain
}
