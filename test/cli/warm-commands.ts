/**
 * A process that runs the command line again and again, one command after the other: the script that npm installs is evaluated anew
 * each time, what it imports is not. Told of a command, it tells how that ended and what it wrote.
 */
export interface CommandOrder {
  readonly script: string
  readonly args: readonly string[]
  readonly folder: string
  readonly environment: NodeJS.ProcessEnv
}

export interface Run {
  readonly exitCode: number
  readonly stdout: string
  readonly stderr: string
}

let commands = 0
process.on('message', async (order: CommandOrder) => process.send?.(await run(order)))
process.on('disconnect', () => process.exit())

async function run({ script, args, folder, environment }: CommandOrder): Promise<Run> {
  process.chdir(folder)
  process.env = environment
  process.argv = [process.execPath, script, ...args]
  process.exitCode = undefined
  const stdout = keptOf(process.stdout)
  const stderr = keptOf(process.stderr)
  await import(`${script}?${++commands}`)
  return { exitCode: Number(process.exitCode), stdout: stdout(), stderr: stderr() }
}

/** Keeps what is written to a stream from now on. */
function keptOf(stream: NodeJS.WriteStream): () => string {
  const chunks: Buffer[] = []
  stream.write = (chunk: string | Uint8Array) => chunks.push(Buffer.from(chunk)) > 0
  return () => Buffer.concat(chunks).toString()
}
