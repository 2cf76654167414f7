import { describe, expect, it } from 'vitest'
import { tracingUpgrades } from '../../engine/change/traced-upgrade.ts'
import type { UpgradedStep } from '../../engine/change/upgrade.ts'
import { hasTorch, python } from '../probes/python.ts'
import { tinyConfig, tinyContext, tinySpec } from '../probes/tiny-spec.ts'

const step: UpgradedStep = { spec: tinySpec, model: tinyConfig, gpu: tinyContext.gpu }

function tracer(pythonBefore: string) {
  const remarks: string[] = []
  const remark = (sentence: string) => remarks.push(sentence)
  const signal = AbortSignal.timeout(170_000)
  return { remarks, trace: tracingUpgrades({ pythonBefore, python, signal, remark, log: () => {} }) }
}

describe('a change of versions is not traced', () => {
  it('without the environment before it, of which each config tells', async () => {
    const { trace, remarks } = tracer('/nonexistent/python')
    expect(await trace('a.yaml', step, step)).toBeUndefined()
    expect(await trace('b.yaml', step, step)).toBeUndefined()
    expect(remarks).toEqual([
      expect.stringMatching(/^What the change of versions does to a\.yaml was not traced: .*\/nonexistent\/python\.$/),
      expect.stringContaining('b.yaml'),
    ])
  })

  it.runIf(hasTorch)('where both environments have the same versions, which is told once', async () => {
    const { trace, remarks } = tracer(python)
    expect(await trace('a.yaml', step, step)).toBeUndefined()
    expect(await trace('b.yaml', step, step)).toBeUndefined()
    expect(remarks).toEqual([
      expect.stringMatching(
        /^The change of versions was not traced: both environments have torch .*, transformers .*\.$/,
      ),
    ])
  })

  it.runIf(hasTorch)('of a step that the trace does not cover', async () => {
    const { trace, remarks } = tracer(python)
    const several = { ...step, spec: { ...tinySpec, gpus: 2 } }
    expect(await trace('a.yaml', several, several)).toBeUndefined()
    expect(remarks).toEqual([expect.stringContaining('several GPUs')])
  })
})
