/** Performs the steps of a Dockerfile, stage by stage, as `docker build` would. */
import { once } from 'node:events'
import { cp, mkdir } from 'node:fs/promises'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import { Chroot } from './chroot.ts'
import { copyContext } from './context.ts'
import type { Stage, Step } from './dockerfile.ts'

export interface Image {
  readonly files: Chroot
  readonly env: Readonly<Record<string, string>>
  readonly workdir: string
  readonly user: string
  readonly volumes: readonly string[]
  readonly entrypoint: readonly string[]
  readonly healthcheck: readonly string[]
}

export interface BuildOptions {
  /** The repository, and its files in the build context. */
  readonly context: { readonly root: string; readonly entries: readonly string[] }
  /** An empty folder. */
  readonly folder: string
  /** Environment variables for build steps only, such as npm's registry. */
  readonly buildEnv: Readonly<Record<string, string>>
}

/** The image of the last stage. */
export async function buildImage(stages: readonly Stage[], options: BuildOptions): Promise<Image> {
  const images = new Map<string, Image>()
  let image: Image | undefined
  for (const [index, { name, base, steps }] of stages.entries()) {
    image = await beginStage(path.join(options.folder, String(index)), images.get(base))
    for (const step of steps) image = await perform(step, { image, images, ...options })
    if (name !== undefined) images.set(name, image)
  }
  if (image === undefined) throw new Error('The Dockerfile has no stage.')
  return image
}

async function beginStage(folder: string, base: Image | undefined): Promise<Image> {
  const files = await Chroot.create(folder, base?.files)
  const nothing = { env: {}, workdir: '/', user: '0:0', volumes: [], entrypoint: [], healthcheck: [] }
  return { ...nothing, ...base, files }
}

interface Building extends BuildOptions {
  readonly image: Image
  /** By the names of their stages. */
  readonly images: ReadonlyMap<string, Image>
}

async function perform(step: Step, building: Building): Promise<Image> {
  const { image } = building
  switch (step.kind) {
    case 'run':
      await runStep(step.command, building)
      return image
    case 'copy':
      await copyStep(step, building)
      return image
    case 'env':
      return { ...image, env: { ...image.env, ...step.values } }
    case 'workdir':
      await mkdir(image.files.at(step.value), { recursive: true })
      return { ...image, workdir: step.value }
    case 'user':
      return { ...image, user: step.value }
    case 'volume':
      return { ...image, volumes: [...image.volumes, step.value] }
    case 'expose':
      return image
    case 'healthcheck':
      return { ...image, healthcheck: step.command }
    case 'entrypoint':
      return { ...image, entrypoint: step.command }
  }
}

async function runStep(command: string, { image, buildEnv }: Building): Promise<void> {
  const { files, workdir, user } = image
  const env = { HOME: '/root', ...buildEnv, ...image.env }
  const child = files.start(['/bin/sh', '-c', command], { env, workdir, user, files: { kind: 'writable' } })
  const [stdout, stderr, [exitCode]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')])
  if (exitCode !== 0) throw new Error(`RUN ${command} ended with ${exitCode}:\n${stdout}${stderr}`)
}

async function copyStep(step: Extract<Step, { kind: 'copy' }>, { image, images, context }: Building): Promise<void> {
  const target = image.files.at(path.resolve(image.workdir, step.target))
  if (step.stage === undefined) {
    const { root, entries } = context
    const copied = step.sources.includes('.') ? entries : step.sources
    const absent = copied.filter(name => !entries.includes(name))
    if (absent.length > 0) throw new Error(`COPY names ${absent.join(', ')}, which the .dockerignore keeps out`)
    await copyContext(root, copied, target)
    return
  }
  const from = images.get(step.stage)
  if (from === undefined) throw new Error(`COPY names ${step.stage}, which is no stage`)
  for (const source of step.sources) {
    const into = step.target.endsWith('/') ? path.join(target, path.basename(source)) : target
    await cp(from.files.at(source), into, { recursive: true, verbatimSymlinks: true })
  }
}
