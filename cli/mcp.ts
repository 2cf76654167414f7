/**
 * `memorymark mcp`: serves the commands as tools for coding agents, by the Model Context Protocol on stdin and stdout.
 * Each tool runs its command in a process and answers with the command's JSON.
 */
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { realpath } from 'node:fs/promises'
import { isAbsolute, relative, resolve, sep } from 'node:path'
import { McpServer } from '@modelcontextprotocol/server'
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio'
import * as z from 'zod'
import { MemoryMarkError } from '../engine/base/errors.ts'
import { MIB } from '../engine/base/units.ts'
import { version } from '../engine/base/version.ts'
import { namedLine } from '../engine/config/training-place.ts'
import { methods } from '../engine/plan/methods.ts'
import { optimizers, precisions, quantizations, shardings } from '../engine/training/choices.ts'
import { parseFlags } from './arguments.ts'
import type { ExitCode } from './exit-code.ts'

/** A plan of the largest model takes several seconds. */
const TOOL_MILLIS = 120_000
const MAX_ANSWER_BYTES = 64 * MIB

const count = z.int().positive()
const gpu = z.string().optional().describe('Id of a GPU, such as a10, l4, a100-80gb or h100')
const model = 'A model by its Hugging Face id, or the path of a training config'

/** `target` or `paths` are the command's arguments; every other field is the flag of that name. */
interface Input {
  readonly target?: string
  readonly paths?: readonly string[]
}

interface Tool {
  readonly description: string
  readonly input: z.ZodType<Input>
}

/** Tools by the command that they run. */
const tools: Readonly<Record<string, Tool>> = {
  estimate: {
    description:
      'GPU memory, largest batch and speed of training one model or config. Of a model alone: full fine-tuning, LoRA and QLoRA.',
    input: z.strictObject({
      target: z.string().describe(model),
      gpu,
      batchSize: count.optional().describe('Micro-batch: samples per GPU and forward pass'),
      gradientAccumulation: count.optional(),
      sequenceLength: count.optional(),
      precision: z.enum(precisions).optional(),
      optimizer: z.enum(optimizers).optional(),
      gradientCheckpointing: z.boolean().optional(),
      loraRank: count.optional(),
      quantization: z.enum(quantizations).optional().describe('Of the frozen weights under the adapters'),
      gpus: count.optional().describe('GPUs that share the training'),
      sharding: z.enum(shardings).optional(),
    }),
  },
  check: {
    description:
      'Finds the training configs in files and folders, and says of each whether it fits the GPU, its largest and recommended batch, and what the change saves.',
    input: z.strictObject({ paths: z.array(z.string()).max(1_000).default(['.']), gpu }),
  },
  advise: {
    description: 'Every setting that frees memory in one training config, with what it frees and the lines to change.',
    input: z.strictObject({ target: z.string().describe('The path of a training config'), gpu }),
  },
  plan: {
    description: 'Which GPUs, how many and with which sharding train a model or config for the least money.',
    input: z.strictObject({
      target: z.string().describe(model),
      gpus: z.string().optional().describe('Ids of GPUs to choose from, with commas between; all by default'),
      maxGpus: count.optional(),
      method: z.enum(methods).optional().describe('For a model alone'),
      effectiveBatch: count.optional(),
      samplesPerRun: count.optional().describe('Adds hours and dollars per run'),
    }),
  },
}

/** Serves until the client ends it or closes stdin. */
export async function mcp(args: string[]): Promise<ExitCode> {
  const { positionals } = parseFlags(args, {})
  if (positionals[0] !== undefined) throw stray(positionals[0])
  const server = new McpServer({ name: 'memorymark', version })
  for (const [name, { description, input }] of Object.entries(tools)) {
    const settings = { description, inputSchema: input, annotations: { readOnlyHint: true } }
    server.registerTool(name, settings, ({ target, paths, ...flags }, { mcpReq }) =>
      answer(name, target === undefined ? (paths ?? []) : [target], flags, mcpReq.signal),
    )
  }
  const closed = once(process.stdin, 'close')
  await server.connect(new StdioServerTransport())
  await closed
  return 0
}

async function answer(name: string, paths: readonly string[], flags: object, signal: AbortSignal) {
  for (const path of paths) {
    if (await isOutside(path)) return told(`${path} lies outside the working directory. Name a file inside it.`, true)
  }
  return run([name, '--json', ...flagsOf(flags), '--', ...paths], signal)
}

/** `{ batchSize: 4, gradientCheckpointing: true }` → `--batch-size=4 --gradient-checkpointing`. */
function flagsOf(fields: object): string[] {
  return Object.entries(fields).flatMap(([field, value]) => {
    if (value === undefined || value === false) return []
    const flag = `--${field.replace(/[A-Z]/g, letter => `-${letter.toLowerCase()}`)}`
    return [value === true ? flag : `${flag}=${value}`]
  })
}

/**
 * Runs the command in its own process, which is killed when the request is cancelled. Exit code 1 means that something
 * blocks, 2 that it was refused.
 */
function run(args: readonly string[], signal: AbortSignal): Promise<ReturnType<typeof told>> {
  const limits = { signal, timeout: TOOL_MILLIS, maxBuffer: MAX_ANSWER_BYTES }
  return new Promise(settle => {
    const child = execFile(process.execPath, [process.argv[1] ?? '', ...args], limits, (_, stdout, stderr) => {
      const isJson = stdout.trimStart().startsWith('{')
      if (isJson) settle(told(JSON.stringify(JSON.parse(stdout)), false))
      else settle(told(stderr.trim() || `It ended without an answer (${child.signalCode ?? child.exitCode}).`, true))
    })
  })
}

function told(text: string, isError: boolean) {
  return { content: [{ type: 'text' as const, text }], isError }
}

/** Whether the path, with links followed, is outside the working directory. A name that is not a file is a model's. */
async function isOutside(name: string): Promise<boolean> {
  const path = namedLine(name)?.path ?? name
  const place = relative(await realpath('.'), await realpath(path).catch(() => resolve(path)))
  return place === '..' || place.startsWith(`..${sep}`) || isAbsolute(place)
}

function stray(argument: string): MemoryMarkError {
  return new MemoryMarkError({
    code: 'usage',
    message: `mcp takes no arguments; "${argument}" is one`,
    fix: 'Start it in the folder whose training configs it is asked about.',
  })
}
