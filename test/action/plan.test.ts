import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ActionBesideGitHub, tiny } from './action-beside-github.ts'

let beside: ActionBesideGitHub
beforeAll(async () => {
  beside = await ActionBesideGitHub.start()
})
afterAll(() => beside[Symbol.asyncDispose]())

describe('plan', () => {
  const runners = 'a10: self-hosted, linux, a10\nh100: self-hosted, h100'

  it('puts out a matrix of the configs that changed and the GPUs of the fleet', async () => {
    const { repository } = await beside.open({ 'a.yaml': tiny, 'service.yaml': 'kind: Service\n' })
    const { exitCode, outputs, report: written } = await beside.run(repository, { mode: 'plan', runners })
    expect({ exitCode, any: outputs.any, configs: outputs.configs, written }).toEqual({
      exitCode: 0,
      any: 'true',
      configs: '1',
      written: undefined,
    })
    expect(JSON.parse(outputs.matrix ?? '')).toEqual({
      include: [
        { id: expect.any(String), config: 'a.yaml', gpu: 'a10', 'runs-on': ['self-hosted', 'linux', 'a10'] },
        { id: expect.any(String), config: 'a.yaml', gpu: 'h100', 'runs-on': ['self-hosted', 'h100'] },
      ],
    })
  })

  it('leaves a config on the GPU that the settings name', async () => {
    const { repository } = await beside.open({ 'a.yaml': tiny }, { base: { '.github/memorymark.yml': 'gpu: h100\n' } })
    const { outputs } = await beside.run(repository, { mode: 'plan', runners })
    expect(JSON.parse(outputs.matrix ?? '').include).toMatchObject([{ config: 'a.yaml', gpu: 'h100' }])
  })

  it('puts out an empty matrix where nothing is to be measured', async () => {
    const { repository } = await beside.open({ 'train.py': 'print(1)' })
    const nothing = await beside.run(repository, { mode: 'plan', runners })
    expect(nothing).toMatchObject({ exitCode: 0, outputs: { matrix: '{"include":[]}', any: 'false' } })
    const event = { name: 'push', payload: { before: 'a'.repeat(40), after: '0'.repeat(40), deleted: true } }
    const deleted = await beside.run(repository, { mode: 'plan', runners }, { event })
    expect(deleted).toMatchObject({ exitCode: 0, outputs: { matrix: '{"include":[]}', any: 'false' } })
  })
})
