/** The form for an analysis: a model or a config, a GPU, and everything else that decides memory. */
import { html } from 'hono/html'
import { formatGib, formatUsd } from '../../engine/base/units.ts'
import { specOf } from '../../engine/config/adjusted-spec.ts'
import { type Gpu, gpus } from '../../engine/gpus/catalogue.ts'
import { findModel, modelIds } from '../../engine/models/catalogue.ts'
import { usualTraining } from '../../engine/plan/bare-model.ts'
import type { Engine } from '../../engine/probes/engines.ts'
import { DEFAULT_STEP_SIZE } from '../../engine/search/grid.ts'
import { optimizers, precisions, quantizations, type StepProfile, stepProfiles } from '../../engine/training/choices.ts'
import type { FieldProblem } from './form.ts'
import { type FieldName, type FormValues, fieldLabels } from './form-fields.ts'
import type { Html, MaybeHtml } from './page.ts'

export const ANALYSES_PATH = '/analyses'

export interface FormState {
  readonly values: FormValues
  readonly problems: readonly FieldProblem[]
}

/** What the page's back end offers: the server, or the engine in the browser. */
export interface Offer {
  /** Where the form is sent. */
  readonly action: string
  /** The GPU if none is chosen, in words. */
  readonly ownGpu: string
  /** The engines are a choice only if this is `auto`. */
  readonly engine: Engine | 'auto'
  /** Model ids for completion. */
  readonly offeredModels: readonly string[]
  /** A sentence on what to do for a model outside the catalogue. */
  readonly otherModels: string
}

export function analyseForm({ values, problems }: FormState, offer: Offer): Html {
  const { action, ownGpu, engine } = offer
  const form = new Fields(values, problems)
  return html`<form class="card ask" method="post" action="${action}" aria-label="Analyse">
<fieldset class="source"><legend>${fieldLabels.source}</legend>
${form.radio('source', 'model', 'A model', true)}${form.radio('source', 'config', 'A training config')}
</fieldset>
<div class="by-model">${form.model(offer)}</div>
<div class="by-config">${form.config()}${form.fileName()}</div>
<div class="device">${form.select('gpu', [['', ownGpu], ...gpus.map(gpuOption)])}${form.count('gpus', 100_000)}</div>
<div class="grid">
${form.select('step', [['', 'default'], ...stepProfiles.map(step => [step, stepText(step)] as const)])}
${form.select('precision', [['', 'default'], ...precisions.map(same)])}
${form.select('optimizer', [['', 'default'], ...optimizers.map(same)])}
${form.count('sequenceLength', 10_000_000)}
${form.count('microBatch', 1_000_000)}
${form.count('stepSize', 1_000, String(DEFAULT_STEP_SIZE))}
</div>
<details${form.hasAny(more) ? html` open` : ''}><summary>More: accumulation, adapters, checkpointing</summary>
<div class="grid">
${form.count('gradientAccumulation', 1_000_000)}
${form.select('gradientCheckpointing', [['', 'default'], same('on'), same('off')])}
${form.count('loraRank', 10_000)}
${form.select('quantization', [['', 'default'], ...quantizations.map(same)])}
${engine === 'auto' ? form.select('engine', engineOptions) : ''}
</div></details>
<p class="hint">${defaultsText()}</p>
<button class="primary">Analyse</button>
</form>`
}

const more: readonly FieldName[] = [
  'gradientAccumulation',
  'gradientCheckpointing',
  'loraRank',
  'quantization',
  'engine',
]

type Option = readonly [value: string, text: string]

const engineOptions: readonly Option[] = [
  ['auto', 'the best that this machine can run'],
  ['estimate', 'estimate only (instant)'],
]

/** Renders fields with submitted values and their errors. */
class Fields {
  readonly #values: FormValues
  readonly #problems: readonly FieldProblem[]

  constructor(values: FormValues, problems: readonly FieldProblem[]) {
    this.#values = values
    this.#problems = problems
  }

