/** Tools whose trainings are told, and refused by name. */
import { describe, expect, it } from 'vitest'
import { isCandidatePath } from '../../../engine/config/candidate-path.ts'
import { readConfig, readConfigAsync } from '../../../engine/config/read.ts'
import { onlyProblemIn } from '../readings.ts'

describe('a config of a tool that is not modelled', () => {
  it.each([
    [
      'NeMo',
      'trainer: { devices: 8 }\nexp_manager: { name: gpt }\nmodel: { micro_batch_size: 2, global_batch_size: 64, tensor_model_parallel_size: 1 }\n',
      'model.micro_batch_size',
    ],
    ['NeMo', 'trainer: { devices: 8 }\nmodel: { mcore_gpt: true, micro_batch_size: 2 }\n', 'model.micro_batch_size'],
    [
      'NeMo AutoModel',
      'model: { _target_: nemo_automodel.NeMoAutoModelForCausalLM.from_pretrained }\nstep_scheduler: { local_batch_size: 1 }\n',
      'step_scheduler.local_batch_size',
    ],
    [
      'NeMo RL',
      'policy: { model_name: gpt2, train_global_batch_size: 8, train_micro_batch_size: 2 }\n',
      'policy.train_micro_batch_size',
    ],
  ])('of %s is refused by that name, where its training is set', (name, text, field) => {
    const problem = onlyProblemIn(text)
    expect(problem).toMatchObject({ code: 'unsupported-training', field })
    expect(problem.message).toMatch(new RegExp(`^${name} .* not modelled yet$`))
  })
})

describe('TOML', () => {
  const toml = '[model]\nflavor = "8B" # of llama3\n[training]\n  local_batch_size = 2\nseq_len = 8192\n'
  const read = (text: string) => readConfigAsync({ path: 'llama3_8b.toml', text }, {})

  it('of torchtitan is looked for, and refused by that name', async () => {
    expect(isCandidatePath('configs/llama3_8b.toml')).toBe(true)
    expect(isCandidatePath('pyproject.toml')).toBe(false)
    for (const [text, column] of [
      [toml, 22],
      [toml.replace('local_batch', 'batch'), 16],
    ] as const)
      expect(await read(text)).toMatchObject({
        kind: 'unreadable',
        problems: [{ code: 'unsupported-training', message: expect.stringMatching(/^torchtitan /), line: 4, column }],
      })
  })

  it.each([
    ['empty lines', `${toml}${'\n'.repeat(490_000)}`, 'unreadable'],
    ['spaces', `${toml}${' '.repeat(490_000)}`, 'unreadable'],
    ['brackets in each other', `${toml}key = ${'['.repeat(400_000)}\n`, 'not-a-training-config'],
    ['tables in each other', `${toml}[${'a.'.repeat(200_000)}a]\nkey = 1\n`, 'unreadable'],
    ['more than is read', `${toml}${' '.repeat(900_000)}`, 'not-a-training-config'],
  ])('with %s keeps nobody waiting', async (_, text, kind) => {
    expect((await read(text)).kind).toBe(kind)
  })

  it.each([
    ['another table', toml.replace('training', 'queue')],
    ['no flavor', toml.replace('flavor', 'kind')],
    ['a text that goes over lines', `[notes]\ntext = """\n${toml.replaceAll(/^/gm, '> ')}"""\n`],
  ])('with %s is not', async (_, text) => {
    expect((await read(text)).kind).toBe('not-a-training-config')
  })
})

describe('is none of them', () => {
  it.each([
    ['batches of a team’s own loop', 'train: { global_batch_size: 8, micro_batch_size: 2 }\n'],
    ['a served policy', 'policy: { model_name: gpt2, max_new_tokens: 8 }\n'],
    ['the address of a service', 'actor_rollout_ref: http://rollouts:8080\n'],
    ['a scheduler of batches', 'model: { _target_: my.Model }\nstep_scheduler: { local_batch_size: 1 }\n'],
  ])('%s', (_, text) => {
    const reading = readConfig({ path: 'train.yaml', text })
    expect(reading.kind).toBe('not-a-training-config')
    expect(reading).not.toMatchObject({ why: expect.stringMatching(/NeMo|torchtitan/) })
  })
})

describe('a launcher of LLaVA', () => {
  const launched = (more: string) =>
    readConfigAsync(
      {
        path: 'scripts/finetune.sh',
        text: `deepspeed llava/train/train_mem.py --model_name_or_path lmsys/vicuna-7b-v1.5 --bf16 True ${more} --per_device_train_batch_size 16\n`,
      },
      {},
    )

  it('is refused by that name: what its code joins and what it trains are not in the arguments', async () => {
    const tower = '--vision_tower openai/clip-vit-large-patch14-336 --mm_projector_type mlp2x_gelu'
    expect(await launched(tower)).toMatchObject({
      kind: 'unreadable',
      problems: [{ code: 'unsupported-training', message: expect.stringMatching(/^LLaVA /), line: 1 }],
    })
    expect((await launched('--model_max_length 2048')).kind).toBe('training-config')
  })
})
