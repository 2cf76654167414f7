/** Records results as JSON lines, each written at once, so that an interrupted machine loses at most one item. */
import { appendFile, readFile } from 'node:fs/promises'
import * as z from 'zod'
import { parseJson } from '../../engine/base/json.ts'

const line = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('done'), part: z.string(), item: z.string(), result: z.unknown() }),
  z.object({ kind: z.literal('failed'), part: z.string(), item: z.string(), why: z.string() }),
])
export type Line = z.infer<typeof line>

export class Record {
  readonly #file: string
  readonly #lines: Line[]

  private constructor(file: string, lines: Line[]) {
    this.#file = file
    this.#lines = lines
  }

  /** Continues the file. A truncated last line is ignored. */
  static async open(file: string): Promise<Record> {
    const text = await readFile(file, 'utf8').catch(() => '')
    const lines = text.split('\n').flatMap(each => line.safeParse(parseJson(each)).data ?? [])
    if (text !== '' && !text.endsWith('\n')) await appendFile(file, '\n')
    return new Record(file, lines)
  }

  /** The results of a part's items that are done, the newest of each. */
  done<T>(part: string, schema: z.ZodType<T>): T[] {
    const newest = new Map<string, T>()
    for (const each of this.#lines) {
      const result = each.kind === 'done' && each.part === part ? schema.safeParse(each.result) : undefined
      if (result?.success) newest.set(each.item, result.data)
    }
    return [...newest.values()]
  }

  isDone(part: string, item: string): boolean {
    return this.#lines.some(each => each.kind === 'done' && each.part === part && each.item === item)
  }

  /** Items that failed and were not repeated successfully. */
  get failed(): readonly Line[] {
    return this.#lines.filter(
      (each, index) =>
        each.kind === 'failed' &&
        !this.isDone(each.part, each.item) &&
        this.#lines.findLastIndex(other => other.part === each.part && other.item === each.item) === index,
    )
  }

  async add(entry: Line): Promise<void> {
    this.#lines.push(entry)
    await appendFile(this.#file, `${JSON.stringify(entry)}\n`)
  }
}