  hasAny(names: readonly FieldName[]): boolean {
    return names.some(name => this.#values[name] !== undefined || this.#problemOf(name) !== undefined)
  }

  radio(name: FieldName, value: string, text: string, isDefault = false): Html {
    const isChecked = (this.#values[name] ?? (isDefault ? value : undefined)) === value
    return html`<label class="choice"><input type="radio" name="${name}" value="${value}"${isChecked ? html` checked` : ''}> ${text}</label>`
  }

  model({ offeredModels, otherModels }: Offer): Html {
    return this.#field(
      'model',
      html`<input id="model" name="model" list="models" maxlength="200" autocomplete="off" autocapitalize="off" spellcheck="false" placeholder="google-bert/bert-base-uncased" value="${this.#values.model ?? ''}"${this.#described('model', true)}>
<datalist id="models">${offeredModels.map(id => html`<option value="${id}"></option>`)}</datalist>`,
      `One of the ${modelIds.length} built-in models. ${otherModels}`,
    )
  }

  config(): Html {
    return this.#field(
      'config',
      html`<textarea id="config" name="config" rows="10" maxlength="100000" autocapitalize="off" spellcheck="false"${this.#described('config', true)}>${this.#values.config ?? ''}</textarea>`,
      'YAML or JSON for Hugging Face, Axolotl, LLaMA-Factory, torchtune, DeepSpeed, Lightning, timm and others, or a Python script, notebook or launch script that trains.',
    )
  }

  fileName(): Html {
    return this.#field(
      'fileName',
      html`<input id="fileName" name="fileName" maxlength="200" autocomplete="off" autocapitalize="off" spellcheck="false" placeholder="guessed from the text" value="${this.#values.fileName ?? ''}"${this.#described('fileName', true)}>`,
      'Optional. Its extension says how the text is read; train.py:41 picks the training that line 41 starts.',
    )
  }

  select(name: FieldName, options: readonly Option[]): Html {
    const chosen = this.#values[name]
    const option = ([value, text]: Option) =>
      html`<option value="${value}"${value === chosen ? html` selected` : ''}>${text}</option>`
    return this.#field(
      name,
      html`<select id="${name}" name="${name}"${this.#described(name)}>${options.map(option)}</select>`,
    )
  }

  count(name: FieldName, max: number, placeholder = 'default'): Html {
    return this.#field(
      name,
      html`<input id="${name}" name="${name}" type="number" inputmode="numeric" min="1" max="${max}" step="1" placeholder="${placeholder}" value="${this.#values[name] ?? ''}"${this.#described(name)}>`,
    )
  }

  #field(name: FieldName, control: Html, hint?: string): Html {
    const problem = this.#problemOf(name)
    return html`<div class="field"><label for="${name}">${fieldLabels[name]}</label>${control}${
      hint ? html`<p class="hint" id="${name}-hint">${hint}</p>` : ''
    }${problem ? html`<p class="wrong" id="${name}-problem">${problem.message}. ${problem.fix}</p>` : ''}</div>`
  }

  #described(name: FieldName, hasHint = false): MaybeHtml {
    const isWrong = this.#problemOf(name) !== undefined
    const texts = [...(isWrong ? [`${name}-problem`] : []), ...(hasHint ? [`${name}-hint`] : [])].join(' ')
    return html`${isWrong ? html` aria-invalid="true"` : ''}${texts === '' ? '' : html` aria-describedby="${texts}"`}`
  }

  #problemOf(name: FieldName): FieldProblem | undefined {
    return this.#problems.find(({ input }) => input === name)
  }
}

/** Defaults of a bare model, taken from one as an example. */
function defaultsText(): string {
  const model = findModel('bert')
  if (model === undefined) throw new Error('the catalogue lost BERT')
  const { assumptions } = usualTraining(specOf(model), model, { said: [], namesFlags: false })
  return `Defaults: what the config says. For a model alone such as ${model.id}: ${assumptions.join(' ')}`
}

function same(word: string): Option {
  return [word, word]
}

function gpuOption({ id, name, totalBytes, pricePerHourUsd }: Gpu): Option {
  return [id, `${name}, ${formatGib(totalBytes)}, ${formatUsd(pricePerHourUsd)} an hour`]
}

function stepText(step: StepProfile): string {
  switch (step) {
    case 'training':
      return 'training: forward, backward, optimizer'
    case 'forward-backward':
      return 'forward and backward only'
  }
}
