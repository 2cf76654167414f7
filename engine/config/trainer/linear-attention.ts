/** Where a tool runs linear attention in flash-linear-attention's kernels alone. */
import { familyOf } from '../../models/architecture.ts'
import type { CatalogueModel } from '../../models/catalogue.ts'
import type { LibraryVersions } from '../../training/versions.ts'
import type { FieldReader } from '../fields/fields.ts'

/**
 * Axolotl and ms-swift refuse to train gated delta nets on packed samples without the package: PyTorch's ops would carry the state of
 * one sample over to the next.
 */
export function kernelsOfPacked(
  reader: FieldReader,
  model: CatalogueModel | undefined,
  isPacked: boolean,
): LibraryVersions | undefined {
  if (!isPacked || model === undefined || familyOf(model.config).recurrence?.(model.config) !== 'gated-delta') {
    return undefined
  }
  reader.assume('flash-linear-attention is installed: without it, packed samples of this model are refused.')
  return { 'flash-linear-attention': '0.4' }
}
