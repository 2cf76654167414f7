import { huggingface } from './dialects/huggingface.ts'
import { memorymark } from './dialects/memorymark.ts'
import type { ModelLookup } from './model-fields.ts'
import type { Reading } from './reading.ts'
import type { Field, Section } from './section.ts'

/** The format of one training tool. */
export interface Dialect {
  /** As people know the tool. */
  readonly name: string
  /**
   * Whether the bare text may be a config of this tool. Cheap and generous: it spares the parse of unrelated files, and
   * decides whether a file that cannot be parsed is worth a word.
   */
  mayBe(text: string): boolean
  /** Whether the mapping is a training config of this tool, by its content alone. */
  detects(document: Section): boolean
  /** Where the config names its model. */
  modelField(document: Section): Field | undefined
  /** Answers a training config or an unreadable one. Problems name `path`; `lookUp` is asked for the model's name only. */
  read(document: Section, path: string, lookUp: ModelLookup): Reading
}

/** Asked in this order. */
export const dialects: readonly Dialect[] = [memorymark, huggingface]
