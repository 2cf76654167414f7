/** docs/architecture.md tells of the code as it is: its files, its functions, the import rule, and what comes of the example. */
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, it } from 'vitest'
import { GIB } from '../engine/base/units.ts'
import { analyze, findGpu } from '../engine/index.ts'
import { root } from '../scripts/bundles.ts'
import { importRows } from './import-rows.ts'

const read = (file: string) => readFileSync(path.join(root, file), 'utf8')
const page = read('docs/architecture.md')
const words = page.replaceAll(/\s+/g, ' ')

/** Paragraphs, items of lists and rows of tables, without the rows of the import rule. */
const blocks = page.split(/\n\n|\n(?=\d+\. |- |\|)/).filter(block => !isImportRow(block))

/** What stands in backticks, with the text before it. */
interface Span {
  readonly text: string
  readonly before: string
}

function spansOf(block: string): Span[] {
  return Array.from(block.matchAll(/([^`]*)`([^`]+)`/g), ([, before = '', text = '']) => ({ text, before }))
}

function isPath(text: string): boolean {
  return /^[\w./-]+(?:\/|\.(?:ts|yaml))$/.test(text)
}

function isFile({ text }: Span): boolean {
  return isPath(text) && !text.endsWith('/')
}

function isImportRow(block: string): boolean {
  return /^\| `/.test(block)
}

/** `judge()` and `Change.read()`, each with the file that it is said to be in: the next after "of", or else the last before. */
const calls = blocks.flatMap(block => {
  const spans = spansOf(block)
  return spans.flatMap(({ text }, index) => {
    const [, owner, name] = /^(?:(\w+)\.)?(\w+)\(\)$/.exec(text) ?? []
    if (name === undefined) return []
    const next = spans[index + 1]
    const file = next?.before.trim() === 'of' && isFile(next) ? next : spans.slice(0, index).findLast(isFile)
    return [{ call: text, owner, name, file: file?.text }]
  })
})

/** Types, fields and values, each with the files that its block names. */
const named = blocks.flatMap(block => {
  const spans = spansOf(block)
  const files = spans.filter(isFile).map(({ text }) => text)
  return spans.filter(({ text }) => !isPath(text) && !text.endsWith('()')).map(({ text }) => ({ text, files }))
})

it('names files and folders that there are', () => {
  const paths = blocks.flatMap(spansOf).flatMap(({ text }) => (isPath(text) ? [text] : []))
  expect(paths.length).toBeGreaterThan(70)
  expect(paths.filter(file => !existsSync(path.join(root, file)))).toEqual([])
})

it('names functions that are defined in the file beside them', () => {
  expect(calls.length).toBeGreaterThan(60)
  expect(calls.filter(({ file, owner, name }) => file === undefined || !isDefined(read(file), owner, name))).toEqual([])
})

function isDefined(source: string, owner: string | undefined, name: string): boolean {
  if (owner === undefined) return new RegExp(`^(?:export )?(?:async )?function\\*? ${name}\\b`, 'm').test(source)
  const [, body] = new RegExp(`^export class ${owner}\\b(.*?)^}`, 'ms').exec(source) ?? []
  return body !== undefined && new RegExp(`^ {2}(?:async )?\\*?${name}\\(`, 'm').test(body)
}

it('says of everything else in backticks a file that has it', () => {
  expect(named.length).toBeGreaterThan(20)
  expect(named.filter(({ text, files }) => !files.some(file => hasWord(read(file), text)))).toEqual([])
})

function hasWord(source: string, text: string): boolean {
  return /^[\w-]+$/.test(text) ? new RegExp(`(?<![\\w-])${text}(?![\\w-])`).test(source) : source.includes(text)
}

it('shows the import rule', () => {
  const shown = page
    .split('\n')
    .filter(isImportRow)
    .map(row => spansOf(row).map(({ text }) => (text.includes('/') ? text.replace(/\/$/, '') : `engine/${text}`)))
  expect(shown).toEqual(importRows)
})

it('numbers the steps of a walk without a gap', () => {
  const walks = page
    .split(/^## /m)
    .map(section => Array.from(section.matchAll(/^(\d+)\. /gm), ([, step]) => Number(step)))
  const long = walks.filter(steps => steps.length > 0)
  expect(long).toHaveLength(2)
  for (const steps of long) expect(steps).toEqual(steps.map((_, index) => index + 1))
})

it('tells of the example what the engine says', async () => {
  const file = 'examples/configs/bert-mnli.yaml'
  const a10 = findGpu('a10')
  const { configs } = await analyze([{ path: file, text: read(file) }], { now: new Date(0), ...(a10 && { gpu: a10 }) })
  const [config] = configs
  if (config?.status !== 'analysed') throw new Error(`${file} is not analysed`)
  const { current, recommended, largest, batchSizeAt, peakMoment, verdict, change } = config
  expect(words).toContain(`\`per_device_train_batch_size: ${current.microBatch}\` on line ${batchSizeAt?.line}`)
  expect(words).toContain(`\`batchSizeAt\` is line ${batchSizeAt?.line}, column ${batchSizeAt?.column}`)
  expect(words).toContain(`${current.microBatch} → ${(current.peakBytes / GIB).toFixed(2)} GiB, in the ${peakMoment}.`)
  expect(words).toContain(`→ ${largest?.microBatch}, the largest micro-batch`)
  expect(words).toContain(`→ ${recommended?.microBatch} without accumulation`)
  expect(recommended?.gradientAccumulation).toBe(1)
  expect(recommended?.effectiveBatch).toBe(current.effectiveBatch)
  expect(verdict).toMatchObject({ state: 'warning', reasons: [{ spared: 'within-error' }, {}, {}] })
  expect(change).toHaveLength(2)
})
