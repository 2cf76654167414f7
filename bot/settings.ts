/** The environment, read and validated once at the start. */
import { createPrivateKey } from 'node:crypto'
import path from 'node:path'
import * as z from 'zod'
import {
  didYouMean,
  findGpu,
  type Gpu,
  gpus,
  hubSettings,
  isPlaygroundAddress,
  MemoryMarkError,
  type Policy,
  parseConditions,
} from '../engine/index.ts'
import { apiToken } from '../server/access.ts'
import type { Retention } from './housekeeping.ts'
import type { DatabasePlace } from './store/open.ts'
import { type credentialVariables, settingVariables } from './variables.ts'

export interface Credentials {
  readonly appId: number
  readonly privateKey: string
  readonly webhookSecret: string
}

/** The settings that are needed even before an App exists. */
export interface OwnSettings {
  readonly host: string
  readonly port: number
  /** Base URL of the REST API. */
  readonly apiUrl: string
  readonly logLevel: 'debug' | 'info' | 'warn' | 'error' | 'silent'
  /** The GPU for repositories whose settings name none. */
  readonly gpu: Gpu | undefined
  /** What blocks, for repositories whose settings do not say. */
  readonly failOn: Policy['failOn'] | undefined
  /** Address of the playground that comments link to. */
  readonly playground: string | undefined
  /** Path of the one workflow whose reports are accepted. */
  readonly workflowPath: string
  readonly database: DatabasePlace
  readonly retention: Retention
  /** The token required by the REST API and the pages; undefined if they are not served. */
  readonly apiToken: string | undefined
  /** Undefined if models are not looked up on the Hub. */
  readonly hub: ReturnType<typeof hubSettings>
}

export type Settings = Credentials & OwnSettings

/** Shorter ones can be guessed from a single signed webhook. */
const MIN_SECRET_LENGTH = 16

const days = z.coerce.number('A number of days').int().min(1).max(36_500)

const credentials = z.object({
  APP_ID: z.coerce.number("The App ID, a number, from the GitHub App's page").int().positive(),
  PRIVATE_KEY: z
    .string("The private key in PEM form, from the GitHub App's page")
    // Most places that keep environments keep one line a variable.
    .transform(text => text.replaceAll('\\n', '\n'))
    .refine(isPrivateKey, 'Not a private key in PEM form'),
  WEBHOOK_SECRET: z
    .string("The webhook secret from the GitHub App's page, without which anyone could send webhooks")
    .refine(secret => secret !== 'development', '"development" is a well-known example secret')
    .min(
      MIN_SECRET_LENGTH,
      `At least ${MIN_SECRET_LENGTH} characters, for instance the output of \`openssl rand -hex 32\``,
    ),
} satisfies Record<keyof typeof credentialVariables, z.ZodType>)

const own = z.object({
  // Read before: bot/credentials.ts.
  MEMORYMARK_CREDENTIALS: z.string().optional(),
  DATABASE_URL: z.string().min(1).prefault(settingVariables.DATABASE_URL.default).transform(databasePlace),
  HOST: z.string().min(1).prefault(settingVariables.HOST.default),
  PORT: z.coerce.number().int().min(0).max(65_535).prefault(settingVariables.PORT.default),
  GITHUB_API_URL: z.url({ protocol: /^https?$/ }).prefault(settingVariables.GITHUB_API_URL.default),
  LOG_LEVEL: z.enum(['debug', 'info', 'warn', 'error', 'silent']).prefault(settingVariables.LOG_LEVEL.default),
  MEMORYMARK_GPU: z.string().optional(),
  MEMORYMARK_FAIL_ON: z.string().optional(),
  MEMORYMARK_PLAYGROUND: z
    .string()
    .refine(isPlaygroundAddress, 'The https address of a page, such as https://example.com/playground/')
    .optional(),
  MEMORYMARK_WORKFLOW: z.string().min(1).prefault(settingVariables.MEMORYMARK_WORKFLOW.default),
  MEMORYMARK_HUB: z.enum(['on', 'off'], 'Either on or off').prefault(settingVariables.MEMORYMARK_HUB.default),
  MEMORYMARK_API_TOKEN: apiToken.optional(),
  MEMORYMARK_KEEP_DAYS: days.prefault(settingVariables.MEMORYMARK_KEEP_DAYS.default),
  MEMORYMARK_GRACE_DAYS: days.prefault(settingVariables.MEMORYMARK_GRACE_DAYS.default),
} satisfies Record<keyof typeof settingVariables, z.ZodType>)

