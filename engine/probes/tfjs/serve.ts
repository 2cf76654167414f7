/** The child process: opens a backend, says which, and answers trials until its parent hangs up. */
import type { Backend } from './backend.ts'
import { openCpu } from './cpu-backend.ts'
import { measure } from './measure.ts'
import { openMeta } from './meta-backend.ts'
import { openNative } from './native-backend.ts'
import { type BackendChoice, childArguments, type Message, question } from './protocol.ts'

async function open(choice: BackendChoice, nativeFolder: string): Promise<Backend> {
  switch (choice) {
    case 'auto':
      return (await openNative(nativeFolder)) ?? openMeta()
    case 'native': {
      const native = await openNative(nativeFolder)
      if (native !== undefined) return native
      throw new Error(`neither @tensorflow/tfjs-node-gpu nor @tensorflow/tfjs-node is installed in ${nativeFolder}`)
    }
    case 'cpu':
      return openCpu()
    case 'meta':
      return openMeta()
  }
}

function say(message: Message, then = () => {}): void {
  process.send?.(message, then)
}

function giveUp(error: unknown): void {
  const { message, stack = '' } = error instanceof Error ? error : new Error(String(error))
  say({ kind: 'threw', message, stack }, () => process.exit(1))
}

async function serve(): Promise<void> {
  const [choice, nativeFolder] = process.argv.slice(2)
  const settings = childArguments.parse({ choice, nativeFolder })
  const backend = await open(settings.choice, settings.nativeFolder)
  const answer = async (asked: unknown) =>
    say({ kind: 'answer', outcome: await measure(backend, question.parse(asked)) })
  process.on('message', asked => void answer(asked).catch(giveUp))
  say({ kind: 'ready', backend: { label: backend.label, provenance: backend.provenance } })
}

process.on('disconnect', () => process.exit(0))
serve().catch(giveUp)
