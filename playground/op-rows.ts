/**
 * In the place of engine/estimate/tape/registry.ts: the rows of what the families compute that are there at once. All others come with
 * the families that need them.
 */

import { silu } from '../engine/estimate/tape/ops/activations.ts'
import { input } from '../engine/estimate/tape/ops/batch.ts'
import { dropout } from '../engine/estimate/tape/ops/dropout.ts'
import { block, frame, layers, withInputGradients } from '../engine/estimate/tape/ops/frames.ts'
import { embedding, linear } from '../engine/estimate/tape/ops/linears.ts'
import {
  attention,
  cached,
  keptRotaryTable,
  rotary,
  rotaryTable,
  windowMask,
} from '../engine/estimate/tape/ops/mixers.ts'
import { rmsNorm } from '../engine/estimate/tape/ops/norms.ts'
import { add, multiply } from '../engine/estimate/tape/ops/primitives.ts'
import { repeatHeads, split } from '../engine/estimate/tape/ops/shapes.ts'
import { lastToken } from '../engine/estimate/tape/ops/tokens.ts'
import type { rows as everyRow } from '../engine/estimate/tape/registry.ts'
import { FamiliesNotLoaded } from './model-types.ts'

type OpRows = typeof everyRow

let known: Partial<OpRows> = {
  input,
  embedding,
  linear,
  withInputGradients,
  dropout,
  layers,
  block,
  frame,
  add,
  rmsNorm,
  rotaryTable,
  keptRotaryTable,
  rotary,
  windowMask,
  cached,
  attention,
  repeatHeads,
  silu,
  multiply,
  split,
  lastToken,
}
let isWhole = false

/** All of them, once late-models.ts is there. */
export function provideRows(rows: OpRows): void {
  known = rows
  isWhole = true
}

/** Asking for a row that is not there yet throws FamiliesNotLoaded. */
export const rows = new Proxy({} as OpRows, {
  get(_, op: keyof OpRows) {
    const row = known[op]
    if (row === undefined && !isWhole) throw new FamiliesNotLoaded()
    return row
  },
})
