import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { readConfigAsync } from '../../../engine/config/read.ts'

const training = readFileSync(
  new URL('../../../bench/configs/training/lightning-python/classifier.py', import.meta.url),
  'utf8',
)

test.each([400, 629, 1_000, 3_000])(
  '%d calls that are never closed, before a script, are no training and no fault',
  async depth => {
    const nested = `${'f('.repeat(depth)}\n`
    for (const text of [
      nested + training,
      nested + nested + training,
      `${nested}import lightning as pl  # again\n${nested}${training}`,
    ]) {
      expect((await readConfigAsync({ path: 'train.py', text }, {})).kind).toBe('not-a-training-config')
    }
  },
)
