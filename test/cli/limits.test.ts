/** Commands on files that take too long or too much memory to read. */
import { afterAll, describe, expect, test } from 'vitest'
import { estimated } from '../../cli/estimate.ts'
import { findSettings } from '../../cli/settings.ts'
import { readSubject } from '../../cli/subject.ts'
import { IsolatedEngine } from '../../engine/isolated/engine.ts'
import { sharedHostileScript } from '../shared-builds.ts'
import { Workspace } from './run-cli.ts'

const script = await sharedHostileScript()
const engine = new IsolatedEngine({ script })
/** With time to fill its memory, however slow the machine is. */
const patient = new IsolatedEngine({ script, limits: { fileMillis: 60_000 } })
afterAll(() => Promise.all([engine, patient].map(each => each[Symbol.asyncDispose]())))

const config = 'memorymark:\n  model: bert\n  batch_size: 3\n'

describe('beyond a limit', () => {
  test.each([
    ['spin', 'analysis-time-limit', /takes longer than the limit of 2 s/, engine],
    ['allocate', 'analysis-memory-limit', /takes more memory than the limit of 256 MiB/, patient],
  ])('a config (%s) is refused by name, and settings are', async (word, code, message, engine) => {
    await using workspace = await Workspace.with({ 'train.yaml': `${config}# ${word}\n`, 's.yml': `# ${word}\n` })
    const file = `${workspace.folder}/train.yaml`
    const settings = `${workspace.folder}/s.yml`
    const refused = {
      problem: { code, message: expect.stringMatching(message), file: expect.stringMatching(/\.yaml$/) },
    }
    await expect(estimated([file, '--no-settings'], engine)).rejects.toMatchObject(refused)
    await expect(readSubject([file], { 'no-settings': true }, engine)).rejects.toMatchObject(refused)
    expect(await findSettings({ settings }, engine)).toMatchObject({
      kind: 'unreadable',
      problems: [{ code, file: settings }],
    })
  })

  test('the next file is read as if nothing had been', async () => {
    await using workspace = await Workspace.with({ 'a.yaml': `${config}# spin\n`, 'b.yaml': config })
    await expect(estimated([`${workspace.folder}/a.yaml`], engine)).rejects.toThrow('2 s')
    const { assessment } = await estimated([`${workspace.folder}/b.yaml`], engine)
    expect(assessment.spec.microBatch).toBe(3)
  })
})

test('a settings file of more than 16 MiB is not read', async () => {
  await using workspace = await Workspace.with({ 's.yml': `#${' '.repeat(2 ** 24)}` })
  const { stderr, exitCode } = await workspace.run('sweep', 'bert', '--settings', 's.yml')
  expect(stderr).toMatch(/^s\.yml: the file is larger than 16 MiB/)
  expect(exitCode).toBe(2)
})
