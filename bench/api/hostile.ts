/** Malformed requests over raw sockets, each with its outcome. */
import { connect } from 'node:net'

interface Attack {
  readonly url: string
  readonly count: number
}

export interface Attacked {
  /** Answered with a status from 400 to 499. */
  readonly refused: number
  readonly seconds: number
  readonly kinds: readonly { readonly kind: string; readonly statuses: string }[]
}

interface Hostile {
  readonly kind: string
  /** The bytes sent; `slow`: the rest one byte at a time. */
  readonly text: string
  readonly slow?: string
}

const AT_ONCE = 64
/** Sent all at once and concurrently, because each takes as long as the server waits. */
const SLOW_SHARE = 0.02
const DRIP_EVERY_MILLIS = 500
/** Longer than the server waits for a request. */
const GIVEN_UP_AFTER_MILLIS = 30_000

const OVERSIZE_CHARACTERS = 700_000

export async function attack({ url, count }: Attack): Promise<Attacked> {
  const startedAt = performance.now()
  const slowCount = Math.round(count * SLOW_SHARE)
  const slow = Array.from({ length: slowCount }, (_, index) => exchange(url, slowRequest(index)))
  const answers = await inTurns(count - slowCount, index => exchange(url, request(index)))
  answers.push(...(await Promise.all(slow)))
  return {
    refused: answers.filter(({ status }) => status >= 400 && status <= 499).length,
    seconds: (performance.now() - startedAt) / 1_000,
    kinds: summary(answers),
  }
}

interface Answered {
  readonly kind: string
  /** 0 if the connection ended without an answer. */
  readonly status: number
}

async function inTurns(count: number, ask: (index: number) => Promise<Answered>): Promise<Answered[]> {
  const answers: Answered[] = []
  let next = 0
  const turn = async () => {
    while (next < count) answers.push(await ask(next++))
  }
  await Promise.all(Array.from({ length: AT_ONCE }, turn))
  return answers
}

function exchange(url: string, { kind, text, slow = '' }: Hostile): Promise<Answered> {
  const { hostname, port } = new URL(url)
  return new Promise(resolve => {
    const socket = connect(Number(port), hostname)
    let received = ''
    let sent = 0
    const drip = setInterval(() => socket.write(slow.charAt(sent++)), DRIP_EVERY_MILLIS)
    if (slow === '') clearInterval(drip)
    const end = () => {
      clearInterval(drip)
      socket.destroy()
      resolve({ kind, status: Number(/^HTTP\/1\.1 (\d{3}) /.exec(received)?.[1] ?? 0) })
    }
    socket.setTimeout(GIVEN_UP_AFTER_MILLIS, end)
    socket.on('error', end).on('close', end)
    socket.setEncoding('latin1').on('data', (chunk: string) => {
      received += chunk
      if (received.includes('\r\n')) end()
    })
    socket.write(text)
  })
}

function summary(answers: readonly Answered[]): Attacked['kinds'] {
  const kinds = new Map<string, Map<number, number>>()
  for (const { kind, status } of answers) {
    const statuses = kinds.get(kind) ?? new Map<number, number>()
    kinds.set(kind, statuses.set(status, (statuses.get(status) ?? 0) + 1))
  }
  return [...kinds].map(([kind, statuses]) => ({
    kind,
    statuses: [...statuses].map(([status, times]) => `${times} × ${status === 0 ? 'no answer' : status}`).join(', '),
  }))
}

function slowRequest(index: number): Hostile {
  const rest = 'x'.repeat(1_000)
  return index % 2 === 0
    ? { kind: 'slow body', text: `${head('POST', '/v1/analyses')}content-length: 2000\r\n\r\n{`, slow: rest }
    : { kind: 'slow headers', text: 'GET /models HTTP/1.1\r\nhost: localhost\r\nx-a: ', slow: rest }
}

/** Variants of every kind, in turn. */
function request(index: number): Hostile {
  const makers = Object.entries(kinds)
  const [kind, make] = makers[index % makers.length] ?? []
  if (kind === undefined || make === undefined) throw new Error('no kind of request')
  return { kind, text: make(Math.floor(index / makers.length)) }
}

const kinds: Readonly<Record<string, (variant: number) => string>> = {
  'malformed JSON': variant => post(postPaths, variant, cut(variant)),
  'wrong types': variant => post(postPaths, variant, JSON.stringify(wrong(variant))),
  oversize: variant => (variant % 2 === 0 ? announced() : chunked()),
  paths: variant => `${head('GET', pick(paths, variant))}\r\n`,
  methods: variant =>
    `${head(pick(['PUT', 'PATCH', 'DELETE', 'TRACE', 'PROPFIND'], variant), pick(postPaths, variant))}\r\n`,
  'content types': variant =>
    `${head('POST', pick(postPaths, variant), pick(contentTypes, variant))}content-length: 16\r\n\r\n{"model":"bert"}`,
  hosts: variant => `GET /models HTTP/1.1\r\nhost: ${pick(hosts, variant)}\r\n\r\n`,
  origins: variant =>
    `${head('POST', pick(postPaths, variant))}origin: ${pick(origins, variant)}\r\ncontent-length: 16\r\n\r\n{"model":"bert"}`,
  headers: variant => `${head('GET', '/models')}${pick(badHeaders, variant)}\r\n\r\n`,
  queries: variant => `${head('GET', `/v1/repositories/a/b/configs?${pick(queries, variant)}`)}\r\n`,
  'no HTTP': variant => pick(notHttp, variant),
  'deep JSON': variant => post(postPaths, variant, `${'['.repeat(50_000)}${']'.repeat(50_000)}`),
  'many keys': variant =>
    post(postPaths, variant, JSON.stringify(Object.fromEntries(Array.from({ length: 5_000 }, (_, n) => [`k${n}`, n])))),
  prototypes: variant => post(postPaths, variant, pick(prototypes, variant)),
}

