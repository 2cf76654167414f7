/** Two trainings that one script starts are two configs of one path, from the command line to the pull request. */
import { describe, expect, it } from 'vitest'
import { planSweeps } from '../action/matrix.ts'
import { changedFiles } from '../bot/suggestions/changed-files.ts'
import { analyze } from '../engine/analyze.ts'
import { configKey, configName } from '../engine/config/training-place.ts'
import { defaultGpu } from '../engine/gpus/catalogue.ts'
import { proposeChange } from '../engine/propose.ts'
import { renderCheck } from '../engine/render/check.ts'
import { renderComment } from '../engine/render/comment.ts'
import { covers } from '../engine/report/acceptance.ts'
import { changesSince } from '../engine/report/changes.ts'
import { type AnalysedConfig, report } from '../engine/report/schema.ts'
import { noSettings } from '../engine/settings/settings.ts'
import { readSubject } from '../engine/subject.ts'

const script = (
  first: string,
  second: string,
  above = '',
) => `${above}from transformers import AutoModelForSequenceClassification, Trainer, TrainingArguments

def fit_base():
    model = AutoModelForSequenceClassification.from_pretrained("bert-base-uncased")
    args = TrainingArguments("a", per_device_train_batch_size=${first}, gradient_accumulation_steps=32)
    Trainer(model=model, args=args).train()

def fit_large():
    model = AutoModelForSequenceClassification.from_pretrained("bert-large-uncased")
    args = TrainingArguments("b", per_device_train_batch_size=${second}, gradient_accumulation_steps=32)
    Trainer(model=model, args=args).train()
`
const now = new Date('2026-01-01')
const file = { path: 'train.py', text: script('1', '1') }

async function configsOf(text: string, base?: string): Promise<readonly AnalysedConfig[]> {
  const { configs } = await analyze([{ ...file, text }], {
    now,
    gpu: defaultGpu,
    ...(base !== undefined && { base: async () => base }),
  })
  return configs.map(config => {
    if (config.status !== 'analysed') throw new Error(JSON.stringify(config.problems))
    return config
  })
}

describe('two trainings of one script', () => {
  it('have a verdict each, under one path', async () => {
    const analysed = await analyze([file], { now })
    expect(report.parse(analysed).configs.map(config => [config.path, configName(config), configKey(config)])).toEqual([
      ['train.py', 'train.py:6', 'train.py#Trainer in fit_base()'],
      ['train.py', 'train.py:11', 'train.py#Trainer in fit_large()'],
    ])
  })

  it('are told apart in the comment and annotated on their own lines', async () => {
    const analysed = await analyze([file], { now })
    const comment = renderComment(analysed)
    expect(comment).toContain('train.py:6')
    expect(comment).toContain('train.py:11')
    const { annotations } = renderCheck(analysed)
    expect(annotations.map(({ path, line }) => [path, line])).toEqual([['train.py', 5]])
  })

  it('are planned as two sweeps, each by the name that a command takes', async () => {
    const { include } = planSweeps(await analyze([file], { now }), new Map(), () => false)
    expect(include.map(({ config }) => config)).toEqual(['train.py:6', 'train.py:11'])
    expect(new Set(include.map(({ id }) => id)).size).toBe(2)
  })

  it('change one by one, and both together in one file', async () => {
    // Small ones, which both gain much.
    const file = { path: 'train.py', text: script('1', '1').replace('bert-large', 'distilbert-base') }
    const configs = (await analyze([file], { now })).configs as readonly AnalysedConfig[]
    const changes = []
    for (const config of configs) {
      const proposal = await proposeChange(file, config)
      if (proposal.kind !== 'change') throw new Error(JSON.stringify(proposal))
      expect(proposal.after.split('\n').filter((line, index) => line !== file.text.split('\n')[index])).toHaveLength(1)
      changes.push(proposal)
    }
    const [together, ...others] = changedFiles(changes)
    expect(others).toEqual([])
    const sizes = configs.map(({ recommended, spec }) => (recommended ?? spec).microBatch)
    const again = await analyze([{ ...file, text: together?.after ?? '' }], { now })
    expect(again.configs.map(config => config.status === 'analysed' && config.spec.microBatch)).toEqual(sizes)
  })

  it('are left to a person where they share the constant', async () => {
    const shared = { path: 'train.py', text: script('BATCH', 'BATCH', 'BATCH = 1\n') }
    const [config] = (await analyze([shared], { now })).configs
    if (config?.status !== 'analysed') throw new Error(JSON.stringify(config))
    expect(await proposeChange(shared, config)).toEqual({ kind: 'by-hand', why: { kind: 'tied-to-other-settings' } })
  })

  it('are each compared with what they were, although lines moved', async () => {
    const last = await analyze([file], { now })
    const moved = await analyze([{ ...file, text: script('1', '64', '# Moved.\n\n') }], { now })
    expect(changesSince(last, moved).map(({ kind }) => kind)).toEqual(['changed'])
    const [before, other] = last.configs
    const [after] = moved.configs
    if (before?.status !== 'analysed' || other?.status !== 'analysed' || after === undefined)
      throw new Error('analysed')
    const accepted = { ...before, reasons: before.verdict.reasons }
    expect(covers(accepted, after)).toBe(true)
    expect(covers({ ...other, reasons: other.verdict.reasons }, after)).toBe(false)
  })

  it('block only where they got worse than on the base', async () => {
    const length = 'MAX_LENGTH = 512\n'
    const alone = await configsOf(script('512', '512', length))
    expect(alone.map(({ verdict }) => verdict.state)).toEqual(['blocked', 'blocked'])
    const compared = await configsOf(script('512', '512', `# Moved.\n${length}`), script('512', '1', length))
    expect(compared.map(({ verdict }) => verdict.state)).toEqual(['warning', 'blocked'])
  })

  it('are named by line where one is asked for', async () => {
    const options = { changes: {}, versions: [], fieldNames: {}, settings: noSettings }
    const named = (training?: { readonly line: number }) =>
      readSubject({ kind: 'config', file: { ...file, ...(training && { training }) } }, options, {})
    await expect(named()).rejects.toThrow('Name train.py:6 (Trainer in fit_base()) or train.py:11')
    expect(await named({ line: 11 })).toMatchObject({
      spec: { model: 'google-bert/bert-large-uncased' },
      training: { line: 11 },
    })
  })
})
