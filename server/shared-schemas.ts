/** Replaces schemas that several routes share by references to named definitions in the OpenAPI document. */
import { OpenAPIHono } from '@hono/zod-openapi'
import * as z from 'zod'
import { problem } from '../engine/base/errors.ts'
import { outcome, trial } from '../engine/probes/trial.ts'
import { analysedConfig, operatingPoint, report, reportedGpu, unanalysedConfig } from '../engine/report/schema.ts'
import { trainingSpec } from '../engine/training/spec.ts'
import { verdict } from '../engine/verdict/policy.ts'
import { analysis, analysisEvent, analysisRequest, probing } from './analysis.ts'
import { earlierRequest } from './earlier-request.ts'
import { earlierResult } from './earlier-result.ts'
import { fault } from './fault.ts'
import { jsonAnswer } from './json-answer.ts'
import { configRecord, decision, ledgerEntry } from './repositories.ts'

const named: Readonly<Record<string, z.ZodType>> = {
  Analysis: analysis,
  AnalysisEvent: analysisEvent,
  AnalysisRequest: analysisRequest,
  Probing: probing,
  EarlierRequest: earlierRequest,
  EarlierResult: earlierResult,
  Fault: fault,
  Problem: problem,
  Report: report,
  AnalysedConfig: analysedConfig,
  UnanalysedConfig: unanalysedConfig,
  OperatingPoint: operatingPoint,
  Gpu: reportedGpu,
  TrainingSpec: trainingSpec,
  Trial: trial,
  Outcome: outcome,
  Verdict: verdict,
  ConfigRecord: configRecord,
  LedgerEntry: ledgerEntry,
  Decision: decision,
}

type Json = z.infer<ReturnType<typeof z.json>>
type JsonObject = { [key: string]: Json }

const jsonObject = z.record(z.string(), z.json())

/** The document with the same meaning, but shorter. */
export function withSharedSchemas(document: object): JsonObject {
  const { components, ...rest } = jsonObject.parse(JSON.parse(JSON.stringify(document)))
  const written = Object.entries(namedAsJson())
  const names = new Map(written.map(([name, schema]) => [JSON.stringify(schema), name]))
  // A definition does not refer to itself, so only its parts are searched.
  const schemas = Object.fromEntries(written.map(([name, schema]) => [name, partsReferred(schema, names)]))
  return { ...partsReferred(rest, names), components: { ...jsonObject.parse(components), schemas } }
}

/** Schemas as the library writes them, so that equal ones have equal text. */
function namedAsJson(): Record<string, JsonObject> {
  const app = new OpenAPIHono()
  for (const [name, schema] of Object.entries(named)) {
    app.openAPIRegistry.registerPath({ method: 'get', path: `/${name}`, responses: { 200: jsonAnswer('', schema) } })
  }
  const { paths } = described.parse(app.getOpenAPI31Document({ openapi: '3.1.0', info: { title: '', version: '' } }))
  const schemas = Object.entries(paths).map(([path, { get }]) => [
    path.slice(1),
    get.responses[200].content['application/json'].schema,
  ])
  return Object.fromEntries(schemas)
}

const answer = z.object({ content: z.object({ 'application/json': z.object({ schema: jsonObject }) }) })
const described = z.object({
  paths: z.record(z.string(), z.object({ get: z.object({ responses: z.object({ 200: answer }) }) })),
})

function partsReferred(parts: JsonObject, names: ReadonlyMap<string, string>): JsonObject {
  return Object.fromEntries(Object.entries(parts).map(([key, part]) => [key, referred(part, names)]))
}

function referred(node: Json, names: ReadonlyMap<string, string>): Json {
  if (Array.isArray(node)) return node.map(part => referred(part, names))
  if (node === null || typeof node !== 'object') return node
  const name = names.get(JSON.stringify(node))
  return name === undefined ? partsReferred(node, names) : { $ref: `#/components/schemas/${name}` }
}
