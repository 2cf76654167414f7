/** Of which release TRL is. */
import { compareVersions, type DecisiveRelease } from '../../../training/versions.ts'
import type { FieldReader } from '../../fields/fields.ts'
import type { Declared } from './declared.ts'

/**
 * By the version that is pinned, or else by what newer releases have no more. What is of before 0.20 mostly is of before 0.19 too,
 * whose configs do not turn bf16 on.
 */
export function isTrlBefore(
  reader: FieldReader,
  { declared }: { readonly declared?: Declared | undefined },
  release: DecisiveRelease<'trl'>,
): boolean {
  if (reader.isTrlBefore(release)) return true
  const old = declared?.ofOldTrl
  if (old === undefined || reader.versions.trl !== undefined) return false
  const { field, until, is } = old
  if (until !== '0.20' && compareVersions(release, until) < 0) return false
  const has = is === 'taken' ? 'takes' : 'exports'
  const sentence = `TRL is older than ${until}, which alone ${has} ${field.name} (line ${field.at.line}): its defaults count.`
  if (!reader.assumptions.includes(sentence)) reader.assume(sentence)
  return true
}
