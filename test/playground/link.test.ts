/** The link from a report to the playground: there only where the page shows the same, and of nobody else's making. */
import { describe, expect, test } from 'vitest'
import { analyze } from '../../engine/analyze.ts'
import { formatGib } from '../../engine/base/units.ts'
import { IsolatedEngine } from '../../engine/isolated/engine.ts'
import { renderComment } from '../../engine/render/comment.ts'
import { MAX_PLAYGROUND_LINK } from '../../engine/report/playground-address.ts'
import { type AnalysedConfig, type Report, report as reportSchema } from '../../engine/report/schema.ts'
import { readSettings } from '../../engine/settings/read.ts'
import { answer } from '../../playground/answer.ts'
import { readFragment } from '../../playground/permalink.ts'

const now = new Date('2026-11-20T00:00:00Z')
const playground = 'https://memorymark.example/playground/'

const wasteful = [
  'model_name_or_path: google-bert/bert-base-uncased',
  'task_name: mnli',
  'max_seq_length: 128',
  'per_device_train_batch_size: 1',
  'gradient_accumulation_steps: 32',
  '',
].join('\n')

function settingsOf(text: string) {
  const reading = readSettings({ path: '.github/memorymark.yml', text })
  if (reading.kind !== 'settings') throw new Error(JSON.stringify(reading))
  return reading.settings
}

interface Told {
  readonly path?: string
  readonly settings?: string
  readonly files?: Readonly<Record<string, string>>
}

async function reportOn(
  text: string,
  { path = 'configs/bert.yaml', settings = `gpu: a10\nplayground: ${playground}\n`, files = {} }: Told = {},
): Promise<Report> {
  const sources = { readFile: async (name: string) => files[name], listFolder: async () => Object.keys(files) }
  return analyze([{ path, text }], { now, settings: settingsOf(settings), sources })
}

function analysedIn({ configs: [config] }: Report): AnalysedConfig {
  if (config?.status !== 'analysed') throw new Error('not analysed')
  return config
}

async function linkOf(text: string, told: Told = {}): Promise<string | undefined> {
  return analysedIn(await reportOn(text, told)).playgroundLink
}

describe('a link to the playground', () => {
  test('opens the config there, with the same figures', async () => {
    const own = `gpu: l4\nhours_per_run: 3\nprices: { l4: 0.9 }\nplayground: ${playground}\n`
    const config = analysedIn(await reportOn(wasteful, { settings: own }))
    const { playgroundLink = '', current } = config
    expect(playgroundLink.startsWith(`${playground}#1.`)).toBe(true)
    const reading = await readFragment(playgroundLink.slice(playground.length))
    if (reading.kind !== 'question') throw new Error(reading.kind)
    const { values, terms } = reading.question
    expect(values).toEqual({ source: 'config', config: wasteful, fileName: 'configs/bert.yaml', gpu: 'l4' })
    expect(terms).toEqual({ price: '0.9', hours: '3', runs: '100' })
    const shown = await answer(reading.question, now)
    expect(shown.kind).toBe('result')
    expect(shown.html).toContain(formatGib(current.peakBytes))
  })

  test('stands in the fold of the comment, once', async () => {
    const comment = renderComment(await reportOn(wasteful)) ?? ''
    const [visible = '', folded = ''] = comment.split('<details>')
    expect(visible).not.toContain(playground)
    expect(folded.split(`<a href="${playground}#1.`)).toHaveLength(2)
  })

  test.each<readonly [string, string, Told]>([
    ['where the settings name no playground', wasteful, { settings: 'gpu: a10\n' }],
    ['for a config that is fine', wasteful.replace('size: 1', 'size: 32').replace('steps: 32', 'steps: 1'), {}],
    [
      'where other files say something',
      `${wasteful}deepspeed: ds.json\n`,
      { files: { 'ds.json': '{"zero_optimization": {"stage": 3}}' } },
    ],
    [
      'where the repository describes the model',
      wasteful,
      { files: { 'google-bert/bert-base-uncased/config.json': '{"model_type": "bert", "num_hidden_layers": 2}' } },
    ],
    [
      'where the settings supply something',
      wasteful,
      { settings: `gpu: a10\nplayground: ${playground}\nversions: { transformers: "4.40" }\n` },
    ],
    [
      'for a GPU that the page does not know',
      wasteful,
      { settings: `gpus: [{ name: ours, memory_gib: 40 }]\ngpu: ours\nplayground: ${playground}\n` },
    ],
    ['for a name that the page does not take', wasteful, { path: 'configs/bért.yaml' }],
    ['for a text that is too long for it', `${wasteful}# ${'x'.repeat(20_000)}\n`, {}],
  ])('is left out %s', async (_, text, told) => {
    expect(await linkOf(text, told)).toBeUndefined()
  })

  test.each([
    'hub_token: hf_abcdefghijklmnopqrstuvwxyz',
    'wandb_api_key: 0123456789abcdef0123456789abcdef01234567',
    '# export OPENAI_API_KEY=sk-proj-abcdefghijklmnop',
    'output: s3://user:password@bucket/checkpoints',
    '# -----BEGIN RSA PRIVATE KEY-----',
  ])('is left out for a text with a secret: %s', async line => {
    expect(await linkOf(`${wasteful}${line}\n`)).toBeUndefined()
  })

  test('is never longer than people copy', async () => {
    const noise = Array.from({ length: 150 }, (_, at) => `# ${Math.sin(at)}${Math.cos(at)}`).join('\n')
    expect(await linkOf(`${wasteful}${noise}\n`)).toBeUndefined()
    expect((await linkOf(wasteful))?.length).toBeLessThan(MAX_PLAYGROUND_LINK / 4)
  })

  test('of a report of somebody else is dropped unless it leads to the own playground', async () => {
    const own = await reportOn(wasteful)
    const settings = settingsOf(`gpu: a10\nplayground: ${playground}\n`)
    const config = analysedIn(own)
    const foreign = { ...own, configs: [{ ...config, playgroundLink: 'https://evil.example/#1.abc' }] }
    expect(() => reportSchema.parse(foreign)).not.toThrow()
    await using engine = new IsolatedEngine()
    const kept = async (report: Report, own = settings) =>
      analysedIn(await engine.withLevers(report, [], { now, settings: own })).playgroundLink
    expect(await kept(foreign)).toBeUndefined()
    expect(await kept(own)).toBe(config.playgroundLink)
    expect(await kept(own, { ...settings, playground: undefined })).toBeUndefined()
  })
})

test.each([
  'http://a.example/',
  'https://u:p@a.example/',
  'https://a.example/?q=1',
  'https://a.example/#x',
  'javascript:alert(1)',
  'https://a.example/"onclick=',
  '/playground',
])('%s is no address of a playground', text => {
  const reading = readSettings({ path: 's.yml', text: `playground: '${text}'\n` })
  expect(reading).toMatchObject({ kind: 'unreadable', problems: [{ field: 'playground', line: 1 }] })
})
