import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, it } from 'vitest'
import { parse } from 'yaml'
import * as z from 'zod'
import { readInputs } from '../../action/inputs.ts'
import { readMode } from '../../action/mode.ts'
import { readRunners } from '../../action/runners.ts'
import { readSweepInputs } from '../../action/sweep-inputs.ts'

const actionFile = z.object({
  inputs: z.record(z.string(), z.object({ description: z.string(), default: z.string() })),
  outputs: z.record(z.string(), z.object({ description: z.string() })),
  runs: z.object({ using: z.literal('node24'), main: z.literal('dist/action.js') }),
})

const { inputs } = actionFile.parse(parse(readFileSync(path.join(import.meta.dirname, '../../action.yml'), 'utf8')))
const byDefault = (name: string) => inputs[name]?.default ?? ''

it('the defaults of action.yml leave to the settings of the repository what they can', () => {
  expect(readMode(byDefault('mode'))).toBe('check')
  expect(readInputs(byDefault)).toEqual({
    token: byDefault('github-token'),
    analysis: { policy: {} },
    comment: 'auto',
    reportPath: 'memorymark-report.json',
  })
  expect(readSweepInputs(byDefault)).toEqual({
    engine: 'auto',
    strategy: 'predict-verify',
    python: 'python3',
    trialTimeoutMillis: 300_000,
  })
  expect(readRunners(byDefault).size).toBe(0)
})

it('every input of action.yml is read, and no other', () => {
  const folder = path.join(import.meta.dirname, '../../action')
  const source = readdirSync(folder)
    .map(name => readFileSync(path.join(folder, name), 'utf8'))
    .join('\n')
  const read = source.matchAll(/(?:\binput\(|core\.getInput\(|read(?:Word|Positive|Required)\(input, )'([\w-]+)'/g)
  expect([...new Set(Array.from(read, ([, name]) => name))].sort()).toEqual(Object.keys(inputs).sort())
})