/** @throws MemoryMarkError that names every variable to fix. */
export function readSettings(env: NodeJS.ProcessEnv): Settings {
  const data = read(credentials.extend(own.shape), env)
  return { ...credentialsOf(data), ...ownSettings(data, env) }
}

/** Those of the App alone. @throws MemoryMarkError that names every variable to fix. */
export function readCredentials(env: NodeJS.ProcessEnv): Credentials {
  return credentialsOf(read(credentials, env))
}

/** All settings except the App's credentials. @throws MemoryMarkError that names every variable to fix. */
export function readOwnSettings(env: NodeJS.ProcessEnv): OwnSettings {
  return ownSettings(read(own, env), env)
}

function read<T>(schema: z.ZodType<T>, env: NodeJS.ProcessEnv): T {
  const parsed = schema.safeParse(env)
  if (!parsed.success) throw refused(parsed.error)
  return parsed.data
}

function credentialsOf(data: z.infer<typeof credentials>): Credentials {
  return { appId: data.APP_ID, privateKey: data.PRIVATE_KEY, webhookSecret: data.WEBHOOK_SECRET }
}

function ownSettings(data: z.infer<typeof own>, env: NodeJS.ProcessEnv): OwnSettings {
  return {
    host: data.HOST,
    port: data.PORT,
    apiUrl: data.GITHUB_API_URL.replace(/\/$/, ''),
    logLevel: data.LOG_LEVEL,
    gpu: readGpu(data.MEMORYMARK_GPU),
    failOn: readFailOn(data.MEMORYMARK_FAIL_ON),
    playground: data.MEMORYMARK_PLAYGROUND,
    workflowPath: data.MEMORYMARK_WORKFLOW,
    database: data.DATABASE_URL,
    retention: { keepDays: data.MEMORYMARK_KEEP_DAYS, graceDays: data.MEMORYMARK_GRACE_DAYS },
    apiToken: data.MEMORYMARK_API_TOKEN,
    hub: data.MEMORYMARK_HUB === 'on' ? hubSettings(env) : undefined,
  }
}

/** `postgres://…` names a server; anything else is a folder for the embedded database. */
function databasePlace(written: string): DatabasePlace {
  if (/^postgres(?:ql)?:\/\//.test(written)) return { kind: 'server', url: written }
  return written === 'memory:' ? { kind: 'memory' } : { kind: 'folder', folder: path.resolve(written) }
}

function readFailOn(conditions: string | undefined): Policy['failOn'] | undefined {
  return conditions === undefined ? undefined : parseConditions(conditions, 'MEMORYMARK_FAIL_ON')
}

function readGpu(id: string | undefined): Gpu | undefined {
  if (id === undefined) return undefined
  const gpu = findGpu(id)
  if (gpu !== undefined) return gpu
  const ids = gpus.map(known => known.id)
  throw new MemoryMarkError({
    code: 'environment-refused',
    field: 'MEMORYMARK_GPU',
    message: `"${id.slice(0, 100)}" is not a GPU in the catalogue`,
    fix: didYouMean(id, ids, `Known: ${ids.join(', ')}.`),
  })
}

function refused(error: z.ZodError): MemoryMarkError {
  const faults = error.issues.map(({ path, message }) => `${path.join('.')} (${message})`)
  return new MemoryMarkError({
    code: 'environment-refused',
    message: `The bot cannot start with this environment: ${[...new Set(faults)].join('; ')}`,
    fix: 'Set these variables and start again; `memorymark-bot --help` says what each is for.',
  })
}

function isPrivateKey(pem: string): boolean {
  try {
    return createPrivateKey(pem).type === 'private'
  } catch {
    return false
  }
}
