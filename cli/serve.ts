/** `memorymark serve`: the REST API and the pages on this machine, until it is interrupted. */
import { once } from 'node:events'
import { MemoryMarkError } from '../engine/base/errors.ts'
import { defaultGpu } from '../engine/gpus/catalogue.ts'
import { engines } from '../engine/probes/engines.ts'
import { type RepositorySettings, settingsFor } from '../engine/settings/settings.ts'
import { builtAssets } from '../server/dashboard/assets.ts'
import { dashboard } from '../server/dashboard/routes.ts'
import { DEFAULT_PORT, listen } from '../server/listen.ts'
import { gpuFlag, numberFlag, oneOf, parseFlags } from './arguments.ts'
import { openEngine } from './engine.ts'
import type { ExitCode } from './exit-code.ts'
import { complain, print } from './print.ts'
import { pythonCommand, pythonOptions } from './python.ts'
import { type SettingsFlags, settingsOptions, settingsOrThrow } from './settings.ts'

const DEFAULT_HOST = '127.0.0.1'
const MAX_PORT = 65_535

export async function serve(args: string[]): Promise<ExitCode> {
  const { values, positionals } = parseFlags(args, {
    host: { type: 'string' },
    port: { type: 'string' },
    gpu: { type: 'string' },
    engine: { type: 'string' },
    ...pythonOptions,
    'allow-origin': { type: 'string', multiple: true },
    ...settingsOptions,
  })
  if (positionals.length > 0) throw stray(positionals[0] ?? '')
  const team = await teamOf(values)
  const token = process.env.MEMORYMARK_API_TOKEN || undefined
  await using server = await listen({
    host: values.host ?? DEFAULT_HOST,
    port: portFlag(values.port),
    gpu: values.gpu === undefined ? (settingsFor('', team).gpu ?? defaultGpu) : gpuFlag(values.gpu, team.gpus),
    team,
    engine: oneOf('--engine', values.engine, ['auto', ...engines]) ?? 'auto',
    python: pythonCommand(values.python),
    allowedOrigins: (values['allow-origin'] ?? []).map(originFlag),
    pages: dashboard(builtAssets()),
    log: complain,
    ...(token !== undefined && { token }),
  })
  print(
    `MemoryMark is listening at ${server.url}${token === undefined ? '' : ', token required'}. Press Ctrl-C to stop.`,
  )
  await Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')])
  complain('Stopping; running analyses are cancelled.')
  return 0
}

/** Ends the limited process before the server starts its own. */
async function teamOf(values: SettingsFlags): Promise<RepositorySettings> {
  await using engine = openEngine()
  return await settingsOrThrow(values, engine)
}

/** 0 for any free port. */
function portFlag(text: string | undefined): number {
  return text === '0' ? 0 : (numberFlag('--port', text, { integer: true, max: MAX_PORT }) ?? DEFAULT_PORT)
}

function originFlag(text: string): string {
  const url = URL.parse(text)
  if (url !== null && url.origin === text) return text
  throw new MemoryMarkError({
    code: 'unknown-value',
    field: '--allow-origin',
    message: `"${text}" is not the origin of a web page`,
    fix: 'Write scheme, host and port alone, such as https://dash.example.com.',
  })
}

function stray(argument: string): MemoryMarkError {
  return new MemoryMarkError({
    code: 'usage',
    message: `serve takes no arguments, only options; "${argument}" is one`,
    fix: 'Run `memorymark serve --help` for its options.',
  })
}
