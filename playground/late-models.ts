/**
 * What the worker loads when a model asks for it: all families, their losses, how PyTorch runs their ops, and the catalogue's rows of
 * those that are not there at once.
 */
export { ctcLoss } from '../engine/estimate/objectives/ctc-loss.ts'
export { detectionLoss } from '../engine/estimate/objectives/detection-loss.ts'
export { sentenceLoss } from '../engine/estimate/objectives/sentence-loss.ts'
export { rows as opRows } from '../engine/estimate/tape/registry.ts'
export { default as rows } from '../engine/models/catalogue.json' with { type: 'json' }
export { families } from '../engine/models/families.ts'
