/** Page cursors: opaque to clients, and validated when they come back. */
import type * as z from 'zod'
import { parseJson } from '../../engine/base/json.ts'
import { MemoryMarkError } from '../../engine/index.ts'

export function writeCursor(position: unknown): string {
  return Buffer.from(JSON.stringify(position)).toString('base64url')
}

/** Undefined for the first page. @throws MemoryMarkError for an invalid cursor. */
export function readCursor<T>(schema: z.ZodType<T>, cursor: string | undefined): T | undefined {
  if (cursor === undefined) return undefined
  const parsed = schema.safeParse(parseJson(Buffer.from(cursor, 'base64url').toString('utf8')))
  if (parsed.success) return parsed.data
  throw new MemoryMarkError({
    code: 'cursor-unreadable',
    field: 'cursor',
    message: 'The cursor is not one from this list',
    fix: 'Start again without a cursor.',
  })
}
