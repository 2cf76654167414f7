/** The built playground behind a static host, under a path as GitHub Pages has it, compressed as static hosts do. */
import { createServer } from 'node:http'
import type { Socket } from 'node:net'
import path from 'node:path'
import { gzipSync } from 'node:zlib'
import type { BuiltFile } from '../../scripts/bundles.ts'
import { cutOff, listen } from '../listening.ts'

const BASE = '/memorymark/'

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
}

export interface StaticSite extends AsyncDisposable {
  readonly url: string
  /** Every request, as `GET /memorymark/`. */
  readonly requests: readonly string[]
  /** Written to the browsers so far, headers included. */
  sentBytes(): number
  /** As when the network is gone. */
  cut(): Promise<void>
}

export async function staticSite(files: readonly BuiltFile[]): Promise<StaticSite> {
  const compressed = new Map(files.map(({ name, contents }) => [`${BASE}${name}`, gzipSync(contents)]))
  const requests: string[] = []
  const server = createServer(({ method, url = '' }, response) => {
    requests.push(`${method} ${url}`)
    const name = url.endsWith('/') ? `${url}index.html` : url
    const contents = compressed.get(name)
    if (contents === undefined) return response.writeHead(404).end()
    const type = types[path.extname(name)] ?? 'application/octet-stream'
    return response
      .writeHead(200, { 'Content-Type': type, 'Content-Encoding': 'gzip', 'Cache-Control': 'max-age=600' })
      .end(contents)
  })
  const sockets = new Set<Socket>()
  server.on('connection', socket => sockets.add(socket))
  const port = await listen(server)
  const cut = () => cutOff(server)
  const sentBytes = () => [...sockets].reduce((sum, { bytesWritten }) => sum + bytesWritten, 0)
  return { url: `http://127.0.0.1:${port}${BASE}`, requests, sentBytes, cut, [Symbol.asyncDispose]: cut }
}
