/** Models that read sound as it is sampled: their length, their task, what of them is frozen. */
import { describe, expect, it } from 'vitest'
import { trained } from '../../python/scripts.ts'
import { onlyProblemIn, trainingConfig } from '../../readings.ts'

const xlsr = 'model_name_or_path: facebook/wav2vec2-xls-r-300m\nper_device_train_batch_size: 8\n'
const base = 'model_name_or_path: facebook/wav2vec2-base\nper_device_train_batch_size: 8\n'

describe('the length of sound', () => {
  it.each([
    ['', 320_000],
    ['max_duration_in_seconds: 6.5\n', 104_000],
    ['max_length_seconds: 1\n', 16_000],
    ['max_length: 48000\n', 48_000],
    // A transcript's.
    ['max_length: 128\n', 320_000],
  ])('of %j is %i samples', (text, samples) => {
    expect(trainingConfig(`${xlsr}${text}`).spec.sequenceLength).toBe(samples)
  })

  it('is told where it is the default of the example scripts', () => {
    const told = 'Sound of 20 seconds, 16000 samples each: the config sets no maximum length.'
    expect(trainingConfig(xlsr).assumptions).toContain(told)
  })

  it('that makes no frame is refused', () => {
    expect(onlyProblemIn(`${xlsr}max_length_seconds: 0.02\n`)).toMatchObject({ code: 'out-of-range', line: 3 })
  })
})

describe('the task of a model of sound', () => {
  it.each([
    ['', 'ctc'],
    ['task: automatic-speech-recognition\n', 'ctc'],
    ['task: audio-classification\n', 'audio-classification'],
    ['num_labels: 8\n', 'audio-classification'],
  ])('by %j is %s', (text, task) => {
    expect(trainingConfig(`${xlsr}${text}`).spec.task).toBe(task)
  })
})

it('a mask of padding comes with models that norm every frame', () => {
  expect(trainingConfig(xlsr).spec.paddedBatches).toBe(true)
  expect(trainingConfig(base).spec.paddedBatches).toBe(false)
})

describe('the convolutions that read sound', () => {
  it.each(['', 'freeze_feature_encoder: true\n', 'freeze_feature_extractor: true\n'])('are frozen by %j', text => {
    expect(trainingConfig(`${xlsr}${text}`).spec.trainable).toMatchObject({ inputGradients: false })
  })

  it('train where the config says so', () => {
    expect(trainingConfig(`${xlsr}freeze_feature_encoder: false\n`).spec.trainable).toBeUndefined()
  })
})

it('adapters on a model of sound are an upper bound', () => {
  expect(trainingConfig(`${xlsr}use_peft: true\nlora_target_modules: [q_proj, v_proj]\n`).countsTooMuch).toBe(true)
})

it.each([
  ['Wav2Vec2ForCTC', undefined],
  ['AutoModelForCTC', undefined],
  ['Wav2Vec2ForSequenceClassification', ['vocab_size']],
])('the letters of the transcripts are no setting of memory to %s', async (name, named) => {
  const { unreadSettings } = await trained(`from transformers import Trainer, TrainingArguments, ${name}
model = ${name}.from_pretrained("facebook/wav2vec2-xls-r-300m", vocab_size=len(letters))
arguments = TrainingArguments("out", per_device_train_batch_size=8)
Trainer(model=model, args=arguments, train_dataset=clips).train()
`)
  expect(unreadSettings?.map(setting => setting.name)).toEqual(named)
})
