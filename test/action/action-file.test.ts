import { readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, it } from 'vitest'
import { parse } from 'yaml'
import * as z from 'zod'
import { commentModes } from '../../action/comment.ts'
import { readInputs } from '../../action/inputs.ts'

const actionFile = z.object({
  inputs: z.record(z.string(), z.object({ description: z.string(), default: z.string() })),
  outputs: z.record(z.string(), z.object({ description: z.string() })),
  runs: z.object({ using: z.literal('node24'), main: z.literal('dist/action.js') }),
})

const { inputs } = actionFile.parse(parse(readFileSync(path.join(import.meta.dirname, '../../action.yml'), 'utf8')))

it('the defaults of action.yml are read, every one of them, and leave the rest to the settings of the repository', () => {
  const asked = new Set<string>()
  const read = readInputs(name => {
    asked.add(name)
    return inputs[name]?.default ?? ''
  })
  expect([...asked].sort()).toEqual(Object.keys(inputs).sort())
  expect(read.analysis).toEqual({ policy: {} })
  expect(read).not.toHaveProperty('paths')
  expect(commentModes).toContain(read.comment)
})
