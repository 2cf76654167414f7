/** One question of the page, answered by the engine where the page is: the estimate that the server would give, as markup. */
import { html } from 'hono/html'
import { assumedIn, DEFAULT_HOURS_PER_RUN, DEFAULT_RUNS_PER_YEAR } from '../engine/analyze.ts'
import { assess } from '../engine/assess.ts'
import { MemoryMarkError, type Problem } from '../engine/base/errors.ts'
import { FootprintCache } from '../engine/estimate/footprint-cache.ts'
import { defaultGpu, type Gpu, gpus } from '../engine/gpus/catalogue.ts'
import { priced } from '../engine/gpus/priced.ts'
import type { AnalysedConfig } from '../engine/report/schema.ts'
import { defaultPolicy } from '../engine/verdict/policy.ts'
import type { AnalysisRequest } from '../server/analysis.ts'
import { readForm } from '../server/dashboard/form.ts'
import type { FieldName } from '../server/dashboard/form-fields.ts'
import { problemNotice } from '../server/dashboard/notice.ts'
import { toldTerms } from '../server/dashboard/result/gains.ts'
import { result, resultTitle } from '../server/dashboard/result/result.ts'
import { leversOf, resultOptions } from '../server/dashboard/result/result-options.ts'
import { asksForLevers, withLevers } from '../server/levers.ts'
import { withOverStep } from '../server/over-step.ts'
import { placeOf, readSubject, type Subject } from '../server/subject.ts'
import type { Question } from './question.ts'

/** `html`: markup whose untrusted parts are escaped. */
export type Answer =
  | { readonly kind: 'result'; readonly title: string; readonly html: string }
  /** `inputs`: the fields of the form that are wrong. */
  | { readonly kind: 'refused'; readonly html: string; readonly inputs: readonly FieldName[] }

/** `levers`: the ways to free memory as markup, empty if there are none, for the place that the answer has for them. */
export type AnswerWithLevers = Answer & { readonly levers?: () => Promise<string> }

/** The levers take longer than all the rest. */
export async function answer(question: Question, now: Date): Promise<AnswerWithLevers> {
  const reading = readForm(question.values)
  if (reading.kind === 'refused') {
    const inputs = reading.problems.map(({ input }) => input)
    return refused('Please correct the form', reading.problems, inputs)
  }
  const { config, model } = reading.request
  const asked = { ...reading.request, ...requestedTerms(question) }
  // No Hub: nothing that the reader enters leaves the page.
  const subject = await readSubject(asked, {}, gpuOf(asked, now))
  const title = config === undefined ? `No result for ${model}` : `No result for ${config.fileName}`
  if (subject.kind === 'refused') return refused(title, subject.problems)
  try {
    return await shown(analysed(subject.subject, asked, now), asked, question)
  } catch (error) {
    if (!(error instanceof MemoryMarkError)) throw error
    return refused(title, [error.problem])
  }
}

function requestedTerms({ terms }: Question): Partial<AnalysisRequest> {
  const { price, hours, runs } = toldTerms(terms)
  return {
    ...(price !== undefined && { pricePerHourUsd: price }),
    ...(hours !== undefined && { hoursPerRun: hours }),
    ...(runs !== undefined && { runsPerYear: runs }),
  }
}

interface Analysed {
  readonly config: AnalysedConfig
  /** Absent if none are looked for. */
  readonly levers?: () => Promise<string>
}

function analysed(subject: Subject, request: AnalysisRequest, now: Date): Analysed {
  const { spec, model, assumptions } = subject
  const open = assumedIn(subject).filter(what => what !== 'gpus' || request.spec.gpus === undefined)
  const gpu = gpuOf(request, now)
  const footprints = new FootprintCache()
  const assessment = assess(spec, model.config, {
    gpu,
    policy: defaultPolicy,
    footprints,
    assumed: request.gpu === undefined ? [...open, 'gpu'] : open,
    hoursPerRun: request.hoursPerRun ?? DEFAULT_HOURS_PER_RUN,
    runsPerYear: request.runsPerYear ?? DEFAULT_RUNS_PER_YEAR,
    ...(request.stepSize !== undefined && { stepSize: request.stepSize }),
  })
  const judged = { status: 'analysed' as const, ...placeOf(subject), assumptions: [...assumptions], ...assessment }
  const config = withOverStep(judged, model.config, { gpu, footprints })
  if (!asksForLevers(config)) return { config }
  const levers = async () => String(await leversOf(await withLevers(config, request, { gpu, footprints, models: {} })))
  return { config, levers }
}

function gpuOf({ gpu, pricePerHourUsd }: AnalysisRequest, now: Date): Gpu {
  return priced(gpus.find(({ id }) => id === gpu) ?? defaultGpu, pricePerHourUsd, 'your setting', now)
}

async function shown(
  { config, levers }: Analysed,
  request: AnalysisRequest,
  { terms }: Question,
): Promise<AnswerWithLevers> {
  const title = resultTitle(config)
  const view = html`<div class="title"><h2 class="headline" tabindex="-1">${title}</h2>
<div class="actions"><button type="button" class="secondary" data-copy-address hidden>Copy link</button></div></div>
${result(config, { ...(await resultOptions(config, request, terms)), ...(levers && { levers: leversPlace }) })}`
  return { kind: 'result', title, html: String(await view), ...(levers && { levers }) }
}

const leversPlace = html`<p class="working" role="status" data-levers>Looking for ways to free memory.</p>`

async function refused(
  title: string,
  problems: readonly Problem[],
  inputs: readonly FieldName[] = [],
): Promise<Answer> {
  return { kind: 'refused', html: String(await problemNotice(title, problems)), inputs }
}
