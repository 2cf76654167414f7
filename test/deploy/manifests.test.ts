/** deploy/compose.yaml and deploy/kubernetes.yaml, held to the image and to what the bot reads. */
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { parse, parseAllDocuments } from 'yaml'
import * as z from 'zod'
import { credentialVariables, settingVariables, variables } from '../../bot/variables.ts'
import { root } from '../../scripts/bundles.ts'
import { readStages } from '../../scripts/container/dockerfile.ts'

const folder = path.join(root, 'deploy')
const read = (name: string) => readFileSync(path.join(folder, name), 'utf8')
const steps = readStages(read('Dockerfile')).flatMap(stage => stage.steps)
const [port, ...morePorts] = steps.flatMap(step => (step.kind === 'expose' ? [step.value] : []))
const [volume, ...moreVolumes] = steps.flatMap(step => (step.kind === 'volume' ? [step.value] : []))

test.each(['docs/bot.md', 'deploy/Dockerfile', 'deploy/compose.yaml', 'deploy/kubernetes.yaml'])(
  'what %s names of this folder is there',
  file => {
    const named = readFileSync(path.join(root, file), 'utf8').match(/\bdeploy\/[\w.]*\w/g) ?? []
    expect(named.length).toBeGreaterThan(0)
    // The reader writes that one.
    expect(named.filter(name => name !== 'deploy/.env' && !existsSync(path.join(root, name)))).toEqual([])
  },
)

test('the image has one port and one volume', () => {
  expect({ port, morePorts, volume, moreVolumes }).toEqual({
    port: '3000',
    morePorts: [],
    volume: '/data',
    moreVolumes: [],
  })
})

describe('compose.yaml', () => {
  const { services, volumes } = z
    .object({
      services: z.object({
        bot: z.object({
          build: z.object({ context: z.string(), dockerfile: z.string() }),
          depends_on: z.record(z.string(), z.object({ condition: z.literal('service_healthy') })),
          environment: z.record(z.string(), z.string()),
          ports: z.array(z.string()),
          volumes: z.array(z.string()),
          read_only: z.literal(true),
          cap_drop: z.tuple([z.literal('ALL')]),
        }),
        database: z.object({ environment: z.record(z.string(), z.string()), volumes: z.array(z.string()) }),
      }),
      volumes: z.record(z.string(), z.null()),
    })
    .parse(parse(read('compose.yaml')))

  test('builds the Dockerfile from the root of the repository', () => {
    const { context, dockerfile } = services.bot.build
    expect(path.join(folder, context)).toBe(root)
    expect(existsSync(path.join(folder, context, dockerfile))).toBe(true)
  })

  test('sets what the bot reads, and waits for the database that it names', () => {
    expect(Object.keys(services.bot.environment).filter(name => !(name in variables))).toEqual([])
    const { POSTGRES_USER, POSTGRES_DB } = services.database.environment
    expect(services.bot.environment.DATABASE_URL).toMatch(
      new RegExp(`^postgres://${POSTGRES_USER}:.*@database/${POSTGRES_DB}$`),
    )
    expect(Object.keys(services.bot.depends_on)).toEqual(['database'])
  })

  test('opens the port of the image to this machine alone, and keeps its volume', () => {
    expect(services.bot.ports).toEqual([`127.0.0.1:3000:${port}`])
    expect(services.bot.volumes).toEqual([`app:${volume}`])
    const kept = [...services.bot.volumes, ...services.database.volumes].map(mount => mount.split(':')[0])
    expect(Object.keys(volumes)).toEqual(kept)
  })
})

const secretVariable = z.strictObject({
  name: z.string(),
  valueFrom: z.strictObject({ secretKeyRef: z.strictObject({ name: z.string(), key: z.string() }) }),
})
const probe = z.strictObject({
  httpGet: z.strictObject({ path: z.string(), port: z.literal('http') }),
  periodSeconds: z.int(),
  timeoutSeconds: z.int().optional(),
  failureThreshold: z.int().optional(),
})

describe('kubernetes.yaml', () => {
  const objects = parseAllDocuments(read('kubernetes.yaml')).map(document => {
    expect(document.errors).toEqual([])
    return document.toJS()
  })
  const [deployment, service, budget] = objects
  const pod = deployment.spec.template
  const [bot] = pod.spec.containers

  test('has replicas that share a name, a service before them and a budget for their disruptions', () => {
    expect(objects.map(({ apiVersion, kind }) => `${apiVersion} ${kind}`)).toEqual([
      'apps/v1 Deployment',
      'v1 Service',
      'policy/v1 PodDisruptionBudget',
    ])
    const { labels } = pod.metadata
    expect(deployment.spec.selector.matchLabels).toEqual(labels)
    expect(service.spec.selector).toEqual(labels)
    expect(budget.spec.selector.matchLabels).toEqual(labels)
    expect(deployment.spec.replicas).toBeGreaterThan(budget.spec.minAvailable)
  })

  test('takes secrets by reference, and every variable that replicas need', () => {
    const env = z.array(secretVariable).parse(bot.env)
    expect(env.map(({ name }) => name)).toEqual([...Object.keys(credentialVariables), 'DATABASE_URL'])
    expect('DATABASE_URL' in settingVariables).toBe(true)
    for (const { name, valueFrom } of env) expect(valueFrom.secretKeyRef).toEqual({ name: 'memorymark-bot', key: name })
  })

  test('probes what the bot answers, at the port of the image', () => {
    expect(bot.ports).toEqual([{ name: 'http', containerPort: Number(port) }])
    expect(service.spec.ports).toEqual([{ name: 'http', port: 80, targetPort: 'http' }])
    const paths = [bot.startupProbe, bot.livenessProbe, bot.readinessProbe].map(one => probe.parse(one).httpGet.path)
    expect(paths).toEqual(['/health', '/health', '/ready'])
  })

  test('is as little as it can be', () => {
    expect(pod.spec.automountServiceAccountToken).toBe(false)
    expect(pod.spec.securityContext).toMatchObject({ runAsNonRoot: true, runAsUser: 1000, runAsGroup: 1000 })
    expect(bot.securityContext).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    })
  })

  test('gives the bot longer to end than it takes', () => {
    const pauseSeconds = Number(bot.lifecycle.preStop.exec.command[1])
    const stopMillis = Number(
      /STOP_MILLIS = ([\d_]+)/.exec(readFileSync(path.join(root, 'bot/start.ts'), 'utf8'))?.[1]?.replaceAll('_', ''),
    )
    expect(pod.spec.terminationGracePeriodSeconds * 1_000).toBeGreaterThan(pauseSeconds * 1_000 + stopMillis)
  })
})
