/**
 * Holds every regular expression that may meet foreign text to time linear in it: recheck looks for a text that takes longer, and
 * whether it does is seen by matching it. Those that are not linear stand below, with what bounds the texts that they meet.
 */
import { globSync, readFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { Parser } from 'acorn'
import { simple } from 'acorn-walk'
import { type AttackPattern, checkSync } from 'recheck'

const SHIPPED = '{action,bot,cli,engine,github,playground,server}/**/*.ts'

/** Of each of these files, one expression meets short texts alone. */
const bounded: Readonly<Record<string, string>> = {
  'cli/arguments.ts': 'a message of Node about what somebody typed',
  'engine/config/fields/memory-names.ts': 'a key of 200 characters',
  'engine/config/python/syntax/collector.ts': 'the last 100 characters of a callee',
  'engine/config/python/training/data-loaders.ts': 'the 100 characters before a call',
  'engine/config/python/training/unmodelled-libraries.ts': 'the last 100 characters of a callee',
  'engine/config/python/training/sequence-length.ts': 'the 60 characters before a call',
  'engine/settings/glob.ts': 'a glob of 2,000 characters',
}

const TIMEOUT_MILLIS = 20_000
/** recheck's attacks are made this long, for which a linear expression takes a few milliseconds. */
const ATTACK_CHARACTERS = 100_000
const LINEAR_MILLIS = 100

interface Expression {
  readonly file: string
  readonly line: number
  readonly source: string
  readonly flags: string
}

interface Fault {
  readonly file: string
  readonly words: string
}

const files = globSync(SHIPPED).toSorted()
const expressions = files.flatMap(writtenIn)
for (const file of files) if (assembles(file)) expressions.push(...(await assembledIn(file)))
const faults = expressions.flatMap(faultOf)
const known = new Set(Object.keys(bounded))
// One of each such file.
const wrong = faults.filter(({ file }) => !known.delete(file))
for (const { words } of wrong) console.log(words)
console.log(
  `${wrong.length === 0 ? 'ok' : 'FAILED'}: ${expressions.length} regular expressions, ${wrong.length} slow on foreign text`,
)
process.exitCode = wrong.length === 0 ? 0 : 1

function writtenIn(file: string): Expression[] {
  const found: Expression[] = []
  const script = stripTypeScriptTypes(readFileSync(file, 'utf8'))
  simple(Parser.parse(script, { ecmaVersion: 'latest', sourceType: 'module', locations: true }), {
    Literal({ regex, loc }) {
      if (regex == null) return
      found.push({ file, line: loc?.start.line ?? 0, source: regex.pattern, flags: regex.flags })
    },
  })
  return found
}

/** Whether it puts an expression together from parts as it is loaded. */
function assembles(file: string): boolean {
  return /^const \w+ = new RegExp\(/m.test(readFileSync(file, 'utf8'))
}

/** Loads the file, and notes what it constructs. */
async function assembledIn(file: string): Promise<readonly Expression[]> {
  const found: Expression[] = []
  const native = globalThis.RegExp
  globalThis.RegExp = new Proxy(native, {
    construct(target, [source, flags = '']: [string, string?]) {
      found.push({ file, line: 0, source, flags })
      return new target(source, flags)
    },
  })
  try {
    await import(pathToFileURL(path.resolve(file)).href)
  } finally {
    globalThis.RegExp = native
  }
  return found
}

function faultOf({ file, line, source, flags }: Expression): readonly Fault[] {
  const found = checkSync(source, flags, { timeout: TIMEOUT_MILLIS })
  if (found.status !== 'vulnerable' || millisOf(new RegExp(source, flags), attackOf(found.attack)) < LINEAR_MILLIS) {
    return []
  }
  return [{ file, words: `${file}:${line}: /${source}/${flags} is slow on ${found.attack.pattern.slice(0, 200)}` }]
}

function attackOf({ pumps, suffix }: AttackPattern): string {
  const each = ATTACK_CHARACTERS / pumps.length
  return pumps.map(({ prefix, pump }) => prefix + pump.repeat(each / pump.length)).join('') + suffix
}

function millisOf(expression: RegExp, text: string): number {
  const before = performance.now()
  expression.exec(text)
  return performance.now() - before
}
