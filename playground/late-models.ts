/**
 * What the worker loads when a model asks for it: all families, how PyTorch runs their ops, and the catalogue's rows of those that are
 * not there at once.
 */
export { rows as opRows } from '../engine/estimate/tape/registry.ts'
export { default as rows } from '../engine/models/catalogue.json' with { type: 'json' }
export { families } from '../engine/models/families.ts'