const postPaths = ['/v1/analyses', '/analyze']

function head(method: string, path: string, contentType = 'application/json'): string {
  return `${method} ${path} HTTP/1.1\r\nhost: localhost\r\ncontent-type: ${contentType}\r\n`
}

function post(among: readonly string[], variant: number, body: string): string {
  return `${head('POST', pick(among, variant))}content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
}

/** A valid request, truncated or with a byte that JSON does not allow there. */
function cut(variant: number): string {
  const whole = '{"model":"bert","spec":{"microBatch":16,"lora":{"rank":8}},"engine":"estimate"}'
  const at = variant % (whole.length - 1)
  return variant % 3 === 0
    ? whole.slice(0, at + 1)
    : `${whole.slice(0, at)}${pick(['\u0000', '}', ',,', "'"], variant)}`
}

const wrongValues = [
  null,
  -1,
  0,
  1.5,
  1e308,
  '',
  'x'.repeat(10_000),
  [],
  {},
  true,
  '\u0000',
  '__proto__',
  ['a'],
  { rank: -1 },
]

/** Each field with each invalid value. */
function wrong(variant: number): unknown {
  const value = pick(wrongValues, variant)
  const place = Math.floor(variant / wrongValues.length)
  const numbers = [
    'microBatch',
    'gradientAccumulation',
    'sequenceLength',
    'gpus',
    'labels',
    'precision',
    'optimizer',
    'lora',
  ]
  if (place % 3 === 0)
    return {
      model: 'bert',
      spec: { [pick(numbers, place)]: typeof value === 'number' ? -1 : value === null ? null : [value] },
    }
  if (place % 3 === 1) return { model: 'bert', [pick(['gpu', 'engine', 'strategy', 'stepSize'], place)]: [value] }
  return { model: [value], config: value }
}

function announced(): string {
  const body = JSON.stringify({ config: { fileName: 'a.yaml', text: 'a'.repeat(OVERSIZE_CHARACTERS) } })
  return `${head('POST', '/v1/analyses')}content-length: ${body.length}\r\n\r\n${body}`
}

function chunked(): string {
  const chunk = `10000\r\n${'a'.repeat(65_536)}\r\n`
  return `${head('POST', '/v1/analyses')}transfer-encoding: chunked\r\n\r\n${chunk.repeat(11)}0\r\n\r\n`
}

const paths = [
  '/..%2f..%2f..%2fetc%2fpasswd',
  '/v1/analyses/../../../etc/passwd',
  '/v1/analyses/%2e%2e%2f%2e%2e%2fpackage.json',
  '/v1/analyses/%00',
  '/v1/analyses/%E0%A4%A',
  '//evil.example/models',
  '/models/',
  '/MODELS',
  '/models;a=b',
  `/v1/analyses/${'a'.repeat(8_000)}`,
  '/v1/analyses/%F0%9F%92%A5/events',
  '/v1/repositories/..%2f/..%2f/configs',
  '/v1//analyses',
  '/openapi.json%00.html',
  '/assets/../../../etc/passwd',
  '/assets/..%5c..%5cpackage.json',
  '/.git/config',
  '/.env',
  '/%',
  '/\\..\\..\\etc',
  'models',
  '*',
  'http://evil.example/models',
]

const contentTypes = [
  'text/plain',
  'application/x-www-form-urlencoded',
  'multipart/form-data',
  'application/jsonp',
  '',
  'application/xml',
]
const hosts = [
  'evil.example',
  '127.0.0.1.nip.io',
  'localhost.evil.example',
  'a b',
  '',
  '[::',
  'localhost:99999',
  '0.0.0.0',
  'user@evil.example',
]
const origins = ['https://evil.example', 'null', 'http://localhost:1', 'file://', 'http://127.0.0.1:80']
const badHeaders = [
  `x: ${'x'.repeat(20_000)}`,
  Array.from({ length: 1_000 }, (_, n) => `x-${n}: ${'v'.repeat(20)}`).join('\r\n'),
  'content-length: 1\r\ncontent-length: 2',
  'content-length: -1',
  'transfer-encoding: chunked, identity\r\ncontent-length: 3',
  'x y: 1',
  'x: a\rb',
  'x: \u0000',
]
const queries = [
  'limit=0',
  'limit=-1',
  'limit=1e9',
  'limit[]=1',
  'order=__proto__',
  `cursor=${'a'.repeat(600)}`,
  'limit=%00',
  'limit=NaN',
]
const notHttp = [
  'HELO there\r\n\r\n',
  '\u0016\u0003\u0001\u0002\u0000\r\n\r\n',
  'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
  'GET /models\r\n\r\n',
  'GET /models HTTP/9.9\r\n\r\n',
  'GET  /models HTTP/1.1\r\n\r\n',
]
const prototypes = [
  '{"__proto__":{"model":"bert"}}',
  '{"constructor":{"prototype":{"model":"bert"}}}',
  '{"model":"bert","spec":{"__proto__":{"microBatch":1},"toString":1}}',
  '{"model":"bert","__proto__":null,"hasOwnProperty":1}',
]

function pick<T>(from: readonly T[], variant: number): T {
  const picked = from[variant % from.length]
  if (picked === undefined) throw new Error('nothing to pick from')
  return picked
}
